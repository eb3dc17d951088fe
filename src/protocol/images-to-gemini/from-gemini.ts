import { IMAGES_PER_CALL_MAX, STREAM_EVENT_BYTES_MAX } from '../../bounds.ts';
import { inputTokens, outputTokens } from '../../kernel/usage.ts';
import { findNumber, findText, listObjects } from '../gemini/fields.ts';
import { isFiltered } from '../gemini/finish.ts';
import { decodeUsage } from '../gemini/usage.ts';
import { isObject, type JsonObject } from '../hub/content/json.ts';
import { standardBase64 } from '../hub/content/media.ts';
import { plainType } from '../hub/content/media-type.ts';
import { type Figures, overlayFigures } from '../meter/usage-report.ts';

/** How many characters of the model's text go into the error of a client that expects an image. */
const WORDS_CHARS_MAX = 500;
/** Base64 characters that contain the head of a PNG: width and height are at the sixteenth byte. */
const PNG_HEAD_CHARS = 32;
const PNG_HEAD = 'iVBORw0KGgo';

interface MadeImage {
  readonly format: string;
  readonly base64: string;
}

/** The answer of an image model so far: one plain answer, or the chunks of a stream. */
export class ImageAnswer {
  readonly #images: MadeImage[] = [];
  #heldChars = 0;
  #text = '';
  #block: string | undefined;
  #reason: string | undefined;
  #reasonText: string | undefined;
  #figures: Figures = {};
  #pictureTokens = 0;
  /** The answer is larger than we hold in memory. */
  overflowed = false;

  get count(): number {
    return this.#images.length;
  }

  /** `figures` is the usage that the vendor's dialect read in the body. */
  take(body: JsonObject, figures: Figures | undefined): void {
    if (figures !== undefined) this.#figures = overlayFigures(this.#figures, figures);
    if (isObject(body.usageMetadata)) {
      this.#pictureTokens = pictureTokens(body.usageMetadata) ?? this.#pictureTokens;
    }
    if (isObject(body.promptFeedback)) {
      this.#block = findText(body.promptFeedback.blockReason) ?? this.#block;
    }
    for (const candidate of listObjects(body.candidates)) this.#takeCandidate(candidate);
  }

  #takeCandidate(candidate: JsonObject): void {
    this.#reason = findText(candidate.finishReason) ?? this.#reason;
    this.#reasonText = findText(candidate.finishMessage) ?? this.#reasonText;
    const parts = isObject(candidate.content) ? listObjects(candidate.content.parts) : [];
    for (const part of parts) {
      // Gemini 3 makes sketches while it thinks. They are not the image.
      if (part.thought === true) continue;
      if (isObject(part.inlineData)) this.#takePicture(part.inlineData);
      else this.#text = (this.#text + (findText(part.text) ?? '')).slice(0, WORDS_CHARS_MAX);
    }
  }

  #takePicture(data: JsonObject): void {
    const mime = plainType(findText(data.mimeType) ?? '') ?? '';
    const base64 = findText(data.data) ?? '';
    if (!mime.startsWith('image/') || base64 === '') return;
    this.#heldChars += base64.length;
    if (this.#heldChars > STREAM_EVENT_BYTES_MAX || this.#images.length >= IMAGES_PER_CALL_MAX) {
      this.overflowed = true;
      return;
    }
    this.#images.push({ format: mime.slice('image/'.length), base64: standardBase64(base64) });
  }

  /** Rule C-70: the answer of the Images API. */
  answer(createdAtS: number): JsonObject {
    const [first] = this.#images;
    return {
      created: createdAtS,
      data: this.#images.map(({ base64 }) => ({ b64_json: base64 })),
      output_format: first?.format,
      size: first && findSize(first),
      usage: this.#usage(),
    };
  }

  /** The finished images of a stream, one event each. The last one has the usage of all of them. */
  events(type: string, createdAtS: number): readonly JsonObject[] {
    return this.#images.map((image, index) => ({
      type,
      created_at: createdAtS,
      b64_json: image.base64,
      background: 'auto',
      output_format: image.format,
      quality: 'auto',
      size: findSize(image) ?? 'auto',
      usage: index === this.#images.length - 1 ? this.#usage() : undefined,
    }));
  }

  /**
   * Why there is no image, as an error of the Images API: the vendor blocked it, the model answered with
   * text, or (`server_error`) it ended for a reason that does not depend on the request.
   */
  error(): JsonObject {
    const reason = this.#block ?? this.#reason;
    const isBlocked = this.#block !== undefined || isFiltered(reason ?? '') || reason === 'NO_IMAGE';
    if (!isBlocked && this.#text === '') {
      const message = `The model made no image: ${reason ?? 'no reason given'}`;
      return { error: { message, type: 'server_error', code: 'no_image', param: null } };
    }
    const explanation = this.#text === '' ? (this.#reasonText ?? reason ?? '') : this.#text;
    const message = `${isBlocked ? 'The vendor refused to make this image' : 'The model made no image'}: ${explanation}`;
    const code = isBlocked ? 'moderation_blocked' : 'no_image';
    return { error: { message, type: 'image_generation_user_error', code, param: null } };
  }

  /** In the buckets by which the call is metered (rule C-55). `undefined` if none was reported. */
  #usage(): JsonObject | undefined {
    const usage = decodeUsage(this.#figures);
    if (usage === undefined) return undefined;
    const [input, output] = [inputTokens(usage), outputTokens(usage)];
    const pictures = Math.min(this.#pictureTokens, input);
    return {
      input_tokens: input,
      input_tokens_details: { text_tokens: input - pictures, image_tokens: pictures },
      output_tokens: output,
      total_tokens: input + output,
    };
  }
}

function pictureTokens(metadata: JsonObject): number | undefined {
  const detail = listObjects(metadata.promptTokensDetails).find(({ modality }) => modality === 'IMAGE');
  const tokens = findNumber(detail?.tokenCount);
  return Number.isSafeInteger(tokens) && (tokens as number) > 0 ? tokens : undefined;
}

/** Only a PNG shows its size at no cost. */
function findSize({ base64 }: MadeImage): string | undefined {
  if (!base64.startsWith(PNG_HEAD)) return undefined;
  const head = Buffer.from(base64.slice(0, PNG_HEAD_CHARS), 'base64');
  return head.length < 24 ? undefined : `${head.readUInt32BE(16)}x${head.readUInt32BE(20)}`;
}
