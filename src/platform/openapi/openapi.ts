import { VERSION } from '../../kernel/version.ts';
import { FAILURES, type FailureName } from '../../operations/failure.ts';
import type { Operation } from '../../operations/operation.ts';
import type { TSchema } from '../../operations/schema.ts';
import { failureEnvelope } from '../http/envelope.ts';
import { endpointPath } from '../http/router.ts';
import type { Node, OpenApiDocument, OpenApiOperation, Parameter, Response } from './openapi-form.ts';
import { GATEWAY_PATHS, GATEWAY_RESPONSES, GATEWAY_SCHEMAS, GATEWAY_TAGS } from './openapi-gateway.ts';

/** OpenAPI 3.1 of all paths of this server, from the rows that also route and validate. */
export function createDocument(rows: readonly Operation[]): OpenApiDocument {
  const failures = new FailureResponses();
  const paths: Record<string, Record<string, OpenApiOperation>> = {};
  for (const row of rows) {
    const path = endpointPath(row).replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [row.method.toLowerCase()]: toOperation(row, failures) };
  }
  return {
    openapi: '3.1.1',
    info: INFO,
    servers: [{ url: '/', description: 'This server' }],
    tags: [...GATEWAY_TAGS, ...toTags(rows)],
    'x-tagGroups': toTagGroups(rows),
    paths: { ...GATEWAY_PATHS, ...paths },
    components: {
      securitySchemes: SECURITY_SCHEMES,
      schemas: { ...GATEWAY_SCHEMAS, Failure: FAILURE_SCHEMA },
      responses: { ...GATEWAY_RESPONSES, ...failures.all() },
    },
  };
}

const INFO: Node = {
  title: 'Tollgate',
  version: VERSION,
  summary: 'A unified large-model gateway and its account platform.',
  description: [
    'The gateway serves the protocols of the vendors at one address and with one API key.',
    'Its own errors have `error.type` `gateway_error` and a code; all others come from the vendor.',
    'The platform answers with an envelope: `code` is 0 on success and the HTTP status mirrors a failure.',
    'Amounts are decimal strings; times are `YYYY-MM-DD hh:mm:ss` in the time zone of the server.',
  ].join(' '),
  license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
};

const SECURITY_SCHEMES: Node = {
  login: {
    type: 'http',
    scheme: 'bearer',
    description: 'The `access_token` of a login. An API key is not valid here.',
  },
  console: {
    type: 'apiKey',
    in: 'cookie',
    name: 'tollgate_session',
    description: 'The login of the console. Writes also send `x-csrf-token`.',
  },
  apiKey: { type: 'http', scheme: 'bearer', description: 'An API key of an account (`tg-…`).' },
};

const FAILURE_SCHEMA: Node = {
  type: 'object',
  required: ['code', 'message', 'data', 'error'],
  properties: {
    code: { type: 'integer', description: 'Not 0; it names the kind of failure.' },
    message: { type: 'string', description: 'What is wrong, naming the parameter.' },
    data: { type: 'null' },
    error: {
      type: 'object',
      description: 'Code and message again, where the SDKs of vendors read them.',
      required: ['type', 'code', 'message'],
      properties: {
        type: { type: 'string', const: 'gateway_error' },
        code: { type: 'string' },
        message: { type: 'string' },
      },
    },
  },
};

function toTags(rows: readonly Operation[]): OpenApiDocument['tags'] {
  const counts = new Map<string, number>();
  for (const { tag } of rows) counts.set(tag, (counts.get(tag) ?? 0) + 1);
  return [...counts].map(([name, count]) => ({
    name,
    description: `${count} ${count === 1 ? 'operation' : 'operations'}.`,
  }));
}

function toTagGroups(rows: readonly Operation[]): readonly Node[] {
  const tagsFor = (surfaces: readonly Operation['surface'][]) => [
    ...new Set(rows.filter(({ surface }) => surfaces.includes(surface)).map(({ tag }) => tag)),
  ];
  return [
    { name: 'Gateway', tags: GATEWAY_TAGS.map(({ name }) => name) },
    { name: 'Platform', tags: tagsFor(['auth', 'user']) },
    { name: 'Operators', tags: tagsFor(['admin']) },
  ];
}

function toOperation(row: Operation, failures: FailureResponses): OpenApiOperation {
  const parameters = toParameters(row);
  return {
    operationId: row.id,
    tags: [row.tag],
    summary: row.title,
    description: row.summary,
    security: toSecurity(row),
    ...(parameters.length > 0 && { parameters }),
    ...toRequestBody(row),
    responses: { 200: toSuccessResponse(row), ...failures.of(failureNames(row)) },
  };
}

function toRequestBody({ body, example }: Operation): Pick<OpenApiOperation, 'requestBody'> {
  if (body === undefined) return {};
  const required = (body.required ?? []).length > 0;
  const media = { schema: body, example: example.body };
  return { requestBody: { required, content: { 'application/json': media } } };
}

/** A row with optional access also allows no login. */
function toSecurity({ access }: Operation): readonly Node[] {
  const logins = [{ login: [] }, { console: [] }];
  if (access === 'public') return [];
  return access === 'optional' ? [...logins, {}] : logins;
}

function toParameters({ params, query, path }: Operation): Parameter[] {
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
  const inPath = names.map((name) => ({
    ...describe(params?.properties[name] ?? { type: 'string' }),
    ...({ name, in: 'path', required: true } as const),
  }));
  const required = new Set<string>(query?.required ?? []);
  const inQuery = Object.entries(query?.properties ?? {}).map(([name, schema]) => ({
    ...describe(schema),
    ...({ name, in: 'query', required: required.has(name) } as const),
    // `ids=1,2`: one text, whose parts are separated by commas.
    ...(schema.type === 'array' && { style: 'form', explode: false }),
  }));
  return [...inPath, ...inQuery];
}

function describe(schema: TSchema): { schema: TSchema; description?: string } {
  const { description } = schema;
  return description === undefined ? { schema } : { schema, description };
}

function toSuccessResponse(row: Operation): Response {
  if (row.file !== undefined) {
    const content = { [row.file]: { schema: row.data, example: row.example.data } };
    return { description: row.events ? 'The stream of events.' : 'The file.', content };
  }
  const { schema, example } = toEnvelope(row);
  return { description: 'Done.', content: { 'application/json': { schema, example } } };
}

function toEnvelope({ data, paged, example }: Operation): { schema: Node; example: Node } {
  const count = (minimum: number): Node => ({ type: 'integer', minimum });
  const properties: Record<string, unknown> = {
    code: { type: 'integer', const: 0 },
    message: { type: 'string', const: 'ok' },
    data,
    ...(paged && { total: count(0), page: count(1), size: count(1) }),
  };
  return {
    schema: { type: 'object', required: Object.keys(properties), properties },
    example: {
      ...{ code: 0, message: 'ok', data: example.data },
      ...(paged && { total: Array.isArray(example.data) ? example.data.length : 0, page: 1, size: 20 }),
    },
  };
}

/** The failures that follow from the kind of row, and those that it names. */
export function failureNames(row: Operation): readonly FailureName[] {
  // The query of any row may be malformed.
  const names = new Set<FailureName>(['badParameter', ...(row.fails ?? [])]);
  const isWrite = row.method !== 'GET';
  if (row.params !== undefined) names.add('notFound');
  if (row.body !== undefined) names.add('bodyTooLarge');
  if (row.access === 'user' || row.access === 'operator') names.add('notLoggedIn');
  if (row.access === 'operator' || (row.access === 'user' && isWrite)) names.add('notAllowed');
  names.add('internal').add('busy').add('unavailable');
  return [...names];
}

/** One response per set of failures with the same status. Rows refer to them. */
class FailureResponses {
  readonly #responses = new Map<string, Response>();

  of(names: readonly FailureName[]): OpenApiOperation['responses'] {
    const byStatus = new Map<number, FailureName[]>();
    for (const name of names) {
      const { status } = FAILURES[name];
      byStatus.set(status, [...(byStatus.get(status) ?? []), name]);
    }
    const statuses = [...byStatus].sort(([one], [other]) => one - other);
    return Object.fromEntries(statuses.map(([status, same]) => [status, { $ref: this.#refer(same) }]));
  }

  all(): Readonly<Record<string, Response>> {
    return Object.fromEntries([...this.#responses].sort(([one], [other]) => (one < other ? -1 : 1)));
  }

  #refer(names: readonly FailureName[]): string {
    const sorted = [...names].sort();
    const key = sorted.join('-');
    this.#responses.set(key, failureResponse(sorted));
    return `#/components/responses/${key}`;
  }
}

function failureResponse(names: readonly FailureName[]): Response {
  const examples = names.map((name) => {
    const { code, message } = FAILURES[name];
    return [name, { value: failureEnvelope(code, message) }];
  });
  return {
    description: names.map((name) => `${FAILURES[name].message} (${FAILURES[name].code}).`).join(' '),
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/Failure' },
        examples: Object.fromEntries(examples),
      },
    },
  };
}
