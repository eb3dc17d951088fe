import { createPrivateKey, type KeyObject, sign } from 'node:crypto';
import type { CloudAdapter, CloudCall, Grantor, GrantRequest, VendorAction } from '../contract.ts';
import { formRequest, grantName, readBearer } from './bearer.ts';

const TOKEN_URL = 'https://oauth2.googleapis.com/token';
const SCOPE = 'https://www.googleapis.com/auth/cloud-platform';
/** The metadata server of Google's machines. It answers only inside of them. */
const METADATA_URL =
  'http://metadata.google.internal/computeMetadata/v1/instance/service-accounts/default/token';
/** The longest life of a signed statement that Google takes. */
const STATEMENT_S = 3_600;

/** Google Vertex: Gemini by generateContent, and Claude by rawPredict. */
export const vertex: CloudAdapter = {
  path: (call) => {
    const method = METHODS[call.protocol === 'messages' ? 'messages' : 'gemini'][call.action];
    if (method === undefined) return undefined;
    const publisher = call.protocol === 'messages' ? 'anthropic' : 'google';
    const place = `/v1/projects/${encodeURIComponent(toProject(call))}/locations/${call.cloud.location ?? ''}`;
    return `${place}/publishers/${publisher}/models/${encodeURIComponent(call.model)}:${method}`;
  },
  changeBody: ({ protocol }) =>
    protocol === 'messages'
      ? {
          added: '"anthropic_version":"vertex-2023-10-16"',
          removed: ['model', 'anthropic_version'],
          header: undefined,
        }
      : undefined,
  findGrantor,
  authorize: ({ headers }, _call, { grant }) => [
    ...headers,
    'authorization',
    `Bearer ${grant?.bearer ?? ''}`,
  ],
  modelLists: ({ origin, pathname }) =>
    ['google', 'anthropic'].map(
      (publisher) =>
        `${origin}${pathname.replace(/\/{1,9}$/, '')}/v1beta1/publishers/${publisher}/models?pageSize=100`,
    ),
  isExpired: ({ status }) => status === 401,
};

const METHODS: Readonly<Record<'gemini' | 'messages', Partial<Record<VendorAction, string>>>> = {
  gemini: {
    generate: 'generateContent',
    edit: 'generateContent',
    stream: 'streamGenerateContent',
    count: 'countTokens',
  },
  messages: { generate: 'rawPredict', stream: 'streamRawPredict' },
};

function toProject({ cloud, secret }: CloudCall): string {
  return cloud.project ?? (secret.kind === 'service-account' ? secret.projectId : undefined) ?? '';
}

function findGrantor({ secret, cloud }: CloudCall): Grantor | undefined {
  if (secret.kind === 'workload') {
    const url = cloud.tokenUrl ?? METADATA_URL;
    return { name: grantName(url, 'workload'), request: () => metadataRequest(url), read: readBearer };
  }
  if (secret.kind !== 'service-account') return undefined;
  const { email, privateKey, privateKeyId } = secret;
  // The address in the key file is not used: an account's file must not choose where requests go.
  const url = cloud.tokenUrl ?? TOKEN_URL;
  return {
    name: grantName(url, email, privateKey),
    request: (nowMs) => {
      const assertion = signStatement({ email, audience: url, keyId: privateKeyId }, privateKey, nowMs);
      return formRequest(url, { grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion });
    },
    read: readBearer,
  };
}

function metadataRequest(address: string): GrantRequest {
  const { origin, pathname, search } = new URL(address);
  return { origin, path: pathname + search, method: 'GET', headers: ['metadata-flavor', 'Google'], body: [] };
}

interface Statement {
  readonly email: string;
  readonly audience: string;
  readonly keyId: string | undefined;
}

/** A JSON Web Token with RS256, by RFC 7515 and RFC 7523. */
function signStatement({ email, audience, keyId }: Statement, privateKey: string, nowMs: number): string {
  const issuedAtS = Math.floor(nowMs / 1_000);
  const header = { alg: 'RS256', typ: 'JWT', ...(keyId === undefined ? {} : { kid: keyId }) };
  const claims = { iss: email, scope: SCOPE, aud: audience, iat: issuedAtS, exp: issuedAtS + STATEMENT_S };
  const signed = `${encode(header)}.${encode(claims)}`;
  return `${signed}.${sign('sha256', Buffer.from(signed), openKey(privateKey)).toString('base64url')}`;
}

/** The engine's message could quote the key. */
function openKey(privateKey: string): KeyObject {
  try {
    return createPrivateKey(privateKey);
  } catch {
    throw new Error('the private key of the service account cannot be read');
  }
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
