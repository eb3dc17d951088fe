import type { AnswerError } from '../hub/answer.ts';
import { isObject, type JsonObject } from '../hub/content/json.ts';
import { findText } from './fields.ts';
import { ERROR_STATUS, ERROR_TYPE } from './wire.ts';

/** `{type: "error", error: {type, message}}`, as a body and as an event. */
export function decodeError(body: JsonObject): AnswerError {
  const error = isObject(body.error) ? body.error : {};
  const type = findText(error.type);
  return {
    status: ERROR_STATUS[type ?? ''] ?? 500,
    code: findText(error.code),
    type,
    message: findText(error.message) ?? 'The vendor reported an error.',
  };
}

/** The event's data. The SDKs require exactly this shape (rule C-62). */
export function encodeError(error: AnswerError): JsonObject {
  // The vendor's own error types stay. Those of other vendors mean nothing to this client.
  const isOwn = error.type !== undefined && ERROR_STATUS[error.type] !== undefined;
  const type = isOwn ? error.type : (ERROR_TYPE[error.status] ?? 'api_error');
  return {
    type: 'error',
    error: { type, message: error.message, ...(error.code === undefined ? {} : { code: error.code }) },
  };
}
