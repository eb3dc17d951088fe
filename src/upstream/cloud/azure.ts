import type { CloudAdapter, CloudCall, Grantor } from '../contract.ts';
import { formRequest, grantName, readBearer } from './bearer.ts';

/** The right that a token for Azure OpenAI carries. */
const SCOPE = 'https://cognitiveservices.azure.com/.default';
const AUTHORITY = 'https://login.microsoftonline.com';

/** Azure OpenAI: the form with deployments if the vendor has an API version, else the form `/openai/v1`. */
export const azure: CloudAdapter = {
  path: (call) => {
    const operation = toOperation(call);
    const { apiVersion } = call.cloud;
    if (operation === undefined || apiVersion === undefined) return operation && `/openai/v1${operation}`;
    const deployment = encodeURIComponent(call.model);
    return `/openai/deployments/${deployment}${operation}?api-version=${encodeURIComponent(apiVersion)}`;
  },
  changeBody: () => undefined,
  findGrantor,
  authorize: ({ headers }, { secret }, { grant }) => {
    if (grant?.bearer !== undefined) return [...headers, 'authorization', `Bearer ${grant.bearer}`];
    return [...headers, 'api-key', secret.kind === 'key' ? secret.key : ''];
  },
  // Of the resource: what it can have, and not its deployments. Those no key may list.
  modelLists: ({ origin, pathname }) => [`${origin}${toRoot(pathname)}/openai/v1/models`],
  isExpired: ({ status }) => status === 401,
};

function toRoot(pathname: string): string {
  return pathname.replace(/\/{1,9}$/, '').replace(/\/openai(\/v1)?$/, '');
}

function toOperation({ protocol, action }: CloudCall): string | undefined {
  if (action === 'count') return undefined;
  if (protocol === 'responses') return '/responses';
  if (protocol === 'images') return action === 'edit' ? '/images/edits' : '/images/generations';
  return '/chat/completions';
}

/** Entra ID: the client credentials grant. */
function findGrantor({ secret, cloud }: CloudCall): Grantor | undefined {
  if (secret.kind !== 'entra') return undefined;
  const { tenantId, clientId, clientSecret } = secret;
  const url = cloud.tokenUrl ?? `${AUTHORITY}/${encodeURIComponent(tenantId)}/oauth2/v2.0/token`;
  const form = {
    grant_type: 'client_credentials',
    client_id: clientId,
    client_secret: clientSecret,
    scope: SCOPE,
  };
  return {
    name: grantName(url, tenantId, clientId, clientSecret),
    request: () => formRequest(url, form),
    read: readBearer,
  };
}
