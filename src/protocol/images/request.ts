import { IMAGES_PER_CALL_MAX, MODEL_NAME_LENGTH_MAX } from '../../bounds.ts';
import { isRefusal, type Refusal, refuse } from '../../kernel/errors.ts';
import type { ByteRange, RawRequest, RequestFacts } from '../dialect.ts';
import { readAsked } from '../figure.ts';
import { compilePaths } from '../paths.ts';
import { foundFigure, foundTrue, inputTokensEstimate, readModel, scanRequest } from '../request.ts';
import type { JsonScan } from '../scan.ts';
import { isEmptyArray, isWord } from '../skim.ts';
import { splice, spliceModel } from '../splice.ts';
import { findBoundary, findParts, isMultipart, type Part } from './multipart.ts';

const TREE = compilePaths({
  model: 'model',
  stream: 'stream',
  count: 'n',
  image: 'image',
  images: 'images',
  mask: 'mask',
});
const { slots } = TREE;
const COUNTS = [slots.count];
/** A picture given as a file part costs about this many tokens, as a blob in JSON does. */
const PICTURE_TOKENS = 1_000;
const IMAGE_NAMES: ReadonlySet<string> = new Set(['image', 'image[]', 'mask']);

export function readImagesRequest(
  request: RawRequest,
): RequestFacts | Refusal | Promise<RequestFacts | Refusal> {
  if (isMultipart(request.contentType)) return readForm(request);
  return scanRequest(request.body, TREE, (scan) => readFacts(request.body, scan));
}

export function spliceImagesRequest(
  request: RawRequest,
  facts: RequestFacts,
  forwardModel: string,
): readonly Buffer[] {
  if (!isMultipart(request.contentType)) return spliceModel(request.body, facts, forwardModel);
  // In a form the value stands bare, without quotes or escapes.
  const bytes = Buffer.from(forwardModel);
  return splice(
    request.body,
    facts.modelRanges.map((at) => ({ at, bytes })),
  );
}

function readFacts(body: Buffer, scan: JsonScan): RequestFacts | Refusal {
  const { found } = scan;
  const model = readModel(body, found[slots.model]);
  if (isRefusal(model)) return model;
  return {
    ...model,
    stream: foundTrue(body, found[slots.stream]),
    images: boundImages(foundFigure(body, scan, COUNTS)),
    inputTokensEstimate: inputTokensEstimate(scan),
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

function readForm(request: RawRequest): RequestFacts | Refusal {
  const { body, contentType } = request;
  const boundary = findBoundary(contentType);
  const parts = boundary === undefined ? undefined : findParts(body, boundary);
  if (parts === undefined) {
    return refuse('bodyNotJson', { message: 'The request body is not a valid multipart form' });
  }
  const modelRanges = parts.filter(({ name }) => name === 'model').map(({ content }) => content);
  const model = textOf(body, modelRanges.at(-1));
  if (model === '') return refuse('modelMissing');
  return {
    model,
    modelRanges,
    stream: textOf(body, parts.findLast(({ name }) => name === 'stream')?.content) === 'true',
    images: countAsked(body, parts),
    inputTokensEstimate: estimateForm(parts),
    edit: parts.some(({ name }) => IMAGE_NAMES.has(name)),
    ...NO_TEXT,
  };
}

/** The largest `n`, as in JSON. */
function countAsked(body: Buffer, parts: readonly Part[]): number {
  const counts = parts.filter(({ name }) => name === 'n').map(({ content }) => content);
  return boundImages(Math.max(1, ...counts.map(({ start, end }) => readAsked(body, start, end) ?? 1)));
}

/** The text of a short field; empty when it is absent or too long to be one. */
function textOf(body: Buffer, range: ByteRange | undefined): string {
  if (range === undefined || range.end - range.start > MODEL_NAME_LENGTH_MAX * 4) return '';
  const text = body.toString('utf8', range.start, range.end);
  return text.length > MODEL_NAME_LENGTH_MAX ? '' : text;
}

function estimateForm(parts: readonly Part[]): number {
  let tokens = 0;
  for (const { name, content } of parts) {
    tokens += IMAGE_NAMES.has(name) ? PICTURE_TOKENS : Math.ceil((content.end - content.start) / 4);
  }
  return tokens;
}

function boundImages(asked: number | undefined): number {
  return Math.min(Math.max(1, asked ?? 1), IMAGES_PER_CALL_MAX);
}
