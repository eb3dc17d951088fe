import { isUtf8 } from 'node:buffer';
import { ANSWERS_PER_CALL_MAX, MODEL_NAME_LENGTH_MAX, SCAN_TURN_BYTES } from '../../bounds.ts';
import { nextTurn } from '../../kernel/async/next-turn.ts';
import { type Refusal, refuse } from '../../kernel/errors.ts';
import { SCAN_STEPS_MAX } from '../bounds.ts';
import { QUOTE } from '../bytes/ascii.ts';
import { readFigure } from '../bytes/number.ts';
import { type ItemWatch, JsonScan, newScanStack, type ScanOutcome } from '../bytes/scan.ts';
import { isWord } from '../bytes/skim.ts';
import { finishInTurns } from '../bytes/slices.ts';
import { decodeText } from '../bytes/text.ts';
import type { ByteRange } from '../dialect.ts';
import { measureSounds } from '../media/estimate.ts';
import { MediaFinder, type MediaKeys } from '../media/finder.ts';
import { larger } from '../meter/usage-report.ts';
import { type MemberTree, refuseMembers } from './metered-keys.ts';

/** Small bodies are scanned at once, one after the other, so they can share memory outside the heap. */
const sharedStack = newScanStack();

/** What the scan collects beside the requested values. */
export interface Watched {
  readonly media: MediaKeys;
  readonly items?: ItemWatch;
}

/**
 * Scans a client's body and reads the facts from what was found; in slices if the body is large. Ambiguous
 * bodies and values of another type are refused, so `read` need not decide what a vendor makes of them.
 */
export function scanRequest<Found>(
  body: Buffer,
  tree: MemberTree<string>,
  read: (scan: JsonScan) => Found | Refusal,
  watched?: Watched,
): Found | Refusal | Promise<Found | Refusal> {
  // JSON is UTF-8 by definition. A byte order mark fails as the first byte, as it does with every vendor.
  if (!isUtf8(body)) return refuse('bodyNotJson', { message: 'The request body is not valid UTF-8' });
  const finish = (scan: JsonScan, outcome: ScanOutcome): Found | Refusal => {
    if (outcome === 'done') return refuseMembers(body, scan.found, tree) ?? read(scan);
    return refuse('bodyNotJson', scan.complaint === undefined ? {} : { message: scan.complaint });
  };
  if (body.length > SCAN_STEPS_MAX) {
    const media = watched && new MediaFinder(watched.media);
    const large = new JsonScan(body, tree, newScanStack(), media);
    large.items = watched?.items;
    return scanLarge(large, body, finish);
  }
  const scan = new JsonScan(body, tree, sharedStack, watched?.media.shared.begin());
  scan.items = watched?.items;
  return finish(scan, scan.run(body.length));
}

/** Takes one turn unless there is too much to scan. */
function scanLarge<Found>(
  scan: JsonScan,
  body: Buffer,
  finish: (scan: JsonScan, outcome: ScanOutcome) => Found,
): Found | Promise<Found> {
  const outcome = scan.run(Math.min(SCAN_TURN_BYTES, body.length));
  return outcome === 'paused' ? scanSlices(scan, body, finish) : finish(scan, outcome);
}

async function scanSlices<Found>(
  scan: JsonScan,
  body: Buffer,
  finish: (scan: JsonScan, outcome: ScanOutcome) => Found,
): Promise<Found> {
  let outcome: ScanOutcome = 'paused';
  while (outcome === 'paused') {
    await nextTurn();
    outcome = scan.run(Math.min(scan.at + SCAN_TURN_BYTES, body.length));
  }
  const { media } = scan;
  if (media !== undefined && outcome === 'done') {
    media.lengths = await finishInTurns(measureSounds(body, media));
  }
  return finish(scan, outcome);
}

/** The model's name with all of its ranges. */
export interface ModelFound {
  readonly model: string;
  readonly modelRanges: readonly ByteRange[];
}

export function readModel(body: Buffer, ranges: readonly ByteRange[] | undefined): ModelFound | Refusal {
  const last = ranges?.at(-1);
  if (ranges === undefined || last === undefined || body[last.start] !== QUOTE) return refuse('modelMissing');
  // An escaped character takes up to six bytes, so a longer one is too long in any case.
  if (last.end - last.start - 2 > MODEL_NAME_LENGTH_MAX * 6) return refuse('modelMissing');
  const model = decodeText(body, last.start + 1, last.end - 1);
  if (model === '' || model.length > MODEL_NAME_LENGTH_MAX) return refuse('modelMissing');
  return { model, modelRanges: ranges };
}

/** Whether the last value found is exactly `true`. */
export function foundTrue(body: Buffer, ranges: readonly ByteRange[] | undefined): boolean {
  const last = ranges?.at(-1);
  return last !== undefined && isWord(body, last.start, last.end, 'true');
}

/** The largest figure under any of these keys: vendors read different keys. */
export function foundFigure(body: Buffer, { found }: JsonScan, slots: readonly number[]): number | undefined {
  let largest: number | undefined;
  for (const slot of slots) {
    const last = found[slot]?.at(-1);
    if (last !== undefined) largest = larger(largest, figureAt(body, last));
  }
  return largest;
}

/** The same for limits. For some vendors zero or less means no limit, so then there is none. */
export function foundLimit(body: Buffer, { found }: JsonScan, slots: readonly number[]): number | undefined {
  let limit: number | undefined;
  for (const slot of slots) {
    const last = found[slot]?.at(-1);
    if (last === undefined || isWord(body, last.start, last.end, 'null')) continue;
    const figure = figureAt(body, last) ?? 0;
    if (figure === 0) return undefined;
    limit = larger(limit, figure);
  }
  return limit;
}

function figureAt(body: Buffer, { start, end }: ByteRange): number | undefined {
  return readFigure(body, start, end, Number.MAX_SAFE_INTEGER);
}

export function boundAnswers(asked: number | undefined): number {
  return Math.min(Math.max(1, asked ?? 1), ANSWERS_PER_CALL_MAX);
}
