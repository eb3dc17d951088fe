import { IMAGES_PER_CALL_MAX, MEDIA_HEAD_BYTES } from '../../bounds.ts';
import { isRefusal, type Refusal, refuse } from '../../kernel/errors.ts';
import type { JsonScan } from '../bytes/scan.ts';
import { isEmptyArray, isWord } from '../bytes/skim.ts';
import { spliceModel } from '../bytes/splice.ts';
import type { ByteRange, FormPart, RawRequest, RequestFacts } from '../dialect.ts';
import { compileMediaKeys } from '../media/finder.ts';
import { fileTokens, tokenRates } from '../media/tokens.ts';
import { type InputFacts, inputFacts } from '../meter/input-estimate.ts';
import { refuseOtherKind } from '../pass-through/member-kind.ts';
import { compileMembers } from '../pass-through/metered-keys.ts';
import { foundFigure, foundTrue, readModel, scanRequest } from '../pass-through/request.ts';
import { newForm, writeForm } from './form.ts';
import {
  COUNT_FIELDS,
  findText,
  IMAGE_FIELDS,
  isMultipart,
  isPictureField,
  readForm,
  readFormModel,
} from './multipart.ts';

const TREE = compileMembers({
  model: ['model', 'any'],
  stream: ['stream', 'flag'],
  prompt: ['prompt', 'text'],
  count: ['n', 'count'],
  // Other vendors' names of it.
  batchSize: ['batch_size', 'count'],
  imageCount: ['num_images', 'count'],
  sequence: ['sequential_image_generation_options', 'object'],
  sequenceMax: ['sequential_image_generation_options.max_images', 'count'],
  image: ['image', 'any'],
  images: ['images', 'any'],
  mask: ['mask', 'any'],
});
const { slots } = TREE;
export const IMAGES_MEMBERS = TREE.members;
const COUNTS = [slots.count, slots.batchSize, slots.imageCount, slots.sequenceMax];
const WATCHED = {
  media: compileMediaKeys({
    raw: [],
    part: ['image', 'images', 'mask', 'image_url', 'file_id'],
    inner: ['image_url', 'url', 'b64_json', 'file_id'],
  }),
};

export function readImagesRequest(
  request: RawRequest,
): RequestFacts | Refusal | Promise<RequestFacts | Refusal> {
  if (isMultipart(request.contentType)) {
    return readForm(request, IMAGE_FIELDS, (parts) => readFormFacts(request.body, parts));
  }
  return scanRequest(request.body, TREE, (scan) => readFacts(request.body, scan), WATCHED);
}

export function spliceImagesRequest(
  { body }: RawRequest,
  facts: RequestFacts,
  forwardModel: string,
): readonly Buffer[] {
  return facts.form === undefined
    ? spliceModel(body, facts, forwardModel)
    : writeForm(body, facts.form, forwardModel);
}

function readFacts(body: Buffer, scan: JsonScan): RequestFacts | Refusal {
  const { found } = scan;
  const model = readModel(body, found[slots.model]);
  if (isRefusal(model)) return model;
  const input = inputFacts(body, scan, { protocol: 'images', model: model.model });
  return {
    ...model,
    stream: foundTrue(body, found[slots.stream]),
    images: boundImages(foundFigure(body, scan, COUNTS)),
    inputTokensEstimate: input.inputTokensEstimate,
    inputTokensLikely: input.inputTokensLikely,
    mediaTokens: input.mediaTokens,
    edit: [slots.image, slots.images, slots.mask].some((slot) => holdsImage(body, found[slot]?.at(-1))),
    ...NO_TEXT,
  };
}

const NO_TEXT = {
  outputTokensMax: undefined,
  answers: 1,
  holdsEnvelope: false,
  usageInjected: false,
  usageSplice: undefined,
};

function holdsImage(body: Buffer, range: ByteRange | undefined): boolean {
  if (range === undefined || isWord(body, range.start, range.end, 'null')) return false;
  return !isEmptyArray(body, range.start);
}

function readFormFacts(body: Buffer, parts: readonly FormPart[]): RequestFacts | Refusal {
  const model = readFormModel(body, parts);
  if (isRefusal(model)) return model;
  for (const name of [...COUNT_FIELDS, 'stream']) {
    const values = parts.filter((part) => part.name === name);
    if (values.length > 1) return refuse('bodyNotJson', { message: `"${name}" comes more than once` });
    const refusal = refuseField(name, findText(body, values[0]));
    if (refusal !== undefined) return refusal;
  }
  const asked = (name: string): string =>
    findText(
      body,
      parts.find((part) => part.name === name),
    ) ?? '';
  return {
    model,
    modelRanges: [],
    stream: asked('stream') === 'true',
    images: boundImages(Math.max(...COUNT_FIELDS.map((name) => Number(asked(name))))),
    ...estimateForm(body, parts, model),
    edit: parts.some(({ name }) => isPictureField(name)),
    form: newForm(parts),
    ...NO_TEXT,
  };
}

/** In a form everything is text, and readers differ in what they accept as a number or a flag. */
function refuseField(name: string, text: string | undefined): Refusal | undefined {
  if (text === undefined) return undefined;
  if (name === 'stream') {
    return text === 'true' || text === 'false' ? undefined : refuseOtherKind(name, ['flag']);
  }
  const isCount = /^\d{1,3}$/.test(text) && Number(text) <= IMAGES_PER_CALL_MAX;
  return isCount ? undefined : refuseOtherKind(name, ['count']);
}

function estimateForm(body: Buffer, parts: readonly FormPart[], model: string): InputFacts {
  const rates = tokenRates('images', model);
  let mediaTokens = 0;
  let textBytes = 0;
  for (const { name, content } of parts) {
    const bytes = content.end - content.start;
    const head = body.subarray(content.start, Math.min(content.end, content.start + MEDIA_HEAD_BYTES));
    if (!isPictureField(name)) textBytes += bytes;
    else mediaTokens += fileTokens({ head, bytes, mime: 'image/' }, rates);
  }
  const inputTokensLikely = Math.ceil(textBytes / 4) + mediaTokens;
  return { inputTokensEstimate: Math.ceil(textBytes / 3) + mediaTokens, inputTokensLikely, mediaTokens };
}

function boundImages(asked: number | undefined): number {
  return Math.min(Math.max(1, asked ?? 1), IMAGES_PER_CALL_MAX);
}
