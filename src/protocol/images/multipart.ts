import { isUtf8 } from 'node:buffer';
import {
  FORM_SLICE_BYTES,
  METERED_KEYS_MAX,
  MODEL_NAME_LENGTH_MAX,
  MULTIPART_HEADER_BYTES_MAX,
  MULTIPART_PARTS_MAX,
} from '../../bounds.ts';
import { type Refusal, refuse } from '../../kernel/errors.ts';
import { isUtf8Type, readParameters } from '../bytes/parameters.ts';
import { finishInTurns, finishNow, type Sliced } from '../bytes/slices.ts';
import { showText } from '../bytes/text.ts';
import type { FormPart, RawRequest } from '../dialect.ts';
import { foldKey } from '../pass-through/key-spelling.ts';

const LINE_END = Buffer.from('\r\n');
const HEADERS_END = Buffer.from('\r\n\r\n');
const CLOSING = Buffer.from('--');
/** RFC 2046. The last character may not be a blank. */
const BOUNDARY = /^[0-9A-Za-z'()+_,\-./:=? ]{0,69}[0-9A-Za-z'()+_,\-./:=?]$/;
const HEADER = /^([!#$%&'*+\-.^_`|~\w]+):[ \t]*(.*?)[ \t]*$/;
/** Line ends and other characters that no header may contain. */
const CONTROL = /[^\P{Cc}\t]/u;
const FIELD_NAME = /^[\w.\-[\]]{1,64}$/;
/** Readers that know mail would open nested messages, so these types are refused. */
const FILE_TYPE = /^(?!multipart\/|message\/)[\w!#$&^.+-]{1,64}\/[\w!#$&^.+-]{1,64}$/;
/** The bytes are not encoded. Other encodings would have to be decoded, and not every reader does. */
const PLAIN_ENCODINGS: ReadonlySet<string> = new Set(['binary', '8bit', '7bit']);

/** The fields of a protocol's form, as far as they affect metering. */
export interface FormFields {
  /** They may not be files. */
  readonly metered: ReadonlySet<string>;
  readonly files: RegExp;
  /** Fields that no other spelling may be taken for. */
  readonly known: ReadonlySet<string>;
}

/** How many images: in the protocol, and at other vendors. */
export const COUNT_FIELDS = ['n', 'batch_size', 'num_images'];
const METERED = ['model', 'stream', ...COUNT_FIELDS];
const PICTURE = /^(?:images?(?:\[\d{0,3}\])?|mask)$/;
export const IMAGE_FIELDS: FormFields = {
  metered: new Set(METERED),
  files: PICTURE,
  known: new Set([...METERED, 'image', 'images', 'mask']),
};

export function isMultipart(contentType: string): boolean {
  return /^multipart\/form-data\b/i.test(contentType.slice(0, 32).trimStart());
}

/** A field with an input image or a mask. */
export function isPictureField(name: string): boolean {
  return PICTURE.test(name);
}

/** What is wrong with a form, as a message for the client. */
export class NotAForm extends Error {}

/** Reads the parts of a client's form, in turns if it is large. */
export function readForm<Found>(
  request: RawRequest,
  fields: FormFields,
  read: (parts: readonly FormPart[]) => Found | Refusal | Promise<Found | Refusal>,
): Found | Refusal | Promise<Found | Refusal> {
  const reading = readParts(request, fields);
  const judge = (parts: readonly FormPart[] | string): Found | Refusal | Promise<Found | Refusal> =>
    typeof parts === 'string' ? refuse('bodyNotJson', { message: parts }) : read(parts);
  return request.body.length > FORM_SLICE_BYTES
    ? finishInTurns(reading).then(judge)
    : judge(finishNow(reading));
}

/** The model of a form, or why there is none. */
export function readFormModel(body: Buffer, parts: readonly FormPart[]): string | Refusal {
  const models = parts.filter(({ name }) => name === 'model');
  if (models.length > METERED_KEYS_MAX) {
    return refuse('bodyNotJson', { message: `The form has "model" more than ${METERED_KEYS_MAX} times` });
  }
  const model = findText(body, models.at(-1));
  return model === undefined || model === '' ? refuse('modelMissing') : model;
}

/** The text of a short field; empty if it is too long or not text. */
export function findText(body: Buffer, part: FormPart | undefined): string | undefined {
  if (part === undefined) return undefined;
  const bytes = body.subarray(part.content.start, part.content.end);
  if (bytes.length > MODEL_NAME_LENGTH_MAX * 4 || !isUtf8(bytes)) return '';
  const text = bytes.toString('utf8');
  return text.length > MODEL_NAME_LENGTH_MAX ? '' : text;
}

/**
 * The parts of a form, in order, or what is wrong with it. Only the form that common clients write is
 * accepted. Whatever readers could understand in two ways is refused (names in other spellings, folded
 * headers, other line ends). The vendor never sees the client's own frame, only ours around the same
 * contents.
 */
function* readParts(
  { body, contentType }: RawRequest,
  fields: FormFields,
): Sliced<readonly FormPart[] | string> {
  try {
    return yield* findParts(body, readBoundary(contentType), fields);
  } catch (error) {
    if (error instanceof NotAForm) return error.message;
    throw error;
  }
}

/** Throws `NotAForm`. */
export function readBoundary(contentType: string): string {
  const boundary = readParameters(contentType)?.parameters.get('boundary');
  if (boundary !== undefined && BOUNDARY.test(boundary)) return boundary;
  throw new NotAForm('The content type has no boundary, or more than one');
}

function* findParts(body: Buffer, boundary: string, fields: FormFields): Sliced<readonly FormPart[]> {
  const delimiter = Buffer.from(`\r\n--${boundary}`);
  const parts: FormPart[] = [];
  // The first delimiter has no line end of its own if nothing is before it.
  const first = delimiter.subarray(LINE_END.length);
  const opensAtOnce = startsWith(body, 0, first);
  let at = opensAtOnce ? first.length : (yield* find(body, delimiter, 0)) + delimiter.length;
  while (!startsWith(body, at, CLOSING)) {
    if (parts.length === MULTIPART_PARTS_MAX) {
      throw new NotAForm(`The form has more than ${MULTIPART_PARTS_MAX} parts`);
    }
    // Blanks may be between a delimiter and its line end.
    while (body[at] === 0x20 || body[at] === 0x09) at++;
    if (!startsWith(body, at, LINE_END))
      throw new NotAForm('The form has a line that begins with its boundary and continues after it');
    const start = at + LINE_END.length;
    const window = body.subarray(start, start + MULTIPART_HEADER_BYTES_MAX);
    const headersEnd = window.indexOf(HEADERS_END);
    if (headersEnd < 0) throw new NotAForm('The headers of a part of the form have no end');
    const contentStart = start + headersEnd + HEADERS_END.length;
    const end = yield* find(body, delimiter, contentStart);
    const head = readHead(window.subarray(0, headersEnd), first, fields);
    parts.push({ ...head, content: { start: contentStart, end } });
    at = end + delimiter.length;
  }
  return parts;
}

/** A search over many megabytes, in slices: the slowest search takes a second for a hundred megabytes. */
function* find(body: Buffer, delimiter: Buffer, from: number): Sliced<number> {
  for (let at = from; at < body.length; at += FORM_SLICE_BYTES) {
    const found = body.subarray(at, at + FORM_SLICE_BYTES + delimiter.length - 1).indexOf(delimiter);
    if (found >= 0) return at + found;
    yield;
  }
  throw new NotAForm('The form does not end with its boundary');
}

function startsWith(body: Buffer, at: number, wanted: Buffer): boolean {
  return body.subarray(at, at + wanted.length).equals(wanted);
}

export type Head = Omit<FormPart, 'content'>;

/** The field of a part, from its headers. Throws `NotAForm`. */
export function readHead(head: Buffer, delimiter: Buffer, fields: FormFields): Head {
  if (!isUtf8(head) || head.includes(delimiter))
    throw new NotAForm('A part of the form has malformed headers');
  const headers = new Map<string, string>();
  for (const line of head.toString('utf8').split('\r\n')) {
    const match = CONTROL.test(line) ? null : HEADER.exec(line);
    const name = match?.[1]?.toLowerCase();
    if (name === undefined || headers.has(name)) {
      throw new NotAForm('A part of the form has a header that is malformed, folded or repeated');
    }
    headers.set(name, match?.[2] ?? '');
  }
  const encoding = headers.get('content-transfer-encoding') ?? 'binary';
  if (!PLAIN_ENCODINGS.has(encoding.toLowerCase())) {
    throw new NotAForm('A part of the form has a transfer encoding; send its bytes as they are');
  }
  const field = readDisposition(headers.get('content-disposition') ?? '', fields);
  const type = readType(headers.get('content-type'), field.name);
  return field.filename === undefined
    ? { name: field.name }
    : { name: field.name, file: { name: field.filename, type } };
}

interface Disposition {
  readonly name: string;
  readonly filename: string | undefined;
}

function readDisposition(text: string, fields: FormFields): Disposition {
  const disposition = readParameters(text);
  const name = disposition?.parameters.get('name');
  if (disposition?.value !== 'form-data' || name === undefined) {
    throw new NotAForm('A part of the form has no Content-Disposition of the form: form-data; name="…"');
  }
  const { parameters } = disposition;
  const odd = [...parameters.keys()].find((key) => key.startsWith('name*') || key.startsWith('filename*0'));
  if (odd !== undefined) throw new NotAForm(`A part of the form has the parameter "${odd}"`);
  const complaint = complaintAbout(name, fields);
  if (complaint !== undefined) throw new NotAForm(complaint);
  const filename = parameters.get('filename') ?? extendedName(parameters.get('filename*'));
  if (filename !== undefined && fields.metered.has(name))
    throw new NotAForm(`The field "${name}" must not be a file`);
  return { name, filename };
}

/** Frameworks read `n[]`, `N` and `model.x` as these or other fields. */
function complaintAbout(name: string, { metered, files, known }: FormFields): string | undefined {
  if (!FIELD_NAME.test(name)) return `The form has a field whose name is not plain: ${showText(name)}`;
  if (metered.has(name) || files.test(name)) return undefined;
  const meant = foldKey(name.split(/[[.]/, 1)[0] ?? '');
  return known.has(meant) ? `The field "${name}" may be read as "${meant}"` : undefined;
}

/** RFC 5987. In practice the charset is always UTF-8. */
function extendedName(value: string | undefined): string | undefined {
  if (value === undefined) return undefined;
  const encoded = /^utf-8'[\w-]{0,16}'(.*)$/i.exec(value)?.[1];
  try {
    return decodeURIComponent(encoded ?? '');
  } catch {
    return '';
  }
}

/** The type of a file. A text field is only checked to be UTF-8. */
function readType(text: string | undefined, name: string): string | undefined {
  if (text === undefined) return undefined;
  const type = readParameters(text);
  if (type !== undefined && isUtf8Type(type) && FILE_TYPE.test(type.value)) return type.value;
  throw new NotAForm(`The field "${name}" has a content type that is malformed or not UTF-8`);
}
