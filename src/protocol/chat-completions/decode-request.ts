import type { JsonObject } from '../hub/json.ts';
import type { Notes } from '../hub/notes.ts';
import type { HubRequest } from '../hub/request.ts';
import { decodeMessages } from './decode-messages.ts';
import {
  decodeAnswers,
  decodeFormat,
  decodeLogprobs,
  decodeSampling,
  decodeStop,
  decodeThinking,
  noteStrangers,
} from './decode-options.ts';
import { decodeToolChoice, decodeTools } from './decode-tools.ts';
import { flagField, numberField, objectField, textField } from './fields.ts';

/** Nothing of a request is echoed in this protocol's answers. */
const NO_ECHO: ReadonlyMap<string, string> = new Map();

export function decodeChatRequest(body: JsonObject, notes: Notes): HubRequest {
  noteStrangers(body, notes);
  const stream = flagField(body, 'stream', '') === true;
  const options = objectField(body, 'stream_options', '');
  return {
    client: 'chat',
    stream,
    ...decodeMessages(body, notes),
    ...decodeTools(body, notes),
    toolChoice: decodeToolChoice(body, notes),
    parallelCalls: flagField(body, 'parallel_tool_calls', ''),
    thinking: decodeThinking(body),
    format: decodeFormat(body, notes),
    verbosity: textField(body, 'verbosity', ''),
    sampling: decodeSampling(body),
    stop: decodeStop(body),
    maxTokens: numberField(body, 'max_completion_tokens', '') ?? numberField(body, 'max_tokens', ''),
    answers: decodeAnswers(body),
    logprobs: decodeLogprobs(body),
    endUser: textField(body, 'safety_identifier', '') ?? textField(body, 'user', ''),
    cacheKey: textField(body, 'prompt_cache_key', ''),
    serviceTier: textField(body, 'service_tier', ''),
    includeUsage: stream && options?.include_usage === true,
    echo: NO_ECHO,
  };
}
