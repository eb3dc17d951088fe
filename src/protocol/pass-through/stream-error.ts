import type { Framing, StreamError } from '../dialect.ts';

/** Google's names of HTTP statuses. Its SDK drops an error event without one. */
const GOOGLE_STATUS: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  409: 'ABORTED',
  429: 'RESOURCE_EXHAUSTED',
  499: 'CANCELLED',
  500: 'INTERNAL',
  502: 'UNAVAILABLE',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
};

/** Anthropic's error types. Clients use them to decide whether to retry. */
const ANTHROPIC_TYPE: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  429: 'rate_limit_error',
  503: 'overloaded_error',
  504: 'timeout_error',
};

export function encodeChatError(error: StreamError): Buffer {
  return event(undefined, { error: openaiError(error) });
}

export function encodeImagesError(error: StreamError): Buffer {
  return event('error', { type: 'error', error: openaiError(error) });
}

/** The flat event: unlike `response.failed` it needs no response object, which we do not have. */
export function encodeResponsesError(error: StreamError): Buffer {
  const { code, message, sequenceNumber } = error;
  return event('error', {
    type: 'error',
    code: String(code),
    message,
    param: null,
    ...(sequenceNumber === undefined ? {} : { sequence_number: sequenceNumber }),
  });
}

export function encodeMessagesError(error: StreamError): Buffer {
  const { code, status, message } = error;
  const type = ANTHROPIC_TYPE[status] ?? 'api_error';
  return event('error', { type: 'error', error: { type, message, code: String(code) } });
}

/**
 * `error.code` must be the HTTP status as a number, so our own code stands beside it. It must not come first:
 * Google's SDK for Python recognises an error by the first key of the event.
 */
export function encodeGeminiError(framing: Framing, error: StreamError): Buffer {
  const { code, status, message } = error;
  const name = googleStatus(status);
  const body = { error: { code: status, message, status: name, type: 'gateway_error' }, code, message };
  return framing === 'sse' ? event(undefined, body) : Buffer.from(`,${JSON.stringify(body)}]`);
}

export function googleStatus(status: number): string {
  return GOOGLE_STATUS[status] ?? (status < 500 ? 'INVALID_ARGUMENT' : 'INTERNAL');
}

function openaiError({ code, message }: StreamError): object {
  return { message, type: 'gateway_error', param: null, code: String(code) };
}

function event(name: string | undefined, body: object): Buffer {
  const head = name === undefined ? '' : `event: ${name}\n`;
  return Buffer.from(`${head}data: ${JSON.stringify(body)}\n\n`);
}
