import { MULTIPART_HEADER_BYTES_MAX, MULTIPART_PARTS_MAX } from '../../bounds.ts';
import type { ByteRange } from '../dialect.ts';

/** One part of a form: its field name and where its content stands. */
export interface Part {
  readonly name: string;
  readonly content: ByteRange;
}

const LINE_END = Buffer.from('\r\n');
const HEADERS_END = Buffer.from('\r\n\r\n');
const CLOSING = Buffer.from('--');

export function isMultipart(contentType: string): boolean {
  return /^multipart\/form-data\b/i.test(contentType.slice(0, 32).trimStart());
}

/** RFC 2046: up to seventy characters, quoted or not. */
export function findBoundary(contentType: string): string | undefined {
  const match = /;\s{0,9}boundary=(?:"([^"\r\n]{1,70})"|([^\s";,]{1,70}))/i.exec(contentType.slice(0, 1024));
  return match?.[1] ?? match?.[2];
}

/** The parts of a form, in order; nothing when the bytes are not a whole multipart body. */
export function findParts(body: Buffer, boundary: string): readonly Part[] | undefined {
  const delimiter = Buffer.from(`\r\n--${boundary}`);
  const parts: Part[] = [];
  // The first delimiter has no line end of its own when nothing stands before it.
  const first = delimiter.subarray(LINE_END.length);
  const opensAtOnce = body.subarray(0, first.length).equals(first);
  const found = opensAtOnce ? 0 : body.indexOf(delimiter);
  if (found < 0) return undefined;
  let at = found + (opensAtOnce ? first.length : delimiter.length);
  while (parts.length < MULTIPART_PARTS_MAX) {
    if (startsWith(body, at, CLOSING)) return parts;
    // Blanks may stand between a delimiter and its line end.
    while (body[at] === 0x20 || body[at] === 0x09) at++;
    if (!startsWith(body, at, LINE_END)) return undefined;
    const part = findPart(body, at + LINE_END.length, delimiter);
    if (part === undefined) return undefined;
    parts.push(part);
    at = part.content.end + delimiter.length;
  }
  return undefined;
}

function findPart(body: Buffer, start: number, delimiter: Buffer): Part | undefined {
  const window = body.subarray(start, start + MULTIPART_HEADER_BYTES_MAX);
  const headersEnd = window.indexOf(HEADERS_END);
  if (headersEnd < 0) return undefined;
  const contentStart = start + headersEnd + HEADERS_END.length;
  const end = body.indexOf(delimiter, contentStart);
  if (end < 0) return undefined;
  const name = findName(window.toString('utf8', 0, headersEnd));
  return { name, content: { start: contentStart, end } };
}

function findName(headers: string): string {
  const disposition = headers.split('\r\n').find((line) => /^content-disposition\s*:/i.test(line)) ?? '';
  const match = /[;\s]name=(?:"([^"]{0,256})"|([^\s;"]{1,256}))/i.exec(disposition.slice(0, 1024));
  return match?.[1] ?? match?.[2] ?? '';
}

function startsWith(body: Buffer, at: number, wanted: Buffer): boolean {
  return body.subarray(at, at + wanted.length).equals(wanted);
}
