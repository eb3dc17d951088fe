import { ENDPOINT_ROWS, ENDPOINT_TAGS, type EndpointDocument } from '../../gateway/endpoints/contract.ts';
import { ERRORS, type ErrorRow } from '../../kernel/errors.ts';
import type { Node, OpenApiDocument, OpenApiOperation, Parameter, Response } from './openapi-form.ts';
import { SERVER_ROWS, SERVER_TAG, type ServerRow } from './openapi-server-rows.ts';

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

export const GATEWAY_TAGS = [...ENDPOINT_TAGS, SERVER_TAG] as const;

/** An endpoint as the document shows it. */
interface Documented extends EndpointDocument {
  readonly id: string;
  readonly method: string;
  readonly path: string;
}

const DOCUMENTED: readonly Documented[] = ENDPOINT_ROWS.flatMap(([id, { method, path, document }]) =>
  document === undefined ? [] : [{ ...document, id, method: method.toLowerCase(), path }],
);

/** The paths of the server besides the rows of the platform. */
export const GATEWAY_PATHS: OpenApiDocument['paths'] = {
  ...Object.fromEntries(
    [...Map.groupBy(DOCUMENTED, ({ path }) => path)].map(([path, rows]) => [
      path,
      Object.fromEntries(rows.map((row) => [row.method, toOperation(row)])),
    ]),
  ),
  ...Object.fromEntries(SERVER_ROWS.map((row) => [row.path, { get: toServerOperation(row) }])),
};

function toOperation(row: Documented): OpenApiOperation {
  const { id, tag, title, of, note = '' } = row;
  const parameters = toParameters(row);
  return {
    operationId: id,
    tags: [tag],
    summary: title,
    description: `Request and answer are those of ${of}’s API. ${note}`.trim(),
    security: [{ apiKey: [] }],
    ...(parameters.length > 0 && { parameters }),
    ...toRequestBody(row),
    responses: { 200: toSuccessResponse('The answer of the vendor.', row), ...errorsFor(row) },
  };
}

function toServerOperation(row: ServerRow): OpenApiOperation {
  const { path, id, title, note } = row;
  const unready = path === '/readyz' ? { 503: toTextResponse('Why calls cannot be served.') } : {};
  return {
    operationId: id,
    tags: [SERVER_TAG.name],
    summary: title,
    description: note,
    security: [],
    responses: {
      200: toSuccessResponse('The current state.', row),
      ...unready,
      ...refer(404, 'gateway-method'),
    },
  };
}

function toParameters({ path, query = {} }: Documented): Parameter[] {
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

function toRequestBody({ body, optional, example, form }: Documented): Pick<OpenApiOperation, 'requestBody'> {
  if (form !== undefined) {
    return { requestBody: { required: true, content: { 'multipart/form-data': { schema: form } } } };
  }
  if (body === undefined) return {};
  const required = Object.keys(body).filter((name) => name !== 'stream' && name !== optional);
  const schema = { type: 'object', required, properties: body };
  return { requestBody: { required: true, content: { 'application/json': { schema, example } } } };
}

function errorsFor({ method, path, tag }: Documented): OpenApiOperation['responses'] {
  if (method === 'post') return CALL_ERRORS;
  const errors = tag === 'Videos' ? ASKED_ERRORS : READ_ERRORS;
  return path.includes('{') ? { ...errors, ...refer(404, 'gateway-unknown-id') } : errors;
}

function toTextResponse(description: string): Response {
  return { description, content: { 'text/plain; charset=utf-8': { schema: { type: 'string' } } } };
}

function toSuccessResponse(
  description: string,
  { streams, type = 'application/json' }: Pick<EndpointDocument, 'streams' | 'type'>,
): Response {
  const schema = { type: type === 'application/json' ? 'object' : 'string' };
  return {
    description,
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
