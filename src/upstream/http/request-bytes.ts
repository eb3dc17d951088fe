import { UPSTREAM_COPY_BYTES_MAX, UPSTREAM_PIECE_BYTES } from '../../bounds.ts';
import type { UpstreamRequest } from '../contract.ts';

const TARGET = /^\/[\x21-\x7e]*$/;
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const NOT_IN_VALUES = /[^\t\x20-\x7e\x80-\xff]/;
/** They say where a message ends and who it is for: ours to write, and nobody else's. */
const OURS = new Set([
  'host',
  'connection',
  'content-length',
  'transfer-encoding',
  'expect',
  'upgrade',
  'te',
]);

/** What is wrong with a request, so that it must not be written. */
export function complaintAbout({ path, headers }: UpstreamRequest): string | undefined {
  if (!TARGET.test(path)) return 'the path has characters that none may have';
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index] as string;
    if (!TOKEN.test(name) || OURS.has(name.toLowerCase())) return 'a header that none may send';
    if (NOT_IN_VALUES.test(headers[index + 1] as string))
      return `a value of header ${name} that none may have`;
  }
  return undefined;
}

/** The bytes of a request: a small one is a single piece, a large one many, to be let go one by one. */
export function requestBytes(
  { method, path, headers, body, streamed }: UpstreamRequest,
  host: string,
  lasting: 'keep-alive' | 'close',
): Buffer[] {
  let bytes = 0;
  for (const piece of body) bytes += piece.length;
  let head = `${method} ${path} HTTP/1.1\r\nhost: ${host}\r\nconnection: ${lasting}\r\n`;
  for (let index = 0; index < headers.length; index += 2) {
    head += `${headers[index]}: ${headers[index + 1]}\r\n`;
  }
  if (streamed !== undefined) return [Buffer.from(`${head}transfer-encoding: chunked\r\n\r\n`, 'latin1')];
  head += method === 'GET' && bytes === 0 ? '\r\n' : `content-length: ${bytes}\r\n\r\n`;
  if (bytes > UPSTREAM_COPY_BYTES_MAX) return [Buffer.from(head, 'latin1'), ...body.flatMap(slices)];
  const whole = Buffer.allocUnsafe(head.length + bytes);
  let at = whole.write(head, 0, 'latin1');
  for (const piece of body) at += piece.copy(whole, at);
  return [whole];
}

function slices(piece: Buffer): Buffer[] {
  const cut: Buffer[] = [];
  for (let at = 0; at < piece.length; at += UPSTREAM_PIECE_BYTES) {
    cut.push(piece.subarray(at, at + UPSTREAM_PIECE_BYTES));
  }
  return cut;
}

const LINE_END = Buffer.from('\r\n');

/** One piece of a streamed body. An empty one would end it. */
export function chunkBytes(bytes: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`, 'latin1'), bytes, LINE_END]);
}

export const LAST_CHUNK = Buffer.from('0\r\n\r\n');
