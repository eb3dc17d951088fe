import { ERRORS, type ErrorRow } from '../../kernel/errors.ts';
import type { GatewayRow } from './gateway-row.ts';
import type { Node, OpenApiDocument, OpenApiOperation, Parameter, Response } from './openapi-form.ts';
import { GATEWAY_ROWS } from './openapi-gateway-rows.ts';

export const GATEWAY_SCHEMAS: Readonly<Record<string, Node>> = {
  GatewayError: {
    type: 'object',
    description: 'An error of the gateway. Errors of the vendor pass through unchanged.',
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

/** Errors of a wrong address or method, which no documented request meets. */
const MISDIRECTED: ReadonlySet<ErrorRow> = new Set([
  ERRORS.pathUnknown,
  ERRORS.methodNotAllowed,
  ERRORS.webSocketUnserved,
]);
const KNOWN = Object.values(ERRORS).filter((error) => !MISDIRECTED.has(error));

/** One response per status, with every error that has it. */
export const GATEWAY_RESPONSES: Readonly<Record<string, Response>> = {
  ...Object.fromEntries(
    [...Map.groupBy(KNOWN, ({ status }) => status)].map(([status, errors]) => [
      `gateway-${status}`,
      toErrorResponse(errors),
    ]),
  ),
  'gateway-unknown-id': {
    description: 'There is no object with this id, in the vendor’s error format.',
    content: { 'application/json': { schema: { type: 'object' } } },
  },
  'gateway-method': toErrorResponse([ERRORS.pathUnknown]),
};

const refer = (status: number, name = `gateway-${status}`): OpenApiOperation['responses'] => ({
  [status]: { $ref: `#/components/responses/${name}` },
});
const referAll = (statuses: Iterable<number>): OpenApiOperation['responses'] =>
  Object.assign({}, ...[...new Set(statuses)].map((status) => refer(status)));
const CALL_ERRORS = referAll(KNOWN.map(({ status }) => status));
const READ_ERRORS = referAll([400, 401, 500, 503]);
/** Of what a vendor is asked for. */
const ASKED_ERRORS = referAll([400, 401, 429, 500, 502, 503, 504]);

const IN_PATH: Readonly<Record<string, string>> = {
  model: 'A `model_id` of the catalogue.',
  id: 'The id of the response or video.',
};

/** `model` may be left out here. */
const HAS_DEFAULT_MODEL: ReadonlySet<string> = new Set(['/v1/moderations']);

export const GATEWAY_PATHS: OpenApiDocument['paths'] = Object.fromEntries(
  [...Map.groupBy(GATEWAY_ROWS, ({ path }) => path)].map(([path, rows]) => [
    path,
    Object.fromEntries(rows.map((row) => [row.method, toOperation(row)])),
  ]),
);

function toOperation(row: GatewayRow): OpenApiOperation {
  const { id, tag, title, of, note = '' } = row;
  const parameters = toParameters(row);
  const protocol = of === undefined ? '' : `Request and answer are those of ${of}’s API.`;
  return {
    operationId: id,
    tags: [tag],
    summary: title,
    description: `${protocol} ${note}`.trim(),
    security: of === undefined ? [] : [{ apiKey: [] }],
    ...(parameters.length > 0 && { parameters }),
    ...toRequestBody(row),
    responses: { 200: toSuccessResponse(row), ...errorsFor(row) },
  };
}

function toParameters({ path, query = {} }: GatewayRow): Parameter[] {
  const schema = { type: 'string' };
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => {
    const description = IN_PATH[name] ?? name;
    return { name, in: 'path', required: true, schema, description } as const;
  });
  const inQuery = Object.entries(query).map(
    ([name, description]) => ({ name, in: 'query', required: false, schema, description }) as const,
  );
  return [...inPath, ...inQuery];
}

function toRequestBody({ path, body, example, form }: GatewayRow): Pick<OpenApiOperation, 'requestBody'> {
  if (form !== undefined) {
    return { requestBody: { required: true, content: { 'multipart/form-data': { schema: form } } } };
  }
  if (body === undefined) return {};
  const optional = HAS_DEFAULT_MODEL.has(path) ? ['stream', 'model'] : ['stream'];
  const required = Object.keys(body).filter((name) => !optional.includes(name));
  const schema = { type: 'object', required, properties: body };
  return { requestBody: { required: true, content: { 'application/json': { schema, example } } } };
}

function errorsFor({ method, of, path, tag }: GatewayRow): OpenApiOperation['responses'] {
  if (path === '/readyz')
    return { 503: toTextResponse('Why calls cannot be served.'), ...refer(404, 'gateway-method') };
  if (of === undefined) return refer(404, 'gateway-method');
  if (method === 'post') return CALL_ERRORS;
  const errors = tag === 'Videos' ? ASKED_ERRORS : READ_ERRORS;
  return path.includes('{') ? { ...errors, ...refer(404, 'gateway-unknown-id') } : errors;
}

function toTextResponse(description: string): Response {
  return { description, content: { 'text/plain; charset=utf-8': { schema: { type: 'string' } } } };
}

function toSuccessResponse({ streams, of, type = 'application/json' }: GatewayRow): Response {
  const schema = { type: type === 'application/json' ? 'object' : 'string' };
  return {
    description: of === undefined ? 'The current state.' : 'The answer of the vendor.',
    content: {
      [type]: { schema },
      ...(streams && { 'text/event-stream': { schema: { type: 'string' } } }),
    },
  };
}

function toErrorResponse(errors: readonly ErrorRow[]): Response {
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
