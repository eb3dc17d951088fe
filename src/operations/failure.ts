/** Rule I-50: the codes of the envelope. The HTTP status mirrors them. */
export const FAILURES = {
  badParameter: { code: 1001, status: 400, message: 'A parameter is missing or wrong' },
  notLoggedIn: { code: 1002, status: 401, message: 'Please log in' },
  notAllowed: { code: 1003, status: 403, message: 'This is not allowed for your account' },
  notFound: { code: 1004, status: 404, message: 'Not found' },
  conflict: { code: 1005, status: 409, message: 'This conflicts with existing data' },
  tooManyRequests: { code: 1006, status: 429, message: 'Too many requests, please try again later' },
  insufficientBalance: { code: 1007, status: 400, message: 'The balance is not sufficient' },
  bodyTooLarge: { code: 1008, status: 413, message: 'The request body is too large' },
  internal: { code: 1500, status: 500, message: 'Something went wrong on our side' },
  methodNotAllowed: { code: 1001, status: 405, message: 'This path does not take this method' },
  /** More requests at once than the platform may use of the process. Calls of the gateway go first. */
  busy: { code: 1006, status: 503, message: 'Too many requests at once, please try again' },
  unavailable: { code: 1500, status: 503, message: 'The service cannot answer now, please try again' },
} as const;

export type FailureName = keyof typeof FAILURES;

export interface Failure {
  readonly kind: 'failure';
  readonly name: FailureName;
  /** For the client: names the parameter and nothing internal. */
  readonly message: string;
  readonly retryAfterMs: number | undefined;
}

export function fail(name: FailureName, message?: string, retryAfterMs?: number): Failure {
  return { kind: 'failure', name, message: message ?? FAILURES[name].message, retryAfterMs };
}
