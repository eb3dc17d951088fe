import { isUtf8 } from 'node:buffer';
import { ANSWERS_PER_CALL_MAX, MODEL_NAME_LENGTH_MAX, SCAN_SLICE_BYTES } from '../bounds.ts';
import { isRefusal, type Refusal, refuse } from '../kernel/errors.ts';
import { MINUS, NINE, QUOTE, ZERO } from './ascii.ts';
import type { ByteRange, RawRequest, RequestFacts } from './dialect.ts';
import { readAsked, readFigure } from './figure.ts';
import { larger } from './figures.ts';
import { compilePaths, type PathTree } from './paths.ts';
import { JsonScan, newScanStack, type ScanOutcome } from './scan.ts';
import { isWord } from './skim.ts';
import { decodeText } from './text.ts';

/** A file in a body costs about this many tokens, whatever its bytes. */
const BLOB_TOKENS = 1_000;
const BYTES_PER_TOKEN = 4;

/** Small bodies are scanned in one go, one after the other: they can share what lies outside the heap. */
const sharedStack = newScanStack();

type Facts = RequestFacts | Refusal;

/** Scans a client's body and reads the facts from what was found; in slices when the body is large. */
export function scanRequest<Found>(
  body: Buffer,
  tree: PathTree<string>,
  read: (scan: JsonScan) => Found | Refusal,
): Found | Refusal | Promise<Found | Refusal> {
  // JSON is UTF-8 by definition, and a byte order mark is refused by every vendor: it fails as a first byte.
  if (!isUtf8(body)) return refuse('bodyNotJson', { message: 'The request body is not valid UTF-8' });
  if (body.length > SCAN_SLICE_BYTES) return scanSlices(new JsonScan(body, tree), body.length, read);
  const scan = new JsonScan(body, tree, sharedStack);
  return finishScan(scan, scan.run(body.length), read);
}

async function scanSlices<Found>(
  scan: JsonScan,
  length: number,
  read: (scan: JsonScan) => Found | Refusal,
): Promise<Found | Refusal> {
  let outcome: ScanOutcome = 'paused';
  for (let until = SCAN_SLICE_BYTES; outcome === 'paused'; until += SCAN_SLICE_BYTES) {
    outcome = scan.run(Math.min(until, length));
    await new Promise((resolve) => setImmediate(resolve));
  }
  return finishScan(scan, outcome, read);
}

function finishScan<Found>(
  scan: JsonScan,
  outcome: ScanOutcome,
  read: (scan: JsonScan) => Found | Refusal,
): Found | Refusal {
  if (outcome === 'done') return read(scan);
  if (scan.tooDeep) return refuse('bodyNotJson', { message: 'The request body is nested too deeply' });
  return refuse('bodyNotJson');
}

/** The model's name with every range it stands at, or the refusal of a name that is none. */
export interface ModelFound {
  readonly model: string;
  readonly modelRanges: readonly ByteRange[];
}

export function readModel(body: Buffer, ranges: readonly ByteRange[] | undefined): ModelFound | Refusal {
  const last = ranges?.at(-1);
  if (ranges === undefined || last === undefined || body[last.start] !== QUOTE) return refuse('modelMissing');
  // An escaped character takes up to six bytes, so a longer spelling is too long in any case.
  if (last.end - last.start - 2 > MODEL_NAME_LENGTH_MAX * 6) return refuse('modelMissing');
  const model = decodeText(body, last.start + 1, last.end - 1);
  if (model === '' || model.length > MODEL_NAME_LENGTH_MAX) return refuse('modelMissing');
  return { model, modelRanges: ranges };
}

export function inputTokensEstimate(scan: JsonScan): number {
  return Math.ceil(scan.textBytes / BYTES_PER_TOKEN) + scan.blobs * BLOB_TOKENS;
}

/** Whether the last value found is exactly `true`. */
export function foundTrue(body: Buffer, ranges: readonly ByteRange[] | undefined): boolean {
  const last = ranges?.at(-1);
  return last !== undefined && isWord(body, last.start, last.end, 'true');
}

/**
 * The largest figure asked for under any of some keys, infinite if it cannot be told: vendors differ in the
 * key they know, and of a repeated one most read the last and some another.
 */
export function foundFigure(body: Buffer, { found }: JsonScan, slots: readonly number[]): number | undefined {
  let largest: number | undefined;
  for (const slot of slots) {
    const ranges = found[slot];
    if (ranges !== undefined) largest = larger(largest, largestAsked(body, ranges));
  }
  return largest;
}

/** The same of limits. One that cannot be told is none, and one that ends as null is not given. */
export function foundLimit(body: Buffer, { found }: JsonScan, slots: readonly number[]): number | undefined {
  let limit: number | undefined;
  for (const slot of slots) {
    const ranges = found[slot];
    if (ranges === undefined) continue;
    const isOpen = ranges.length > 1 && askedAt(body, ranges.at(-1) as ByteRange) === undefined;
    if (!isOpen) limit = larger(limit, largestAsked(body, ranges));
  }
  return limit === Number.POSITIVE_INFINITY ? undefined : limit;
}

function largestAsked(body: Buffer, ranges: readonly ByteRange[]): number | undefined {
  let largest: number | undefined;
  for (const range of ranges) largest = larger(largest, askedAt(body, range));
  return largest;
}

function askedAt(body: Buffer, { start, end }: ByteRange): number | undefined {
  const exact = readFigure(body, start, end, Number.MAX_SAFE_INTEGER);
  if (exact !== undefined) return exact;
  const first = body[start] as number;
  if (first === QUOTE) return readAsked(body, start + 1, end - 1);
  return first === MINUS || (first >= ZERO && first <= NINE) ? readAsked(body, start, end) : undefined;
}

export function boundAnswers(asked: number | undefined): number {
  return Math.min(Math.max(1, asked ?? 1), ANSWERS_PER_CALL_MAX);
}

/** For protocols whose body holds `model`, `stream`, one limit of the output, and no more for us. */
export function createTextRequestReader(
  outputMaxField: string,
): (request: RawRequest) => Facts | Promise<Facts> {
  const tree = compilePaths({ model: 'model', stream: 'stream', outputMax: outputMaxField });
  const { slots } = tree;
  const limits = [slots.outputMax];
  return ({ body }) =>
    scanRequest(body, tree, (scan) => {
      const model = readModel(body, scan.found[slots.model]);
      if (isRefusal(model)) return model;
      return {
        ...model,
        stream: foundTrue(body, scan.found[slots.stream]),
        outputTokensMax: foundLimit(body, scan, limits),
        answers: 1,
        images: 0,
        inputTokensEstimate: inputTokensEstimate(scan),
        holdsEnvelope: scan.holdsEnvelope,
        usageInjected: false,
        usageSplice: undefined,
        edit: false,
      };
    });
}
