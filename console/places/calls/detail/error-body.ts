import type { CallDetail } from '../search.ts';

type Refusal = NonNullable<CallDetail['refusal']>;

/** Google's clients read a status text beside the message. */
const GOOGLE_STATUS: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  413: 'INVALID_ARGUMENT',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  502: 'UNAVAILABLE',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
};

/** The answer of the gateway to a call that it refused, as docs/errors.md describes it. */
export function errorAnswer(call: CallDetail, refusal: Refusal): string {
  const { status, error_code: code, request_id: requestId, protocol } = call;
  const { message, retry_after: retryAfter } = refusal;
  const error = {
    ...{ type: 'gateway_error', code: String(code), message },
    ...(protocol === 'gemini' && { status: GOOGLE_STATUS[status] ?? 'UNKNOWN' }),
  };
  const body = { code, message, error };
  const shown = protocol === 'messages' ? { type: 'error', ...body, request_id: requestId } : body;
  const head = [
    `HTTP/1.1 ${status}`,
    `x-request-id: ${requestId}`,
    ...(retryAfter === null ? [] : [`retry-after: ${retryAfter}`]),
  ];
  return `${head.join('\n')}\n\n${JSON.stringify(shown, undefined, 2)}`;
}
