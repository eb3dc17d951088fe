import type { Reply } from '../request/ask.ts';
import { sha256, signatureOf } from './sigv4.ts';
import { AWS, type AwsSession } from './state.ts';
import { bearerOf, type CloudWorld, jsonReply, type Visitor } from './visit.ts';

const AUTHORIZATION =
  /^AWS4-HMAC-SHA256 Credential=([A-Z0-9]{1,40})\/(\d{8})\/([a-z0-9-]{1,30})\/([a-z]{1,20})\/aws4_request, ?SignedHeaders=([a-z0-9;-]{1,300}), ?Signature=([0-9a-f]{64})$/;
const SKEW_MS_MAX = 5 * 60_000;

/** Nothing when the request is signed by a known key, for this service, now. */
export function refuseAws(
  visitor: Visitor,
  world: CloudWorld,
  service: 'bedrock' | 'sts',
): Reply | undefined {
  if (service === 'bedrock' && bearerOf(visitor) === AWS.bearer) return undefined;
  const match = AUTHORIZATION.exec(visitor.headers.authorization ?? '');
  if (match === null)
    return awsError(403, 'MissingAuthenticationTokenException', 'Missing Authentication Token');
  const [, keyId = '', day = '', region = '', named = '', names = '', signature = ''] = match;
  const date = String(visitor.headers['x-amz-date'] ?? '');
  const mismatch = (why: string): Reply => awsError(403, 'InvalidSignatureException', why);
  if (region !== AWS.region || named !== service)
    return mismatch('Credential should be scoped to a valid region.');
  if (!date.startsWith(day) || Math.abs(readDate(date) - world.nowMs) > SKEW_MS_MAX) {
    return mismatch(`Signature expired: ${date} is too far from now.`);
  }
  const keys = findKeys(keyId, world);
  if (keys === 'expired')
    return awsError(403, 'ExpiredTokenException', 'The security token included in the request is expired');
  if (keys === undefined) return unrecognized();
  const signedHeaders = names.split(';');
  const needed = ['host', 'x-amz-date', ...(keys.sessionToken === '' ? [] : ['x-amz-security-token'])];
  if (!needed.every((name) => signedHeaders.includes(name)))
    return mismatch('A header that must be signed is not.');
  if ((visitor.headers['x-amz-security-token'] ?? '') !== keys.sessionToken) return unrecognized();
  const expected = signatureOf({
    method: visitor.method,
    path: visitor.url.pathname,
    query: visitor.url.searchParams,
    headers: Object.fromEntries(
      Object.entries(visitor.headers).map(([name, value]) => [name, String(value)]),
    ),
    signedHeaders,
    bodySha256: sha256(visitor.body),
    scope: { date, region, service },
    secretAccessKey: keys.secretAccessKey,
  });
  if (expected === signature) return undefined;
  return mismatch('The request signature we calculated does not match the signature you provided.');
}

function findKeys(keyId: string, { clouds }: CloudWorld): AwsSession | 'expired' | undefined {
  if (keyId !== AWS.accessKeyId) return clouds.findSession(keyId);
  return { accessKeyId: keyId, secretAccessKey: AWS.secretAccessKey, sessionToken: '' };
}

function unrecognized(): Reply {
  return awsError(
    403,
    'UnrecognizedClientException',
    'The security token included in the request is invalid.',
  );
}

/** 20150830T123600Z */
function readDate(text: string): number {
  return Date.parse(text.replace(/^(\d{4})(\d\d)(\d\dT\d\d)(\d\d)(\d\dZ)$/, '$1-$2-$3:$4:$5'));
}

export function awsError(status: number, type: string, message: string): Reply {
  return jsonReply(status, { message }, { 'x-amzn-errortype': type });
}
