import { hash } from 'node:crypto';
import { isJsonObject, parseJson } from '../../kernel/encoding/json.ts';
import type { Grant, GrantRequest } from '../contract.ts';
import { CLOUD_TOKEN_BYTES_MAX } from './bounds.ts';

/** The same parts have the same name, and nobody can read them in it. */
export function grantName(...parts: readonly (string | undefined)[]): string {
  return hash('sha256', JSON.stringify(parts), 'hex');
}

/** A form sent to a token endpoint. */
export function formRequest(address: string, form: Readonly<Record<string, string>>): GrantRequest {
  const url = new URL(address);
  return {
    origin: url.origin,
    path: url.pathname + url.search,
    method: 'POST',
    headers: ['content-type', 'application/x-www-form-urlencoded', 'accept', 'application/json'],
    body: [Buffer.from(new URLSearchParams(form).toString())],
  };
}

const TOKEN = /^[!-~]{1,16000}$/;
/** A token that says no life of its own is kept for this long. RFC 6749 only recommends to say it. */
const LIFE_S = 3_600;
const LIFE_S_MAX = 86_400;

/** The answer of a token endpoint by RFC 6749. */
export function readBearer(body: string, nowMs: number): Grant | undefined {
  const parsed = parseJson(body, { bytesMax: CLOUD_TOKEN_BYTES_MAX, depthMax: 8 });
  if (parsed.kind === 'invalid' || !isJsonObject(parsed.value)) return undefined;
  const { access_token: bearer, expires_in: life } = parsed.value;
  if (typeof bearer !== 'string' || !TOKEN.test(bearer)) return undefined;
  const seconds = Number(life ?? LIFE_S);
  if (!(seconds > 0)) return undefined;
  return { bearer, expiresAtMs: nowMs + Math.min(seconds, LIFE_S_MAX) * 1_000 };
}
