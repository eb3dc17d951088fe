import { FILE_NAME_CHARS_MAX } from '../../bounds.ts';
import { systemRandom } from '../../kernel/random.ts';
import type { Form, FormPart } from '../dialect.ts';

const BOUNDARY_BYTES = 18;
/** What a file may be called without being quoted, cut or read otherwise by anybody. */
const NOT_IN_FILE_NAMES = /[^\p{L}\p{N}\p{M} .,_~!@#$%&'()+[\]{}^-]/gu;
const UNNAMED = 'file';

/**
 * Nobody can know the boundary of a form before it is sent, so no content can hold it: it need not be
 * searched for, and nobody can write a part of ours.
 */
export function newForm(parts: readonly FormPart[]): Form {
  return { boundary: `tollgate-${systemRandom.bytes(BOUNDARY_BYTES).toString('hex')}`, parts };
}

export function formContentType({ boundary }: Form): string {
  return `multipart/form-data; boundary=${boundary}`;
}

/** The form for the vendor: our frame in its plainest shape, the client's contents in their own memory. */
export function writeForm(body: Buffer, { boundary, parts }: Form, forwardModel: string): readonly Buffer[] {
  const pieces: Buffer[] = [];
  let head = '';
  for (const part of parts) {
    const { start, end } = part.content;
    pieces.push(Buffer.from(`${head}--${boundary}\r\n${headOf(part)}\r\n`));
    pieces.push(part.name === 'model' ? Buffer.from(forwardModel) : body.subarray(start, end));
    head = '\r\n';
  }
  pieces.push(Buffer.from(`${head}--${boundary}--\r\n`));
  return pieces;
}

function headOf({ name, file }: FormPart): string {
  const field = `Content-Disposition: form-data; name="${name}"`;
  if (file === undefined) return `${field}\r\n`;
  const type = file.type === undefined ? '' : `Content-Type: ${file.type}\r\n`;
  return `${field}; filename="${plainFileName(file.name)}"\r\n${type}`;
}

/** Models look at the end of a file's name, if at all; the rest only has to be harmless. */
function plainFileName(name: string): string {
  const plain = name.toWellFormed().replaceAll('"', '%22').replaceAll(NOT_IN_FILE_NAMES, '_');
  return plain.slice(-FILE_NAME_CHARS_MAX).toWellFormed() || UNNAMED;
}
