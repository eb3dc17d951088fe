import { createHash, createHmac } from 'node:crypto';

/** A request as AWS's signature version 4 sees it. */
export interface Signed {
  readonly method: string;
  /** As it stands in the request line, without its query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string>>;
  readonly signedHeaders: readonly string[];
  readonly bodySha256: string;
  readonly scope: Scope;
  readonly secretAccessKey: string;
}

export interface Scope {
  /** 20150830T123600Z */
  readonly date: string;
  readonly region: string;
  readonly service: string;
}

/** The signature, written from AWS's description and from nothing else. */
export function signatureOf(request: Signed): string {
  const { date, region, service } = request.scope;
  const scope = `${date.slice(0, 8)}/${region}/${service}/aws4_request`;
  const toSign = ['AWS4-HMAC-SHA256', date, scope, sha256(canonical(request))].join('\n');
  const key = [date.slice(0, 8), region, service, 'aws4_request'].reduce<Buffer>(
    (secret, part) => hmac(secret, part),
    Buffer.from(`AWS4${request.secretAccessKey}`),
  );
  return hmac(key, toSign).toString('hex');
}

function canonical({ method, path, query, headers, signedHeaders, bodySha256 }: Signed): string {
  const pairs = [...query].map(([name, value]) => `${percentEncode(name)}=${percentEncode(value)}`);
  const lines = signedHeaders.map((name) => `${name}:${(headers[name] ?? '').trim().replace(/ +/g, ' ')}\n`);
  return [
    method,
    // A path is escaped once more, whatever it has already.
    path.split('/').map(percentEncode).join('/'),
    pairs.sort().join('&'),
    lines.join(''),
    signedHeaders.join(';'),
    bodySha256,
  ].join('\n');
}

/** RFC 3986: only unreserved characters stay. */
function percentEncode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

export function sha256(text: string | Buffer): string {
  return createHash('sha256').update(text).digest('hex');
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
