import { UPSTREAM_HEADER_NAMES_MAX, UPSTREAM_KEEP_ALIVE_MS } from '../../bounds.ts';

/** The head of an HTTP/1.1 answer, and what it says of the bytes that follow. */
export interface AnswerHead {
  readonly status: number;
  /** Lower-case names; a repeated header is joined with ", ". */
  readonly headers: Record<string, string>;
  /** How the body ends: after so many bytes, with its last chunk, or with the connection. */
  readonly body: number | 'chunked' | 'until-close';
  /** How long the connection may wait for its next call; 0: it has no next one. */
  readonly keepMs: number;
}

/** RFC 9110, 15: there is no sixth class. */
const STATUS_LINE = /^HTTP\/1\.([01]) ([1-5]\d\d)(?: [\t\x20-\x7e\x80-\xff]*)?$/;
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const NOT_IN_VALUES = /[^\t\x20-\x7e\x80-\xff]/;
const LENGTH = /^\d{1,15}$/;
const KEEP_SECONDS = /\btimeout=(\d{1,9})\b/i;
/** A vendor begins to close at the time it named; a call on its way then would be lost. */
const KEEP_MARGIN_MS = 1_000;

/**
 * Reads a head without its last empty line; words of complaint when it is not one. Whatever two readers of
 * HTTP could understand in two ways is refused: who reads less than was sent takes the rest for an answer to
 * somebody else.
 */
export function readAnswerHead(text: string): AnswerHead | string {
  let end = endOfLine(text, 0);
  const line = STATUS_LINE.exec(text.slice(0, end));
  if (line === null) return 'not an HTTP/1.1 status line';
  const headers: Record<string, string> = Object.create(null);
  while (end < text.length) {
    const start = end + 2;
    end = endOfLine(text, start);
    const complaint = readHeader(text.slice(start, end), headers);
    if (complaint !== undefined) return complaint;
  }
  const status = Number(line[2]);
  const body = readBodyEnd(status, headers);
  if (typeof body === 'object') return body.complaint;
  const isLast =
    body === 'until-close' ||
    announcesMore(status, headers) ||
    readLasting(headers, line[1] === '1' ? 'keep-alive' : 'close') === 'close';
  return { status, headers, body, keepMs: isLast ? 0 : keepMs(headers) };
}

/** An answer without body that speaks of one: some vendor may send it, and the next call would read it. */
function announcesMore(status: number, headers: Readonly<Record<string, string>>): boolean {
  if (status !== 204 && status !== 304) return false;
  if (headers['transfer-encoding'] !== undefined) return true;
  return status === 204 && Number(headers['content-length'] ?? 0) > 0;
}

function endOfLine(text: string, start: number): number {
  const end = text.indexOf('\r\n', start);
  return end < 0 ? text.length : end;
}

/** A folded line begins with a space, which is in no name. */
function readHeader(line: string, headers: Record<string, string>): string | undefined {
  const colon = line.indexOf(':');
  const name = colon < 0 ? undefined : findHeaderName(line.slice(0, colon));
  if (name === undefined) return 'a header without a proper name';
  const text = line.slice(colon + 1);
  if (NOT_IN_VALUES.test(text)) return `a value of header ${name} that none may have`;
  const value = stripped(text);
  const known = headers[name];
  headers[name] = known === undefined ? value : `${known}, ${value}`;
  return undefined;
}

/** Without the spaces and tabs around it, and nothing else that some call white. */
function stripped(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isBlank(text.charCodeAt(start))) start += 1;
  while (end > start && isBlank(text.charCodeAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09;
}

/** Vendors send the same few names with every answer, each in its own spelling. */
const names = new Map<string, string>();
const NAME_LENGTH_KEPT = 64;

function findHeaderName(text: string): string | undefined {
  const known = names.get(text);
  if (known !== undefined) return known;
  if (!TOKEN.test(text)) return undefined;
  const name = text.toLowerCase();
  if (text.length > NAME_LENGTH_KEPT) return name;
  if (names.size >= UPSTREAM_HEADER_NAMES_MAX) names.clear();
  // A copy: a part of a text keeps the whole of it in memory.
  names.set(Buffer.from(text, 'latin1').toString('latin1'), name);
  return name;
}

/** RFC 9112, 6.3. A length that comes twice is joined with a comma, and so no length. */
function readBodyEnd(
  status: number,
  headers: Readonly<Record<string, string>>,
): AnswerHead['body'] | { readonly complaint: string } {
  const coding = headers['transfer-encoding'];
  const length = headers['content-length'];
  if (coding !== undefined && length !== undefined) return { complaint: 'a length and a transfer coding' };
  if (coding !== undefined && coding.toLowerCase() !== 'chunked')
    return { complaint: 'a coding but chunked' };
  if (length !== undefined && !LENGTH.test(length)) return { complaint: 'a length that is none' };
  if (status < 200 || status === 204 || status === 304) return 0;
  if (coding !== undefined) return 'chunked';
  return length === undefined ? 'until-close' : Number(length);
}

type Lasting = 'keep-alive' | 'close';

function readLasting(headers: Readonly<Record<string, string>>, otherwise: Lasting): Lasting {
  const options =
    headers.connection
      ?.toLowerCase()
      .split(',')
      .map((option) => option.trim()) ?? [];
  if (options.includes('close')) return 'close';
  return options.includes('keep-alive') ? 'keep-alive' : otherwise;
}

function keepMs(headers: Readonly<Record<string, string>>): number {
  const seconds = KEEP_SECONDS.exec(headers['keep-alive'] ?? '')?.[1];
  if (seconds === undefined) return UPSTREAM_KEEP_ALIVE_MS;
  return Math.max(0, Math.min(UPSTREAM_KEEP_ALIVE_MS, Number(seconds) * 1_000 - KEEP_MARGIN_MS));
}
