import { type JsonObject, writeJson } from '../hub/content/json.ts';
import { Inexpressible } from '../hub/notes.ts';
import type { ImageRequest, RequestedPicture } from './image-request.ts';

export type PictureBytes = Extract<RequestedPicture, { readonly kind: 'bytes' }>;

/** All image addresses have been fetched. */
export interface FetchedImageRequest extends ImageRequest {
  readonly pictures: readonly PictureBytes[];
}

export interface GeminiImageRequest {
  readonly body: Buffer;
  /** Options that this vendor does not have. */
  readonly dropped: readonly string[];
}

/** Aspect ratios that all image models of Google's support. */
const RATIOS: readonly (readonly [string, number])[] = [
  ['1:1', 1],
  ['2:3', 2 / 3],
  ['3:2', 3 / 2],
  ['3:4', 3 / 4],
  ['4:3', 4 / 3],
  ['9:16', 9 / 16],
  ['16:9', 16 / 9],
  ['21:9', 21 / 9],
];
/** 1792x1024 means 16:9 and is off by a sixtieth. A larger deviation means another ratio. */
const RATIO_DEVIATION_MAX = 0.02;
/** From this length of the longer side on, the image has Google's size 2K, and 4K. */
const PIXELS_2K = 2_048;
const PIXELS_4K = 3_840;
/** These models make images of one size. */
const ONE_SIZE_MODELS = /^(?:models\/)?gemini-[12]/;

const READABLE: ReadonlySet<string> = new Set([
  'image/png',
  'image/jpeg',
  'image/webp',
  'image/heic',
  'image/heif',
]);

/** Options whose values match what is returned anyway. */
const FULFILLED: ReadonlyMap<string, readonly string[]> = new Map([
  ['model', []],
  ['stream', []],
  ['n', []],
  ['size', ['auto']],
  ['quality', ['auto']],
  ['background', ['auto', 'opaque']],
  ['output_format', ['png']],
  ['moderation', ['auto']],
  ['response_format', ['b64_json']],
  ['partial_images', ['0']],
]);

/** Throws `Inexpressible` for what this vendor cannot do and the client would miss. */
export function encodeImageRequest(request: FetchedImageRequest, model: string): GeminiImageRequest {
  const { options, pictures, prompt } = request;
  if (options.has('mask')) throw new Inexpressible('mask', 'this model edits without masks');
  const count = options.get('n') ?? '1';
  if (!/^1(?:\.0+)?$/.test(count)) throw new Inexpressible('n', 'this model makes one image at a time');
  const { imageConfig, isMet } = encodeSize(options.get('size') ?? 'auto', model);
  const dropped = [...options].filter(([name, value]) => isDropped(name, value)).map(([name]) => name);
  const body = {
    contents: [{ role: 'user', parts: [{ text: prompt }, ...pictures.map(encodePicture)] }],
    generationConfig: { responseModalities: ['TEXT', 'IMAGE'], imageConfig },
  };
  return {
    body: Buffer.from(writeJson(body)),
    dropped: isMet ? dropped : [...dropped, 'size'],
  };
}

function isDropped(name: string, value: string): boolean {
  if (name === 'size') return false;
  const fulfilled = FULFILLED.get(name);
  return fulfilled === undefined || (fulfilled.length > 0 && !fulfilled.includes(value));
}

function encodePicture({ mime, base64 }: PictureBytes, index: number): JsonObject {
  if (!READABLE.has(mime)) throw new Inexpressible(`image[${index}]`, 'must be PNG, JPEG, WebP or HEIC');
  return { inlineData: { mimeType: mime, data: base64 } };
}

interface ImageSize {
  readonly imageConfig: JsonObject | undefined;
  /** The requested size is met, as far as a ratio and a coarse size allow. */
  readonly isMet: boolean;
}

function encodeSize(size: string, model: string): ImageSize {
  if (size === 'auto') return { imageConfig: undefined, isMet: true };
  const match = /^(\d{1,5})x(\d{1,5})$/.exec(size);
  const [width, height] = [Number(match?.[1] ?? 0), Number(match?.[2] ?? 0)];
  if (width === 0 || height === 0) return { imageConfig: undefined, isMet: false };
  const { ratio, deviation } = nearestRatio(width / height);
  const longer = Math.max(width, height);
  const coarse = longer >= PIXELS_4K ? '4K' : longer >= PIXELS_2K ? '2K' : undefined;
  const isOneSize = ONE_SIZE_MODELS.test(model);
  const imageSize = isOneSize ? undefined : coarse;
  return {
    imageConfig: { aspectRatio: ratio, imageSize },
    isMet: deviation <= RATIO_DEVIATION_MAX && imageSize === coarse,
  };
}

function nearestRatio(wanted: number): { readonly ratio: string; readonly deviation: number } {
  let [ratio, deviation] = ['1:1', Number.POSITIVE_INFINITY];
  for (const [name, value] of RATIOS) {
    // Twice as wide is as far off as twice as high.
    const distance = Math.abs(Math.log(wanted / value));
    if (distance < deviation) [ratio, deviation] = [name, distance];
  }
  return { ratio, deviation };
}
