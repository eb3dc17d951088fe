import { printType } from './client-types.ts';
import type { OpenApiDocument, OpenApiOperation, Parameter } from './openapi-form.ts';

/**
 * A typed client of the platform as one TypeScript file, from the OpenAPI document: every operation is a name
 * with the types of its input and output. It imports nothing and uses the `fetch` it is given.
 */
export function printClient(document: OpenApiDocument): string {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
  const platform = operations.filter(({ path }) => path.startsWith('/api/'));
  const types = platform.map(({ operation }) => printTypes(operation));
  const routes = platform.map(
    ({ path, method, operation }) =>
      `  ${JSON.stringify(operation.operationId)}: [${JSON.stringify(method)}, ${JSON.stringify(path)}],`,
  );
  return [
    '// Written by `npm run client` from the table of endpoints. Change the rows, not this file.',
    '',
    'export interface Operations {',
    ...types,
    '}',
    '',
    'const ROUTES: Readonly<Record<keyof Operations, readonly [method: string, path: string]>> = {',
    ...routes,
    '};',
    RUNTIME,
  ].join('\n');
}

function printTypes(operation: OpenApiOperation): string {
  const { operationId, description = '', parameters = [], requestBody } = operation;
  const input = [
    ...printParameters('params', 'path', parameters),
    ...printParameters('query', 'query', parameters),
    ...printBody(requestBody),
  ];
  return [
    `  /** ${description.replaceAll('*/', '* /')} */`,
    `  ${JSON.stringify(operationId)}: {`,
    `    readonly input: { ${input.join('; ')} };`,
    `    readonly output: ${printOutput(operation)};`,
    '  };',
  ].join('\n');
}

function printParameters(field: string, place: Parameter['in'], parameters: readonly Parameter[]): string[] {
  const own = parameters.filter((parameter) => parameter.in === place);
  if (own.length === 0) return [];
  const isNeeded = own.some(({ required }) => required);
  const fields = own.map(
    ({ name, required, schema }) =>
      `readonly ${JSON.stringify(name)}${required ? '' : '?'}: ${printType(schema)}`,
  );
  return [`readonly ${field}${isNeeded ? '' : '?'}: { ${fields.join('; ')} }`];
}

function printBody(body: OpenApiOperation['requestBody']): string[] {
  const schema = body?.content['application/json']?.schema;
  if (schema === undefined) return [];
  return [`readonly body${body?.required === true ? '' : '?'}: ${printType(schema)}`];
}

/** The output of an operation: the envelope without its constant fields, or a file. */
function printOutput({ responses }: OpenApiOperation): string {
  const success = responses['200'];
  if (success === undefined || '$ref' in success) return 'never';
  const schema = (success as { content: Record<string, { schema: object }> }).content['application/json']
    ?.schema;
  const { properties } = (schema ?? {}) as { properties?: Readonly<Record<string, object>> };
  if (properties === undefined) return "{ readonly kind: 'file' }";
  const paged =
    'total' in properties ? '; readonly total: number; readonly page: number; readonly size: number' : '';
  return `{ readonly data: ${printType(properties.data ?? {})}${paged} }`;
}

/** The part of the client that is the same for every table. */
const RUNTIME = `
export interface Failed {
  readonly ok: false;
  readonly status: number;
  readonly code: number;
  readonly message: string;
  readonly requestId: string;
  /** How long to wait before another try, where the server says so. */
  readonly retryAfterMs?: number;
}

export type Result<Name extends keyof Operations> = ({ readonly ok: true } & Operations[Name]['output']) | Failed;

export interface ClientOptions {
  /** \`https://gateway.example\`, without a slash at its end. Empty for the server of the page. */
  readonly url: string;
  readonly fetch: typeof globalThis.fetch;
  /** Called for every request: the token of the login, or the console's \`x-csrf-token\`. */
  readonly headers?: () => Readonly<Record<string, string>>;
}

type Input = {
  readonly params?: object;
  readonly query?: object;
  readonly body?: unknown;
};

/** The URL of an operation. For files it can also be used in a link. */
export function addressOf<Name extends keyof Operations>(
  name: Name,
  input: Operations[Name]['input'],
): string {
  const { params = {}, query = {} } = input as Input;
  let path = ROUTES[name][1];
  for (const [key, value] of Object.entries(params)) {
    path = path.replace(\`{\${key}}\`, encodeURIComponent(String(value)));
  }
  const asked = Object.entries(query).filter(([, value]) => value !== undefined);
  const text = asked.map(([key, value]) => \`\${key}=\${encodeURIComponent(String(value))}\`).join('&');
  return text === '' ? path : \`\${path}?\${text}\`;
}

export function createClient({ url, fetch, headers = () => ({}) }: ClientOptions) {
  return async <Name extends keyof Operations>(
    name: Name,
    input: Operations[Name]['input'],
  ): Promise<Result<Name>> => {
    const { body } = input as Input;
    const response = await fetch(url + addressOf(name, input), {
      method: ROUTES[name][0],
      credentials: 'same-origin',
      headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers() },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const { code, message, ...rest } = (await response.json()) as { code: number; message: string };
    if (code !== 0) {
      const wait = Number(response.headers.get('retry-after') ?? Number.NaN) * 1000;
      const retryAfterMs = Number.isFinite(wait) ? { retryAfterMs: wait } : {};
      const requestId = response.headers.get('x-request-id') ?? '';
      return { ok: false, status: response.status, code, message, requestId, ...retryAfterMs };
    }
    return { ok: true, ...rest } as unknown as Result<Name>;
  };
}
`;
