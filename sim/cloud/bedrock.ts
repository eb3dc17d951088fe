import type { Framing } from '../answer/frame.ts';
import type { Reply } from '../request/ask.ts';
import { awsError, refuseAws } from './aws-identity.ts';
import { chunkFrame, exceptionFrame } from './event-frame.ts';
import { type Cloud, type CloudWorld, readMembers, type Visit, type Visitor, type Wire } from './visit.ts';

const INVOKE = /^\/bedrock\/model\/([^/]{1,300})\/(invoke|invoke-with-response-stream)$/;
const CHAT = '/bedrock/openai/v1/chat/completions';

/** AWS Bedrock: Claude by InvokeModel, models of OpenAI by its endpoint in their form. */
export const bedrock: Cloud = (visitor, world) => {
  const refused = refuseAws(visitor, world, 'bedrock');
  if (refused !== undefined) return refused;
  const { url, method } = visitor;
  if (method === 'POST' && url.pathname === CHAT) return chat(visitor, world);
  const match = INVOKE.exec(url.pathname);
  if (method !== 'POST' || match === null)
    return awsError(404, 'UnknownOperationException', 'Unknown operation');
  const [, model = '', operation] = match;
  return invoke(visitor, world, {
    model: decodeURIComponent(model),
    stream: operation === 'invoke-with-response-stream',
  });
};

/** `us.anthropic.claude-sonnet-4-5-20250929-v1:0`: region, maker, name and version. */
function toModel(id: string): string {
  return id.replace(/^(?:[a-z]{2,6}\.)?(?:anthropic|openai)\./, '').replace(/-v\d+:\d+$/, '');
}

function invoke(
  visitor: Visitor,
  world: CloudWorld,
  { model, stream }: { readonly model: string; readonly stream: boolean },
): Visit | Reply {
  const members = readMembers(visitor.body);
  if (members === undefined) return validation('Malformed input request, please reformat your input.');
  const { anthropic_version: version, anthropic_beta: betas, ...rest } = members;
  if (version !== 'bedrock-2023-05-31') return validation('anthropic_version: Field required');
  for (const name of ['model', 'stream']) {
    if (name in rest) return validation(`${name}: Extra inputs are not permitted`);
  }
  if (visitor.headers['anthropic-beta'] !== undefined) return validation('betas belong into the body');
  const body = { ...rest, model: toModel(model), ...(stream ? { stream } : {}) };
  return {
    kind: 'visit',
    method: 'POST',
    url: new URL('/v1/messages', visitor.url),
    headers: {
      ...visitor.headers,
      'anthropic-version': '2023-06-01',
      'x-api-key': world.keys.anthropic,
      ...(Array.isArray(betas) ? { 'anthropic-beta': betas.join(',') } : {}),
    },
    body: Buffer.from(JSON.stringify(body)),
    ...(stream ? { wire: WIRE } : {}),
    refuse: toAwsError,
  };
}

function chat(visitor: Visitor, world: CloudWorld): Visit | Reply {
  const members = readMembers(visitor.body);
  if (members === undefined) return validation('Malformed input request, please reformat your input.');
  return {
    kind: 'visit',
    method: 'POST',
    url: new URL('/v1/chat/completions', visitor.url),
    headers: { ...visitor.headers, authorization: `Bearer ${world.keys.openai}` },
    body: Buffer.from(JSON.stringify({ ...members, model: toModel(String(members.model)) })),
  };
}

const EVENT_STREAM: Framing = {
  contentType: 'application/vnd.amazon.eventstream',
  lineEnd: '',
  write: ({ data }) => data,
  tail: '',
};

/** An error inside of a stream is an exception of AWS, and nothing of its event is left. */
const WIRE: Wire = {
  framing: EVENT_STREAM,
  encoder: (text) => {
    const event = readMembers(Buffer.from(text));
    if (event?.type !== 'error') return [chunkFrame(text)];
    const { message } = event.error as { readonly message: string };
    return [exceptionFrame('internalServerException', message)];
  },
};

const TYPES: Readonly<Record<number, string>> = {
  400: 'ValidationException',
  403: 'AccessDeniedException',
  404: 'ResourceNotFoundException',
  429: 'ThrottlingException',
  503: 'ServiceUnavailableException',
};

function toAwsError(reply: Reply): Reply {
  const error = readMembers(Buffer.from(reply.body))?.error as { readonly message?: string } | undefined;
  return awsError(
    reply.status,
    TYPES[reply.status] ?? 'InternalServerException',
    error?.message ?? reply.body,
  );
}

function validation(message: string): Reply {
  return awsError(400, 'ValidationException', message);
}
