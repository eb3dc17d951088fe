import { findOpenai } from '../models.ts';
import type { Reply } from '../request/ask.ts';
import { AZURE } from './state.ts';
import {
  bearerOf,
  type Cloud,
  type CloudWorld,
  jsonReply,
  readMembers,
  type Visit,
  type Visitor,
} from './visit.ts';

const DEPLOYMENT =
  /^\/azure\/openai\/deployments\/([^/]{1,100})(\/(?:chat\/completions|images\/(?:generations|edits)))$/;
const VERSION_1 = /^\/azure\/openai\/v1(\/(?:chat\/completions|responses|images\/(?:generations|edits)))$/;

/** Azure OpenAI: a deployment has the name of its model. */
export const azure: Cloud = (visitor, world) => {
  const refused = refuseIdentity(visitor, world);
  if (refused !== undefined) return refused;
  const { url } = visitor;
  if (visitor.method === 'GET' && url.pathname === '/azure/openai/v1/models')
    return modelList(visitor, world);
  const deployment = DEPLOYMENT.exec(url.pathname);
  const path = deployment?.[2] ?? VERSION_1.exec(url.pathname)?.[1];
  if (path === undefined || visitor.method !== 'POST') return azureError(404, '404', 'Resource not found');
  const name = decodeURIComponent(deployment?.[1] ?? '');
  if (deployment !== null) {
    if (url.searchParams.get('api-version') !== AZURE.apiVersion) {
      return azureError(404, '404', 'Resource not found');
    }
    if (findOpenai(name) === undefined) {
      const message = 'The API deployment for this resource does not exist.';
      return azureError(404, 'DeploymentNotFound', message);
    }
  }
  const members = deployment === null ? undefined : readMembers(visitor.body);
  const body =
    members === undefined ? visitor.body : Buffer.from(JSON.stringify({ ...members, model: name }));
  const { 'api-key': _key, ...headers } = visitor.headers;
  return {
    kind: 'visit',
    method: 'POST',
    url: new URL(`/v1${path}`, url),
    headers: { ...headers, authorization: `Bearer ${world.keys.openai}` },
    body,
  };
};

/** What the resource can have; what it has deployed, no key may list. */
function modelList({ url, headers, ...visitor }: Visitor, { keys }: CloudWorld): Visit {
  const authorization = `Bearer ${keys.openai}`;
  return {
    ...visitor,
    kind: 'visit',
    url: new URL('/v1/models', url),
    headers: { ...headers, authorization },
  };
}

function refuseIdentity(visitor: Visitor, { clouds }: CloudWorld): Reply | undefined {
  const key = visitor.headers['api-key'];
  if (key === AZURE.key || (key === undefined && clouds.isToken(bearerOf(visitor)))) return undefined;
  const message = 'Access denied due to invalid subscription key or wrong API endpoint.';
  return azureError(401, '401', message);
}

function azureError(status: number, code: string, message: string): Reply {
  return jsonReply(status, { error: { code, message } });
}
