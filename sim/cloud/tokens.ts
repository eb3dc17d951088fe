import { verify } from 'node:crypto';
import type { Reply } from '../request/ask.ts';
import { refuseAws } from './aws-identity.ts';
import { AWS, AZURE, GOOGLE } from './state.ts';
import { type CloudWorld, jsonReply, readMembers, type Visitor } from './visit.ts';

const ENTRA_SCOPE = 'https://cognitiveservices.azure.com/.default';
const GOOGLE_SCOPE = 'https://www.googleapis.com/auth/cloud-platform';
const STATEMENT_S_MAX = 3_600;

/** Entra ID: client credentials for tokens. */
export function entraToken(visitor: Visitor, { clouds }: CloudWorld): Reply {
  const form = new URLSearchParams(visitor.body.toString());
  const tenant = visitor.url.pathname.split('/')[2];
  if (tenant !== AZURE.tenantId) return oauthError(400, 'invalid_request', `Tenant '${tenant}' not found.`);
  if (form.get('grant_type') !== 'client_credentials') return oauthError(400, 'unsupported_grant_type', '');
  if (form.get('scope') !== ENTRA_SCOPE) return oauthError(400, 'invalid_scope', '');
  const isClient =
    form.get('client_id') === AZURE.clientId && form.get('client_secret') === AZURE.clientSecret;
  // The real one repeats the id of the client.
  if (!isClient)
    return oauthError(401, 'invalid_client', `Invalid client secret for ${form.get('client_id')}`);
  return grant(clouds.issueToken(), clouds.lifeS);
}

/** Google: a statement, signed with the key of the service account, for tokens. */
export function googleToken(visitor: Visitor, world: CloudWorld): Reply {
  const form = new URLSearchParams(visitor.body.toString());
  if (form.get('grant_type') !== 'urn:ietf:params:oauth:grant-type:jwt-bearer') {
    return oauthError(400, 'unsupported_grant_type', 'Invalid grant_type');
  }
  const [header = '', claims = '', signature = '', ...more] = (form.get('assertion') ?? '').split('.');
  const signed = Buffer.from(`${header}.${claims}`);
  const isSigned = verify('sha256', signed, world.clouds.publicKey, Buffer.from(signature, 'base64url'));
  if (!isSigned || more.length > 0) return oauthError(400, 'invalid_grant', 'Invalid JWT Signature.');
  const { alg, kid } = decode(header);
  if (alg !== 'RS256' || kid !== GOOGLE.keyId) return oauthError(400, 'invalid_grant', 'Invalid JWT header');
  const wrong = findWrongClaim(decode(claims), visitor, world.nowMs / 1_000);
  if (wrong !== undefined) return oauthError(400, 'invalid_grant', `Invalid JWT: ${wrong}`);
  return grant(world.clouds.issueToken(), world.clouds.lifeS);
}

function findWrongClaim(
  claims: Record<string, unknown>,
  { url, headers }: Visitor,
  nowS: number,
): string | undefined {
  const { iss, scope, aud, iat, exp } = claims;
  if (iss !== GOOGLE.email) return 'iss';
  if (scope !== GOOGLE_SCOPE) return 'scope';
  if (aud !== `http://${headers.host}${url.pathname}`) return 'aud';
  if (typeof iat !== 'number' || Math.abs(iat - nowS) > 300) return 'iat';
  if (typeof exp !== 'number' || exp <= nowS || exp - iat > STATEMENT_S_MAX) return 'exp';
  return undefined;
}

/** The metadata server of a machine. */
export function metadataToken(visitor: Visitor, { clouds }: CloudWorld): Reply {
  if (visitor.method !== 'GET' || visitor.headers['metadata-flavor'] !== 'Google') {
    return jsonReply(403, { error: 'Missing Metadata-Flavor:Google header.' });
  }
  return grant(clouds.issueToken(), clouds.lifeS);
}

/** AWS's token service: keys of a role for those of a user. */
export function assumeRole(visitor: Visitor, world: CloudWorld): Reply {
  const refused = refuseAws(visitor, world, 'sts');
  if (refused !== undefined) return stsError(403, 'SignatureDoesNotMatch');
  const form = new URLSearchParams(visitor.body.toString());
  if (form.get('Action') !== 'AssumeRole' || form.get('Version') !== '2011-06-15') {
    return stsError(400, 'InvalidAction');
  }
  const isKnown = form.get('RoleArn') === AWS.roleArn && form.get('ExternalId') === AWS.externalId;
  if (!isKnown || form.get('RoleSessionName') === null) return stsError(403, 'AccessDenied');
  const { accessKeyId, secretAccessKey, sessionToken, endsAtMs } = world.clouds.issueSession();
  const keys =
    `<AccessKeyId>${accessKeyId}</AccessKeyId><SecretAccessKey>${secretAccessKey}</SecretAccessKey>` +
    `<SessionToken>${sessionToken}</SessionToken><Expiration>${new Date(endsAtMs).toISOString()}</Expiration>`;
  return {
    kind: 'reply',
    status: 200,
    headers: { 'content-type': 'text/xml' },
    body:
      '<AssumeRoleResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleResult>' +
      `<Credentials>${keys}</Credentials></AssumeRoleResult></AssumeRoleResponse>`,
  };
}

function stsError(status: number, code: string): Reply {
  const body = `<ErrorResponse><Error><Type>Sender</Type><Code>${code}</Code></Error></ErrorResponse>`;
  return { kind: 'reply', status, headers: { 'content-type': 'text/xml' }, body };
}

function grant(token: string, lifeS: number): Reply {
  return jsonReply(200, { token_type: 'Bearer', expires_in: lifeS, access_token: token });
}

function oauthError(status: number, error: string, description: string): Reply {
  return jsonReply(status, { error, error_description: description });
}

function decode(part: string): Record<string, unknown> {
  return readMembers(Buffer.from(part, 'base64url')) ?? {};
}
