import type { Route } from '../../catalog/contract.ts';
import { isRefusal, type Refusal, refuse } from '../../kernel/errors.ts';
import {
  WHOLE_ANSWER_BYTES_MAX,
  WHOLE_ANSWER_VALUES_MAX,
  WHOLE_ESCAPED_CHARS_MAX,
} from '../../protocol/bounds.ts';
import type { Outline } from '../../protocol/bytes/outline.ts';
import { finish, type Sliced } from '../../protocol/bytes/slices.ts';
import { expressible } from '../../protocol/convert/convert.ts';
import type { Framing, PlainAnswer, StreamRelay } from '../../protocol/dialect.ts';
import { readJson, writeJsonBytes } from '../../protocol/hub/content/json.ts';
import { ImageAnswer } from '../../protocol/images-to-gemini/from-gemini.ts';
import { type RequestedPicture, readImageRequest } from '../../protocol/images-to-gemini/image-request.ts';
import { ImageStream } from '../../protocol/images-to-gemini/image-stream.ts';
import {
  encodeImageRequest,
  type GeminiImageRequest,
  type PictureBytes,
} from '../../protocol/images-to-gemini/to-gemini.ts';
import { readOutlined } from '../../protocol/pass-through/answer.ts';
import { getDialect } from '../../protocol/registry.ts';
import type { UpstreamHead, VendorAction } from '../../upstream/contract.ts';
import { VENDOR_JSON } from '../../upstream/vendor.ts';
import type { AttemptContext } from '../attempt/attempt-context.ts';
import { hasMemory, refuseMemory } from '../attempt/memory-budget.ts';
import { convertedHeaders, EVENT_STREAM, JSON_TYPE, NO_HEADERS } from './converted.ts';
import { holdForFetched } from './fetched-input.ts';
import { getCallMedia, MediaShare } from './media.ts';
import { isEventStream } from './pass-through.ts';
import type { Translation } from './translation.ts';

/** Returns a refusal if the request has something that Google's image models cannot do. */
export async function convertImages(
  context: AttemptContext,
  route: Route,
): Promise<ConvertedImages | Refusal> {
  const request = expressible(() => readImageRequest(context.raw, context.facts));
  if (isRefusal(request)) return request;
  if (context.call.endpoint.edit && request.pictures.length === 0) {
    return refuse('notExpressible', { message: 'image: an edit needs an input image' });
  }
  const share = new MediaShare(() => getCallMedia(context), {
    asked: { protocol: 'images', model: context.facts.model },
    served: { protocol: 'gemini', model: route.forwardModelId },
  });
  const pictures = await Promise.all(request.pictures.map((picture) => loadPicture(picture, share)));
  const refusal = pictures.find(isRefusal);
  if (refusal !== undefined) return refusal;
  const unpaid = await holdForFetched(context, share.inputTokens);
  if (unpaid !== undefined) return unpaid;
  const fetched = { ...request, pictures: pictures.filter((picture) => !isRefusal(picture)) };
  const encoded = expressible(() => encodeImageRequest(fetched, route.forwardModelId));
  if (isRefusal(encoded)) return encoded;
  return hasMemory(context, encoded.body.length) ? new ConvertedImages(context, encoded) : refuseMemory();
}

async function loadPicture(picture: RequestedPicture, share: MediaShare): Promise<PictureBytes | Refusal> {
  if (picture.kind === 'bytes') return picture;
  const media = await share.fetch(picture.url, 'image');
  if (isRefusal(media)) return media;
  return { kind: 'bytes', mime: media.mime, base64: media.bytes.toString('base64') };
}

const NO_RAW_KEYS: ReadonlySet<string> = new Set();

/** An Images client and an image model of Google's: a prompt goes out, images come back (rule C-70). */
export class ConvertedImages implements Translation {
  readonly protocol = 'gemini';
  readonly action: VendorAction;
  readonly body: readonly Buffer[];
  readonly contentType = VENDOR_JSON;
  readonly clientHeaders = NO_HEADERS;
  readonly query: string;
  readonly outputLimit = undefined;
  readonly dropped: readonly string[];
  readonly #context: AttemptContext;
  readonly #dialect = getDialect('gemini');

  constructor(context: AttemptContext, request: GeminiImageRequest) {
    const { stream } = context.facts;
    this.#context = context;
    this.action = stream ? 'stream' : 'generate';
    this.body = [request.body];
    this.query = stream ? 'alt=sse' : '';
    this.dropped = request.dropped;
  }

  findFraming(head: UpstreamHead): Framing | undefined {
    return isEventStream(head) ? 'sse' : undefined;
  }

  clientFraming(): Framing {
    return 'sse';
  }

  relay(framing: Framing): StreamRelay {
    const { facts, model, call } = this.#context;
    const isEdit = facts.edit || call.endpoint.edit;
    return new ImageStream({
      purpose: isEdit ? 'image_edit' : 'image_generation',
      createdAtS: this.#createdAtS(),
      vendor: this.#dialect.relayStream(framing, facts, model.modelId),
    });
  }

  /**
   * Tokens are those that the vendor reported. Images are those that it produced; a blocked image is not
   * charged.
   */
  readAnswer(body: Buffer, outline: Outline | undefined): PlainAnswer | Promise<PlainAnswer> {
    const { model } = this.#context;
    const answer = readOutlined(body, outline, () => this.#dialect.readResponse(body, model.modelId));
    if (!answer.valid || answer.isError) return answer;
    return finish(this.#convertImages(answer, body), body.length);
  }

  *#convertImages(answer: PlainAnswer, body: Buffer): Sliced<PlainAnswer> {
    if (body.length > WHOLE_ANSWER_BYTES_MAX) return { ...answer, valid: false };
    const text = body.toString('utf8');
    yield;
    const budget = { left: WHOLE_ANSWER_VALUES_MAX, escapedLeft: WHOLE_ESCAPED_CHARS_MAX };
    const json = readJson(text, NO_RAW_KEYS, budget);
    if (json === undefined) return { ...answer, valid: false };
    const images = new ImageAnswer();
    images.take(json, answer.figures);
    const { count, overflowed } = images;
    if (overflowed) return { ...answer, valid: false };
    yield;
    const isError = count === 0;
    const content = isError ? images.error() : images.answer(this.#createdAtS());
    const usage = answer.usage === undefined ? undefined : { ...answer.usage, images: count };
    const pieces = yield* writeJsonBytes(content);
    return { ...answer, pieces, usage, images: count, valid: true, isError };
  }

  answerHeaders(head: UpstreamHead): string[] {
    return convertedHeaders(head, this.#context.facts.stream ? EVENT_STREAM : JSON_TYPE);
  }

  save(): void {
    // Image calls have no history.
  }

  #createdAtS(): number {
    return Math.floor(this.#context.call.createdAtMs / 1000);
  }
}
