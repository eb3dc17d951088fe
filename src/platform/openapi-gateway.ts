import { ERRORS, type ErrorRow } from '../kernel/errors.ts';
import type { Node, OpenApiDocument, Operation, Response } from './openapi-form.ts';

/**
 * The gateway's own paths, shortly: what stands in their bodies is the vendors' to say, and passes through.
 * A test holds this list against the paths that the gateway matches.
 */
interface GatewayPath {
  readonly method: 'get' | 'post' | 'delete';
  readonly path: string;
  readonly id: string;
  readonly summary: string;
  /** The vendor whose protocol it is. */
  readonly of: string;
  readonly example?: Node;
  /** Answers with a stream of events when `stream` is set, or always. */
  readonly streams?: true;
}

export const GATEWAY_TAGS = [
  {
    name: 'Gateway',
    description: 'Calls of models in the protocols of the vendors. `model` is a platform `model_id`.',
  },
] as const;

const MESSAGE = { role: 'user', content: 'Hello' };

const ROWS: readonly GatewayPath[] = [
  {
    ...{ method: 'post', path: '/v1/chat/completions', id: 'gateway.chat', of: 'OpenAI', streams: true },
    summary: 'Call a model in the shape of Chat Completions.',
    example: { model: 'gpt-5', messages: [MESSAGE] },
  },
  {
    ...{ method: 'post', path: '/v1/responses', id: 'gateway.responses', of: 'OpenAI', streams: true },
    summary: 'Call a model in the shape of Responses.',
    example: { model: 'gpt-5', input: 'Hello' },
  },
  {
    ...{ method: 'post', path: '/v1/messages', id: 'gateway.messages', of: 'Anthropic', streams: true },
    summary: 'Call a model in the shape of Messages.',
    example: { model: 'claude-sonnet-5', max_tokens: 256, messages: [MESSAGE] },
  },
  {
    ...{ method: 'post', path: '/v1beta/models/{model}:generateContent', id: 'gateway.generateContent' },
    ...{ of: 'Google', summary: 'Call a model in the shape of generateContent.' },
    example: { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] },
  },
  {
    ...{ method: 'post', path: '/v1beta/models/{model}:streamGenerateContent', id: 'gateway.streamContent' },
    ...{ of: 'Google', summary: 'The same, as a stream of events with `alt=sse`.', streams: true },
    example: { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] },
  },
  {
    ...{ method: 'post', path: '/v1/images/generations', id: 'gateway.images', of: 'OpenAI', streams: true },
    summary: 'Generate images.',
    example: { model: 'gpt-image-1', prompt: 'A toll gate in the mountains' },
  },
  {
    ...{ method: 'post', path: '/v1/messages/count_tokens', id: 'gateway.countMessages', of: 'Anthropic' },
    summary: 'How many tokens a request in the shape of Messages has; it costs nothing.',
    example: { model: 'claude-sonnet-5', messages: [MESSAGE] },
  },
  {
    ...{ method: 'post', path: '/v1beta/models/{model}:countTokens', id: 'gateway.countContent' },
    ...{ of: 'Google', summary: 'How many tokens a request has; it costs nothing.' },
    example: { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] },
  },
  {
    ...{ method: 'get', path: '/v1/models', id: 'gateway.models', of: 'OpenAI' },
    summary: 'The models of this key, in the shape that the asking client knows.',
  },
  {
    ...{ method: 'get', path: '/v1beta/models', id: 'gateway.modelsOfGoogle', of: 'Google' },
    summary: 'The models of this key, for clients of Google.',
  },
];

export const GATEWAY_SCHEMAS: Readonly<Record<string, Node>> = {
  GatewayError: {
    type: 'object',
    description: 'An error of the gateway itself; one of the vendor passes through unchanged.',
    required: ['code', 'message', 'error'],
    properties: {
      code: { type: 'integer', description: 'Five digits; the first three are the HTTP status.' },
      message: { type: 'string' },
      error: {
        type: 'object',
        required: ['type', 'code', 'message'],
        properties: {
          type: { type: 'string', const: 'gateway_error' },
          code: { type: 'string' },
          message: { type: 'string' },
        },
      },
    },
  },
};

const KNOWN = Object.values(ERRORS).filter(
  (error) => error !== ERRORS.pathUnknown && error !== ERRORS.methodNotAllowed,
);

/** One response per status, with every error that has it. */
export const GATEWAY_RESPONSES: Readonly<Record<string, Response>> = Object.fromEntries(
  [...Map.groupBy(KNOWN, ({ status }) => status)].map(([status, errors]) => [
    `gateway-${status}`,
    errorsOf(errors),
  ]),
);

const refer = (status: number): readonly [string, { readonly $ref: string }] => [
  String(status),
  { $ref: `#/components/responses/gateway-${status}` },
];
const CALL_ERRORS = Object.fromEntries([...new Set(KNOWN.map(({ status }) => status))].map(refer));
const READ_ERRORS = Object.fromEntries([400, 401, 500, 503].map(refer));

export const GATEWAY_PATHS: OpenApiDocument['paths'] = Object.fromEntries(
  ROWS.map((row) => [row.path, { [row.method]: operationOf(row) }]),
);

function operationOf(row: GatewayPath): Operation {
  const names = [...row.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const parameters = names.map((name) => ({
    ...({ name, in: 'path', required: true } as const),
    schema: { type: 'string' },
    description: 'A platform `model_id`.',
  }));
  return {
    operationId: row.id,
    tags: ['Gateway'],
    summary: row.summary,
    description: `Body and answer are those of ${row.of}’s own API.`,
    security: [{ apiKey: [] }],
    ...(parameters.length > 0 && { parameters }),
    ...(row.example && {
      requestBody: {
        required: true,
        content: { 'application/json': { schema: { type: 'object' }, example: row.example } },
      },
    }),
    responses: { 200: successOf(row), ...(row.method === 'post' ? CALL_ERRORS : READ_ERRORS) },
  };
}

function successOf({ streams }: GatewayPath): Response {
  return {
    description: 'As the vendor answers.',
    content: {
      'application/json': { schema: { type: 'object' } },
      ...(streams && { 'text/event-stream': { schema: { type: 'string' } } }),
    },
  };
}

function errorsOf(errors: readonly ErrorRow[]): Response {
  const examples = errors.map(({ code, message }) => {
    const error = { type: 'gateway_error', code: String(code), message };
    return [String(code), { value: { code, message, error } }];
  });
  return {
    description: errors.map(({ code, when }) => `${code}: ${when}`).join(' '),
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/GatewayError' },
        examples: Object.fromEntries(examples),
      },
    },
  };
}
