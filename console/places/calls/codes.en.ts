type ByCode = Readonly<Record<number, string | undefined>>;

/** A code of the gateway in a word or two, for lists. */
export const codeWords = {
  40001: 'no key',
  40002: 'bad request',
  40003: 'bad request',
  40004: 'bad request',
  40101: 'key not valid',
  40201: 'no Credits',
  40202: 'no payment',
  40203: 'not admitted',
  40204: 'cap reached',
  40401: 'unknown path',
  40402: 'unknown id',
  40501: 'bad method',
  41301: 'too large',
  41501: 'bad format',
  42601: 'no WebSocket',
  42901: 'limit reached',
  42902: 'limit reached',
  42903: 'limit reached',
  50001: 'gateway fault',
  50201: 'no such model',
  50202: 'vendor failed',
  50301: 'overloaded',
  50401: 'timed out',
} as const satisfies ByCode;

export type CallCode = keyof typeof codeWords;

/** Each code of the gateway that a caller can get; others are a newer gateway's. */
export function isCallCode(code: number): code is CallCode {
  return code in codeWords;
}
