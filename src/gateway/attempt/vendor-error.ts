import { ERROR_BODY_BYTES_MAX, ERROR_READ_BYTES_MAX } from '../../bounds.ts';
import { parseJson } from '../../kernel/encoding/json.ts';
import { NO_USAGE } from '../../kernel/usage.ts';
import type { PlainAnswer } from '../../protocol/dialect.ts';
import { totalBytes } from '../answer/answer.ts';
import type { Spent, VendorError } from './attempt-result.ts';

const BAD_GATEWAY = 502;
/** Rule C-69: the vendors' error types, and the status that each would have had. */
const STATUS_BY_NAME = new Map([
  ['invalid_request_error', 400],
  ['invalid_prompt', 400],
  ['image_generation_user_error', 400],
  ['authentication_error', 401],
  ['billing_error', 402],
  ['permission_error', 403],
  ['not_found_error', 404],
  ['request_too_large', 413],
  ['rate_limit_error', 429],
  ['rate_limit_exceeded', 429],
  ['insufficient_quota', 429],
  ['api_error', 500],
  ['server_error', 500],
  ['service_unavailable_error', 503],
  ['timeout_error', 504],
  ['overloaded_error', 529],
]);

/**
 * Texts that vendors send for a signature or ciphertext that is not theirs. Some relays keep only the text.
 */
const SIGNATURE_REFUSALS = [
  'invalid_encrypted_content',
  'encrypted content',
  'Invalid `signature`',
  'Invalid signature',
  'hought signature',
  'thought_signature',
  'cannot be modified',
] as const;

/** The vendor refused a signature of the history, not the request itself (rule C-44). */
export function isSignatureRefused({ status, body }: VendorError): boolean {
  return status === 400 && SIGNATURE_REFUSALS.some((text) => body.includes(text));
}

/** Google answers 400 to an unknown key; all other vendors answer 401, and that is what it means. */
export function withTrueStatus(error: VendorError): VendorError {
  const isKeyRefused = error.status === 400 && error.body.includes('"API_KEY_INVALID"');
  return isKeyRefused ? { ...error, status: 401 } : error;
}

/** The status of an error that arrived with a 200, or as the first event of a stream. */
export function vendorErrorStatus(text: string): number {
  const body = findErrorBody(text);
  const error = findObject(body?.error) ?? findObject(findObject(body?.response)?.error) ?? body;
  if (error === undefined) return BAD_GATEWAY;
  const { code, type } = error;
  if (typeof code === 'number' && Number.isInteger(code) && code >= 400 && code <= 599) return code;
  return STATUS_BY_NAME.get(String(code)) ?? STATUS_BY_NAME.get(String(type)) ?? BAD_GATEWAY;
}

/** An error in an answer with status 200, and its usage. `undefined` if it is longer than any error. */
export function answeredError(
  headers: VendorError['headers'],
  { pieces, usage }: PlainAnswer,
): { readonly error: VendorError; readonly spent: Spent } | undefined {
  if (totalBytes(pieces) > ERROR_BODY_BYTES_MAX) return undefined;
  const body = Buffer.concat(pieces);
  const status = vendorErrorStatus(body.toString('utf8'));
  return { error: { status, headers, body }, spent: { usage: usage ?? NO_USAGE, estimated: false } };
}

/**
 * The first event of a stream as the body of an error. Responses puts its errors flat or inside a response,
 * but every SDK looks for `error.message` in a body.
 */
export function vendorErrorBody(text: string): string {
  const body = findErrorBody(text);
  if (body === undefined || findObject(body.error) !== undefined) return text;
  const { message, code, param } = findObject(findObject(body.response)?.error) ?? body;
  return JSON.stringify({
    error: { message, type: 'server_error', param: param ?? null, code: code ?? null },
  });
}

function findErrorBody(text: string): Record<string, unknown> | undefined {
  const parsed = parseJson(text, { bytesMax: ERROR_READ_BYTES_MAX, depthMax: 32 });
  if (parsed.kind !== 'parsed') return undefined;
  return findObject(Array.isArray(parsed.value) ? parsed.value[0] : parsed.value);
}

function findObject(value: unknown): Record<string, unknown> | undefined {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
}
