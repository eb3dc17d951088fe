import { type Framing, LINE_FEED_EVENTS } from '../answer/frame.ts';
import type { Dialect, VendorRequest } from '../dialect.ts';
import type { OpenaiModel } from '../models.ts';
import { readBody } from '../openai/body.ts';
import { openaiError, openaiHeaders } from '../openai/error.ts';
import { openaiChat } from '../openai-chat/dialect.ts';
import { readChat } from '../openai-chat/read.ts';
import { refuseChat } from '../openai-chat/validate.ts';
import type { Ask, Reply } from '../request/ask.ts';
import { type Json, records } from '../request/json.ts';
import { framesOf, plainOf } from './answer.ts';
import type { Quirks } from './quirks.ts';

/** A vendor that imitates Chat Completions, with its own names, refusals and ends of streams. */
export function compatibleChat(quirks: Quirks): Dialect {
  return {
    ...openaiChat,
    examine: (request) => examine(request, quirks),
    plain: (plan) => plainOf(plan, quirks),
    frames: (plan) => framesOf(plan, quirks),
    framing: () => (quirks.streamComments === true ? WITH_COMMENTS : LINE_FEED_EVENTS),
  };
}

const WITH_COMMENTS: Framing = {
  ...LINE_FEED_EVENTS,
  write: (frame, index) =>
    (index === 0 ? ': PROCESSING\n\n: PROCESSING\n\n' : '') + LINE_FEED_EVENTS.write(frame, index),
};

export function compatibleModels({ models }: Quirks): Reply {
  const data = models.map((id) => ({ id, object: 'model', owned_by: 'vendor' }));
  return {
    ...{ kind: 'reply', status: 200, headers: openaiHeaders() },
    body: JSON.stringify({ object: 'list', data }),
  };
}

function examine(request: VendorRequest, quirks: Quirks): Ask | Reply {
  const body = readBody(request.body);
  if ('kind' in body) return body;
  const name = String(body.value.model);
  if (!quirks.models.includes(name)) {
    return openaiError(404, { message: `The model \`${name}\` does not exist.`, code: 'model_not_found' });
  }
  const refusal = refuseQuirks(body.value, quirks) ?? refuseChat(body.value, modelOf(name, 'chat'));
  if (refusal !== undefined) return refusal;
  const thinks = quirks.reasoning !== undefined && quirks.reasoning !== 'none';
  const ask = readChat(body.value, modelOf(name, thinks ? 'reasoning' : 'chat'), request.key);
  return { ...ask, thoughts: 'shown' };
}

/** What a simple imitation of Chat Completions knows. */
const KNOWN_FIELDS = [
  ...['model', 'messages', 'max_tokens', 'stream', 'stream_options', 'temperature', 'top_p', 'stop', 'n'],
  ...['tools', 'tool_choice', 'parallel_tool_calls', 'response_format', 'seed', 'random_seed'],
  ...['presence_penalty', 'frequency_penalty'],
];

function refuseQuirks(body: Json, { refuses = [] }: Quirks): Reply | undefined {
  const fields = Object.keys(body).filter((name) => body[name] !== null);
  const refused = fields.find((name) => refuses.includes(name));
  if (refused !== undefined) return openaiError(400, { message: `property '${refused}' is unsupported` });
  const roles = records(body.messages).map(({ role }) => role);
  if (refuses.includes('developer_role') && roles.includes('developer')) {
    return openaiError(400, { message: 'unknown variant `developer`, expected one of `system`, `user`' });
  }
  const strange = fields.find((name) => !KNOWN_FIELDS.includes(name));
  if (!refuses.includes('unknown_fields') || strange === undefined) return undefined;
  return openaiError(422, { message: `Extra inputs are not permitted: ${strange}`, code: 'extra_forbidden' });
}

function modelOf(name: string, kind: 'chat' | 'reasoning'): OpenaiModel {
  return {
    ...{ vendor: 'openai', kind, name, snapshot: name, contextTokens: 1_000_000, outputTokensMax: 128_000 },
    ...{ efforts: ['low', 'medium', 'high'], chatTools: 'with-reasoning' },
  };
}
