/** Bytes that have a meaning in JSON, in server-sent events or in multipart bodies. */
export const TAB = 0x09;
export const LF = 0x0a;
export const CR = 0x0d;
export const SPACE = 0x20;
export const QUOTE = 0x22;
export const PLUS = 0x2b;
export const COMMA = 0x2c;
export const MINUS = 0x2d;
export const DOT = 0x2e;
export const SLASH = 0x2f;
export const ZERO = 0x30;
export const NINE = 0x39;
export const COLON = 0x3a;
export const OPEN_BRACKET = 0x5b;
export const BACKSLASH = 0x5c;
export const CLOSE_BRACKET = 0x5d;
export const LETTER_F = 0x66;
export const LETTER_N = 0x6e;
export const LETTER_R = 0x72;
export const LETTER_T = 0x74;
export const LETTER_U = 0x75;
export const OPEN_BRACE = 0x7b;
export const CLOSE_BRACE = 0x7d;
/** Braces and brackets differ only by this bit, so "any opening" is one comparison. */
export const BRACE_BIT = 0x20;
