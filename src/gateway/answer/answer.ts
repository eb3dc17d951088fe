import type { ServerResponse } from 'node:http';
import { RETRY_WAIT_MAX_SECONDS } from '../../bounds.ts';
import { ERRORS, type Refusal } from '../../kernel/errors.ts';
import { isGoogleProtocol, type Protocol } from '../../kernel/protocol-name.ts';
import { isHeaderValue } from '../../upstream/vendor.ts';

/** Proxies allow only a few kilobytes of headers in all. */
const DROPPED_HEADER_CHARS_MAX = 1_000;

/** Above this, copying an answer twice costs more than writing it in two pieces. */
const JOINED_BYTES_MAX = 16 * 1024;
/** A larger answer is written piece by piece, because copying it takes too long. */
const COPIED_BYTES_MAX = 1024 * 1024;

/** Google's clients read a status text beside the message. */
const GOOGLE_STATUS = new Map([
  [400, 'INVALID_ARGUMENT'],
  [401, 'UNAUTHENTICATED'],
  [403, 'PERMISSION_DENIED'],
  [404, 'NOT_FOUND'],
  [413, 'INVALID_ARGUMENT'],
  [429, 'RESOURCE_EXHAUSTED'],
  [500, 'INTERNAL'],
  [502, 'UNAVAILABLE'],
  [503, 'UNAVAILABLE'],
  [504, 'DEADLINE_EXCEEDED'],
]);

/**
 * The body of rule I-40. `error.message` repeats `message`, because the vendors' SDKs read it there.
 * Anthropic's and Google's clients get the extra fields that they look for.
 */
export function errorBody(refusal: Refusal, requestId: string, protocol: Protocol | undefined): string {
  const { code, status } = refusal.error;
  const { message, vendorFields, details } = refusal;
  const error: Record<string, unknown> = { type: 'gateway_error', code: String(code), message };
  if (vendorFields !== undefined) Object.assign(error, vendorFields);
  if (vendorFields !== undefined && protocol === 'messages' && status === 404) error.type = 'not_found_error';
  if (details !== undefined) error.details = details;
  if (isGoogleProtocol(protocol)) error.status = GOOGLE_STATUS.get(status) ?? 'UNKNOWN';
  const body = { code, message, error };
  return JSON.stringify(protocol === 'messages' ? { type: 'error', ...body, request_id: requestId } : body);
}

/**
 * Ends a short answer in one write with its head. Node joins the head with a string but not with bytes, and
 * two writes cost a tenth of a small call. As latin1, each byte is one character and is sent unchanged.
 */
export function endAnswer(response: ServerResponse, pieces: readonly Buffer[]): void {
  const [first] = pieces;
  const bytes = totalBytes(pieces);
  if (bytes > COPIED_BYTES_MAX) {
    for (const piece of pieces) response.write(piece);
    response.end();
    return;
  }
  const body = pieces.length === 1 && first !== undefined ? first : Buffer.concat(pieces, bytes);
  if (bytes > JOINED_BYTES_MAX) response.end(body);
  else response.end(body.toString('latin1'), 'latin1');
}

export function totalBytes(pieces: readonly Buffer[]): number {
  let bytes = 0;
  for (const { length } of pieces) bytes += length;
  return bytes;
}

/**
 * Gives up on a client that does not read the end of its answer: the answer and its request stay in memory
 * until then. Node restarts the timeout while bytes move, and clears it when all of them are sent.
 */
export function giveUpAfter(response: ServerResponse, stallMs: number): void {
  if (response.writableLength > 0) response.socket?.setTimeout(stallMs);
}

/** Answers with an error of the gateway. The caller must read or discard a body that is still arriving. */
export function sendRefusal(
  response: ServerResponse,
  refusal: Refusal,
  requestId: string,
  protocol: Protocol | undefined,
): void {
  if (response.headersSent || response.destroyed) return;
  const body = errorBody(refusal, requestId, protocol);
  const headers = [
    'content-type',
    'application/json; charset=utf-8',
    'content-length',
    String(Buffer.byteLength(body)),
    ...ownHeaders(requestId, protocol),
    ...waitHeaders(refusal),
  ];
  response.writeHead(refusal.error.status, headers);
  response.end(body);
}

/**
 * These are on every answer, also on a vendor's: no browser may take the bytes for a page or a script. The
 * Anthropic SDK reads `request-id`.
 */
export function ownHeaders(requestId: string, protocol: Protocol | undefined): string[] {
  const headers = ['x-request-id', requestId, 'x-content-type-options', 'nosniff'];
  if (protocol === 'messages') headers.push('request-id', requestId);
  return headers;
}

/** Rule I-28. A model name that is not valid in a header is percent-encoded. */
export function modelHeaders(modelId: string): string[] {
  return ['x-tollgate-model', isHeaderValue(modelId) ? modelId : encodeURIComponent(modelId.toWellFormed())];
}

/**
 * The loss report of a conversion, with as many names as fit. The names come from the client's body. A name
 * that would break the header, or look like two names, is percent-encoded.
 */
export function droppedHeaders(dropped: readonly string[]): string[] {
  let list = '';
  for (const name of dropped) {
    const isPlain = isHeaderValue(name) && !name.includes(',');
    const next = isPlain ? name : encodeURIComponent(name.toWellFormed());
    if (list.length + next.length > DROPPED_HEADER_CHARS_MAX) break;
    list += list === '' ? next : `, ${next}`;
  }
  return ['x-tollgate-dropped', list];
}

/**
 * `x-should-retry: false` stops the SDKs from retrying after a long wait, and for a model without an
 * upstream: asking again does not help.
 */
function waitHeaders({ error, retryAfterSeconds, limit }: Refusal): string[] {
  const headers: string[] = [];
  if (retryAfterSeconds !== undefined) headers.push('retry-after', String(retryAfterSeconds));
  const isLong = retryAfterSeconds !== undefined && retryAfterSeconds > RETRY_WAIT_MAX_SECONDS;
  if (isLong || error === ERRORS.noUpstream) headers.push('x-should-retry', 'false');
  if (limit !== undefined) headers.push('x-tollgate-limit', limit);
  return headers;
}
