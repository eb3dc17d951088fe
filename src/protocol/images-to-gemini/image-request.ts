import { sniffMedia } from '../../kernel/encoding/sniff.ts';
import { isRefusal } from '../../kernel/errors.ts';
import type { Form, RawRequest, RequestFacts } from '../dialect.ts';
import { isArray, isObject, type JsonObject, type JsonValue } from '../hub/content/json.ts';
import { decodeAddress } from '../hub/content/media.ts';
import { isTooLarge, readWhole, tooLarge } from '../hub/content/value-budget.ts';
import { Inexpressible } from '../hub/notes.ts';
import type { MediaSource } from '../hub/part.ts';
import { isPictureField } from '../images/multipart.ts';

/** An Images request, from JSON or a form. It is plain data and never changes. */
export interface ImageRequest {
  readonly prompt: string;
  /** Input images, in the client's order. */
  readonly pictures: readonly RequestedPicture[];
  /** All other fields that are set, as texts, because forms contain only texts. */
  readonly options: ReadonlyMap<string, string>;
}

/** An image as bytes or by its address. File ids mean nothing outside their vendor. */
export type RequestedPicture = Exclude<MediaSource, { readonly kind: 'file' }>;

const PICTURE_FIELDS: ReadonlySet<string> = new Set(['image', 'image[]', 'images']);
const NO_RAW_KEYS: ReadonlySet<string> = new Set();

/** Throws `Inexpressible` for what only the client's own vendor could understand. */
export function readImageRequest({ body }: RawRequest, { form }: Pick<RequestFacts, 'form'>): ImageRequest {
  if (isTooLarge(body.length)) throw new Inexpressible('body', tooLarge().message);
  return form === undefined ? readObject(body) : readForm(body, form);
}

function readObject(body: Buffer): ImageRequest {
  const object = readWhole(body, NO_RAW_KEYS);
  if (isRefusal(object)) throw new Inexpressible('body', object.message);
  const pictures: RequestedPicture[] = [];
  const options = new Map<string, string>();
  for (const [name, value] of Object.entries(object)) {
    if (value === null || value === undefined || name === 'prompt') continue;
    if (PICTURE_FIELDS.has(name)) for (const picture of readPictures(value, name)) pictures.push(picture);
    else options.set(name, typeof value === 'string' ? value : JSON.stringify(value));
  }
  return { prompt: requirePrompt(object.prompt), pictures, options };
}

function readPictures(value: JsonValue, path: string): readonly RequestedPicture[] {
  if (!isArray(value)) return [readPicture(value, path)];
  return value.map((one, index) => readPicture(one, `${path}[${index}]`));
}

/** `{image_url}` as the vendor documents it. Many clients send bare addresses. */
function readPicture(value: JsonValue, path: string): RequestedPicture {
  const address = isObject(value) ? findAddress(value, path) : value;
  if (typeof address !== 'string') throw new Inexpressible(path, 'an address is needed');
  return decodeAddress(address, path);
}

function findAddress(value: JsonObject, path: string): JsonValue | undefined {
  if (value.file_id !== undefined && value.file_id !== null) {
    throw new Inexpressible(`${path}.file_id`, 'a file kept at another vendor cannot be sent');
  }
  return isObject(value.image_url) ? value.image_url.url : value.image_url;
}

/** In a form the type of a file comes from its bytes. The declared type is ignored. */
function readForm(body: Buffer, { parts }: Form): ImageRequest {
  const pictures: RequestedPicture[] = [];
  const options = new Map<string, string>();
  for (const { name, content } of parts) {
    const bytes = body.subarray(content.start, content.end);
    if (name === 'mask') {
      options.set(name, 'file');
    } else if (isPictureField(name)) {
      const mime = sniffMedia(bytes) ?? 'application/octet-stream';
      pictures.push({ kind: 'bytes', mime, base64: bytes.toString('base64') });
    } else {
      options.set(name, bytes.toString('utf8'));
    }
  }
  const prompt = requirePrompt(options.get('prompt'));
  options.delete('prompt');
  return { prompt, pictures, options };
}

function requirePrompt(value: JsonValue | undefined): string {
  if (typeof value === 'string' && value !== '') return value;
  throw new Inexpressible('prompt', 'a text is needed');
}
