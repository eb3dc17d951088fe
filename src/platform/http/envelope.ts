import type { ServerResponse } from 'node:http';
import { FAILURES, type Failure } from '../../operations/failure.ts';
import type { DataAnswer, PageAnswer } from '../../operations/operation.ts';

/** One answer: its request id and further headers. */
export interface Addressee {
  readonly response: ServerResponse;
  readonly requestId: string;
}

/** An answer is for one account at one moment: no cache may store it, and its type is not guessed. */
export function guardHeaders(requestId: string): Record<string, string> {
  return {
    'x-request-id': requestId,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  };
}

/** The envelope of a success (rule I-49). */
export function toEnvelope(answer: DataAnswer | PageAnswer): object {
  if (answer.kind === 'data') return { code: 0, message: 'ok', data: answer.data };
  const { rows, total, page, size } = answer;
  return { code: 0, message: 'ok', data: rows, total, page, size };
}

export function sendEnvelope({ response, requestId }: Addressee, answer: DataAnswer | PageAnswer): void {
  const cookies = answer.kind === 'data' ? (answer.cookies ?? []) : [];
  const headers = cookies.length === 0 ? {} : { 'set-cookie': [...cookies] };
  send({ response, requestId }, { status: 200, headers, envelope: toEnvelope(answer) });
}

/**
 * The envelope of a failure. `error` repeats it as the gateway does, for clients of a vendor that were given
 * the address of the platform: their SDKs read `error.message` and nothing else.
 */
export function failureEnvelope(code: number, message: string): object {
  return { code, message, data: null, error: { type: 'gateway_error', code: String(code), message } };
}

/** A foreign object and an absent one have the same body, so that they cannot be distinguished. */
export function sendFailure({ response, requestId }: Addressee, failure: Failure): void {
  const { code, status } = FAILURES[failure.name];
  const headers: Record<string, string> = {};
  if (status === 401) headers['www-authenticate'] = 'Bearer';
  if (failure.retryAfterMs !== undefined) {
    headers['retry-after'] = String(Math.max(1, Math.ceil(failure.retryAfterMs / 1_000)));
  }
  const envelope = failureEnvelope(code, failure.message);
  send({ response, requestId }, { status, headers, envelope });
}

interface Sending {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly envelope: object;
}

function send({ response, requestId }: Addressee, { status, headers, envelope }: Sending): void {
  if (response.headersSent || response.destroyed) return;
  const body = JSON.stringify(envelope);
  response.writeHead(status, {
    ...guardHeaders(requestId),
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    ...headers,
  });
  response.end(body);
}
