import { assert } from './assert.ts';

/**
 * Every error the gateway itself may answer with (rule I-40). docs/errors.md is generated from this table,
 * and a test compares the two. The first three digits of a code are its HTTP status, except for 40201–40204,
 * which have status 403.
 */
export interface ErrorRow {
  readonly code: number;
  readonly status: number;
  /** The default text. A call may replace it with a more precise one. */
  readonly message: string;
  /** When the gateway answers with this error, as a sentence for the documentation. */
  readonly when: string;
  /** What the client can do about it. */
  readonly remedy: string;
}

const row = (code: number, status: number, message: string, when: string, remedy: string): ErrorRow =>
  Object.freeze({ code, status, message, when, remedy });

export const ERRORS = Object.freeze({
  apiKeyRequired: row(
    40001,
    400,
    'api_key is required: send it as "Authorization: Bearer <API_KEY>"',
    'The request has no bearer key, for example because the key is in `x-api-key`; the message names the header that was found.',
    'Send the key in the `Authorization` header as a bearer token.',
  ),
  bodyNotJson: row(
    40002,
    400,
    'The request body is not a valid JSON object',
    'The body is not valid JSON, not an object, or can be read in two ways: a member or field comes twice or in another spelling, or bytes are not UTF-8.',
    'Send a JSON object with each member once.',
  ),
  modelMissing: row(
    40003,
    400,
    'The field "model" is required and must be a string',
    '`model` is missing or not a string.',
    'Set `model` to a `model_id` of the platform.',
  ),
  notExpressible: row(
    40004,
    400,
    'The request cannot be expressed in the protocol of any usable upstream of this model',
    'No usable route of the model can take the request, a member has the wrong type, what it would be charged for cannot be counted, or a line of a batch file names an unknown model; the message names the field, the protocol or the line.',
    'Use another protocol or model, or leave the named field out.',
  ),
  keyInvalid: row(
    40101,
    401,
    'The API key is invalid, deleted, disabled or expired',
    'The key is unknown, deleted, disabled or expired, its account is disabled, or the key is an access token.',
    'Check the key. If it is gone, create a new one.',
  ),
  insufficientCredits: row(
    40201,
    403,
    'Insufficient Credits',
    'The Credits (with auto-exchange on, also the balance) do not pay for the input and 256 output tokens, or for the images or the video requested, or they run out during a stream.',
    'Top up, exchange balance into Credits, switch auto-exchange on, or request less: the message names what fits.',
  ),
  notBillable: row(
    40202,
    403,
    'No BYOK credential, no valid subscription and no API-billing balance',
    'The account has no means to pay: no BYOK credential, no valid subscription, and API billing is off or has no Credits.',
    'Switch API billing on and top up, subscribe, or add a BYOK credential.',
  ),
  modelNotAdmitted: row(
    40203,
    403,
    'The model is not admitted to this account',
    'The model requires a higher verification or plan level than the account has; the message names the level.',
    'Verify the account or subscribe to the named plan.',
  ),
  monthlyCapReached: row(
    40204,
    403,
    'The monthly spending cap is reached',
    'The monthly cap on spending outside the subscription leaves too little for this call.',
    'Raise the cap with `PUT /extra-api-quota`, or wait for the next month.',
  ),
  pathUnknown: row(
    40401,
    404,
    'Unknown path; check the base address for a doubled or missing /v1',
    'The gateway does not serve this path: the endpoint is not supported, or the base address is wrong; the message says which.',
    'Set the base address: `{base_url}` for clients of Messages and generateContent, `{base_url}/v1` for all others.',
  ),
  objectUnknown: row(
    40402,
    404,
    'The account has no object with this id',
    'The account has no file, batch, video, response or conversation with this id; the same for an object of another account, of another kind, and one that was deleted.',
    'Use an id that this account was given, with a key of the same account.',
  ),
  methodNotAllowed: row(
    40501,
    405,
    'Method not allowed',
    'The path exists, but not with this method.',
    'Use a method that the `Allow` header lists.',
  ),
  bodyTooLarge: row(
    41301,
    413,
    'The request body is larger than 100 MiB',
    'The body is over the limit, as sent or after decoding, or it decodes to more than a hundred times its size.',
    'Send a smaller body, or refer to files by URL or id.',
  ),
  mediaTypeUnsupported: row(
    41501,
    415,
    'The content type or content encoding is not supported',
    'The body is not JSON (for images, sound and videos: nor multipart), or its encoding is not gzip, br, zstd or deflate.',
    'Send `Content-Type: application/json`.',
  ),
  webSocketUnserved: row(
    42601,
    426,
    'Tollgate serves no WebSocket: send the request over HTTP',
    'A client begins a WebSocket (`Upgrade: websocket`) at a path of the gateway.',
    'Send the request over HTTP, and switch WebSockets off in the client if it does not do so.',
  ),
  concurrencyExceeded: row(
    42901,
    429,
    'Concurrency limit exceeded, please retry later',
    'As many calls are running as the limit policy allows, or as many videos and batches as an account may have. Calls do not queue.',
    'Retry after the seconds in `Retry-After`.',
  ),
  // Rule I-45: a fixed text about rpm that does not name the real dimension; `x-tollgate-limit` does.
  policyLimitExceeded: row(
    42902,
    429,
    'Rate limit exceeded: too many requests per minute (rpm), please retry later',
    'A request, image, video or amount window of the limit policy is used up; or the coverage of a subscription is, and API billing does not take over. `x-tollgate-limit` names the limit.',
    'Retry after the seconds in `Retry-After`.',
  ),
  tokenLimitExceeded: row(
    42903,
    429,
    'Token limit exceeded, please retry later',
    'A token window of the limit policy is used up.',
    'Retry after the seconds in `Retry-After`.',
  ),
  internal: row(
    50001,
    500,
    'Internal error',
    'The gateway has a fault. Its log has the cause under the same request id.',
    'Retry. If the error stays, report the request id.',
  ),
  noUpstream: row(
    50201,
    502,
    'No available upstream for this model; use the platform model_id as the model name',
    'The model is unknown or disabled, or has no usable route; the message names it.',
    'Use the `model_id` of the platform catalogue, not the name the vendor uses.',
  ),
  upstreamBroken: row(
    50202,
    502,
    'The upstream could not be reached or broke off',
    'Every usable route failed before it answered, or a vendor refused the platform credential. During a stream: the vendor broke off.',
    'Retry with backoff.',
  ),
  unavailable: row(
    50301,
    503,
    'The service is overloaded or shutting down, please retry later',
    'Too many calls are in flight, the database or Redis is unreachable for too long, or the process is shutting down.',
    'Retry after the seconds in `Retry-After`.',
  ),
  upstreamTimeout: row(
    50401,
    504,
    'The upstream did not answer in time',
    'No route answered within the time limits.',
    'Retry with backoff.',
  ),
});

export type ErrorName = keyof typeof ERRORS;

/** An expected outcome: the call ends here with this answer. A value, not an exception. */
export interface Refusal {
  readonly kind: 'refusal';
  readonly error: ErrorRow;
  readonly message: string;
  /** Whole seconds, rounded up, at least 1; on every 429 and 503. */
  readonly retryAfterSeconds?: number;
  /** The value of `x-tollgate-limit`: the real dimension, limit, used and reset. */
  readonly limit?: string;
  /** The same for the call log. */
  readonly hit?: LimitHit;
  /** The fields of a vendor's error, because its clients act on them. They replace ours in `error`. */
  readonly vendorFields?: VendorErrorFields;
  /** `error.details` of the body: what a vendor's SDK acts on, beside what we say. */
  readonly details?: Readonly<Record<string, unknown>>;
}

/**
 * The limit that refused a call, for the call log. Figures are whole numbers as texts: counts, micro-yuan for
 * `amount`, `coverage` and `cap`, micro-Credits for `credits`.
 */
export interface LimitHit {
  /** `concurrency`, a dimension of a policy, `coverage`, `credits` or `cap`. */
  readonly of: string;
  /** `account:12`, `key:34` or `subscription:56`; null for `credits` and `cap`. */
  readonly scope: string | null;
  /** The name of the limit policy. */
  readonly policy: string | null;
  readonly limit: string;
  readonly used: string;
  /** What running calls hold. */
  readonly held: string;
  /** What the call needed at least. */
  readonly needed: string | null;
  /** The length of the window; 0 without one. */
  readonly seconds: number;
  /** From the refusal until the limit is free again; 0 if time alone does not free it. */
  readonly resetMs: number;
}

/** The error body of OpenAI's protocols, beside its message. */
export interface VendorErrorFields {
  readonly type: string;
  readonly param: string | null;
  readonly code: string | null;
}

export interface RefusalDetail {
  readonly message?: string;
  readonly retryAfterMs?: number;
  readonly limit?: string;
  readonly hit?: LimitHit;
  readonly vendorFields?: VendorErrorFields;
  readonly details?: Readonly<Record<string, unknown>> | undefined;
}

export function refuse(name: ErrorName, detail: RefusalDetail = {}): Refusal {
  const error = ERRORS[name];
  const { retryAfterMs, limit, hit, vendorFields, details } = detail;
  assert(retryAfterMs === undefined || Number.isFinite(retryAfterMs), 'a wait is a finite number');
  return {
    kind: 'refusal',
    error,
    message: detail.message ?? error.message,
    ...(retryAfterMs === undefined ? {} : { retryAfterSeconds: Math.max(1, Math.ceil(retryAfterMs / 1000)) }),
    ...(limit === undefined ? {} : { limit }),
    ...(hit === undefined ? {} : { hit }),
    ...(vendorFields === undefined ? {} : { vendorFields }),
    ...(details === undefined ? {} : { details }),
  };
}

export function isRefusal(value: unknown): value is Refusal {
  return typeof value === 'object' && value !== null && (value as { kind?: unknown }).kind === 'refusal';
}
