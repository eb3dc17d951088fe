import type { Reply } from '../request/ask.ts';
import { GOOGLE } from './state.ts';
import {
  bearerOf,
  type Cloud,
  type CloudWorld,
  jsonReply,
  readMembers,
  type Visit,
  type Visitor,
} from './visit.ts';

const CALL =
  /^\/vertex\/v1\/projects\/([^/]{1,100})\/locations\/([^/]{1,50})\/publishers\/(google|anthropic)\/models\/([^/:]{1,200}):([A-Za-z]{1,40})$/;

const LIST = /^\/vertex\/v1beta1\/publishers\/(google|anthropic)\/models$/;
const LISTED: Readonly<Record<string, readonly string[]>> = {
  google: ['gemini-2.5-flash', 'gemini-2.5-pro', 'imagen-4.0-generate-001'],
  anthropic: ['claude-opus-5', 'claude-sonnet-4-5'],
};

function modelList(publisher: string): Reply {
  const names = LISTED[publisher] ?? [];
  const rows = names.map((name) => ({
    name: `publishers/${publisher}/models/${name}`,
    versionId: 'default',
  }));
  return jsonReply(200, { publisherModels: rows });
}

/** Google Vertex: Gemini by generateContent, Claude by rawPredict. */
export const vertex: Cloud = (visitor, world) => {
  if (!world.clouds.isToken(bearerOf(visitor))) {
    const message = 'Request had invalid authentication credentials. Expected OAuth 2 access token.';
    return googleError(401, 'UNAUTHENTICATED', message);
  }
  const [, maker] = LIST.exec(visitor.url.pathname) ?? [];
  if (maker !== undefined && visitor.method === 'GET') return modelList(maker);
  const match = CALL.exec(visitor.url.pathname);
  const [, project, location, publisher, model = '', method = ''] = match ?? [];
  if (match === null || visitor.method !== 'POST' || location !== GOOGLE.location) {
    return googleError(404, 'NOT_FOUND', 'The requested URL was not found on this server.');
  }
  if (project !== GOOGLE.project)
    return googleError(403, 'PERMISSION_DENIED', `Permission denied on ${project}.`);
  const name = decodeURIComponent(model);
  return publisher === 'google'
    ? gemini(visitor, world, `${name}:${method}`)
    : claude(visitor, world, { name, method });
};

function gemini({ url, headers, ...visitor }: Visitor, world: CloudWorld, call: string): Visit {
  const { authorization: _token, ...rest } = headers;
  return {
    ...visitor,
    kind: 'visit',
    url: new URL(`/v1beta/models/${call}${url.search}`, url),
    headers: { ...rest, 'x-goog-api-key': world.keys.google },
  };
}

function claude(
  visitor: Visitor,
  world: CloudWorld,
  { name, method }: { readonly name: string; readonly method: string },
): Visit | Reply {
  const members = readMembers(visitor.body);
  const { anthropic_version: version, ...rest } = members ?? {};
  if (version !== 'vertex-2023-10-16') return invalid('anthropic_version: Field required');
  if ('model' in rest) return invalid('model: Extra inputs are not permitted');
  const isStream = method === 'streamRawPredict';
  if (!isStream && method !== 'rawPredict') return googleError(404, 'NOT_FOUND', `Unknown method ${method}.`);
  if ((rest.stream === true) !== isStream) return invalid('stream: does not fit the method');
  const { authorization: _token, ...headers } = visitor.headers;
  return {
    kind: 'visit',
    method: 'POST',
    url: new URL('/v1/messages', visitor.url),
    headers: { ...headers, 'anthropic-version': '2023-06-01', 'x-api-key': world.keys.anthropic },
    body: Buffer.from(JSON.stringify({ ...rest, model: name.replace('@', '-') })),
  };
}

function invalid(message: string): Reply {
  return jsonReply(400, { type: 'error', error: { type: 'invalid_request_error', message } });
}

function googleError(code: number, status: string, message: string): Reply {
  return jsonReply(code, { error: { code, message, status } });
}
