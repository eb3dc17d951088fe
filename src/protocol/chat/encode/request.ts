import type { Target } from '../../hub/codec.ts';
import type { JsonObject } from '../../hub/content/json.ts';
import type { Notes } from '../../hub/notes.ts';
import type { HubRequest } from '../../hub/request.ts';
import { encodeMessages } from './messages.ts';
import { encodeEffort, encodeFormat, encodeIdentity, encodeLimit, encodeSampling } from './options.ts';
import type { PartContext } from './parts.ts';
import { encodeSearch, encodeTools } from './tools.ts';

/** The body for a vendor. `undefined` fields are left out when it is written. */
export function encodeChatRequest(request: HubRequest, target: Target, notes: Notes): JsonObject {
  const context: PartContext = { client: request.client, capabilities: target.capabilities, notes };
  const { format, instruction } = encodeFormat(request, context);
  const effort = encodeEffort(request, context);
  return {
    model: target.model,
    messages: encodeMessages(request, context, instruction),
    ...encodeTools(request, context),
    ...encodeSearch(request, context),
    response_format: format,
    reasoning_effort: effort,
    verbosity: request.verbosity,
    ...encodeSampling(request, context, effort),
    ...encodeLimit(request, context),
    n: request.answers > 1 ? request.answers : undefined,
    ...encodeIdentity(request, context),
    // The usage of a stream is in its last chunk, and only if it is requested.
    ...(request.stream ? { stream: true, stream_options: { include_usage: true } } : {}),
  };
}
