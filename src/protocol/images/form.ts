import { FILE_NAME_CHARS_MAX } from '../../bounds.ts';
import { systemRandom } from '../../kernel/random.ts';
import type { Form, FormPart } from '../dialect.ts';

const BOUNDARY_BYTES = 18;
/** Characters that some reader may quote, cut or misread in a file name. */
const NOT_IN_FILE_NAMES = /[^\p{L}\p{N}\p{M} .,_~!@#$%&'()+[\]{}^-]/gu;
const UNNAMED = 'file';

/**
 * No client can know the boundary before the form is sent. So no content can contain it, it need not be
 * searched for, and no client can forge a part.
 */
export function newForm(parts: readonly FormPart[]): Form {
  return { boundary: `tollgate-${systemRandom.bytes(BOUNDARY_BYTES).toString('hex')}`, parts };
}

export function formContentType({ boundary }: Form): string {
  return `multipart/form-data; boundary=${boundary}`;
}

/** The form for the vendor: a plain frame of ours around the client's contents, which are not copied. */
export function writeForm(body: Buffer, { boundary, parts }: Form, forwardModel: string): readonly Buffer[] {
  const pieces: Buffer[] = [];
  let head = '';
  for (const part of parts) {
    const { start, end } = part.content;
    pieces.push(Buffer.from(`${head}--${boundary}\r\n${writePartHead(part)}\r\n`));
    pieces.push(part.name === 'model' ? Buffer.from(forwardModel) : body.subarray(start, end));
    head = '\r\n';
  }
  pieces.push(Buffer.from(`${head}--${boundary}--\r\n`));
  return pieces;
}

export function writePartHead({ name, file }: Omit<FormPart, 'content'>): string {
  const field = `Content-Disposition: form-data; name="${name}"`;
  if (file === undefined) return `${field}\r\n`;
  const type = file.type === undefined ? '' : `Content-Type: ${file.type}\r\n`;
  return `${field}; filename="${plainFileName(file.name)}"\r\n${type}`;
}

/** Models use at most the extension of a file's name. The rest must only be harmless. */
export function plainFileName(name: string): string {
  const plain = name.toWellFormed().replaceAll('"', '%22').replaceAll(NOT_IN_FILE_NAMES, '_');
  return plain.slice(-FILE_NAME_CHARS_MAX).toWellFormed() || UNNAMED;
}
