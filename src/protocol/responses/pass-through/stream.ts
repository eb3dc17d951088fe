import type { LentBytes } from '../../../kernel/encoding/lent-bytes.ts';
import { QUOTE } from '../../bytes/ascii.ts';
import { isTypeAt, leadingTypeStart, typeEndsWith } from '../../bytes/event-type.ts';
import { readFigure } from '../../bytes/number.ts';
import { compilePaths } from '../../bytes/paths.ts';
import { isOpenBrace, Skimmer } from '../../bytes/skim.ts';
import { NOTHING } from '../../bytes/splitter.ts';
import type { EventControl, EventReader } from '../../pass-through/relay.ts';
import { isPicture, OutputPictures } from './pictures.ts';
import { RESPONSES_USAGE_RULE, readResponsesFigures, responsesUsagePaths } from './usage.ts';

const TREE = compilePaths({
  type: 'type',
  model: 'response.model',
  error: 'error',
  sequence: 'sequence_number',
  itemType: 'item.type',
  itemResult: 'item.result',
  items: 'response.output',
  ...responsesUsagePaths('response.'),
});
const { slots } = TREE;
const ITEM_SLOTS = { type: slots.itemType, result: slots.itemResult };
const pictures = new OutputPictures();
const skimmer = new Skimmer(TREE, { slot: slots.items, walk: pictures.walk });
const { starts, ends } = skimmer;

const DELTA = Buffer.from('.delta');
const ITEM_ADDED = Buffer.from('response.output_item.added');
const ITEM_DONE = Buffer.from('response.output_item.done');
const REASONING = Buffer.from('reasoning');
const COMPLETED = Buffer.from('response.completed');
const INCOMPLETE = Buffer.from('response.incomplete');
const FAILED = Buffer.from('response.failed');
const ERROR = Buffer.from('error');

/** A smaller delta is copied faster than the number in it is found. */
const DELTA_KEPT_BYTES = 4_096;
const DELTA_BYTES_FIRST = 512;

export class ResponsesEventReader implements EventReader {
  readonly rule = RESPONSES_USAGE_RULE;
  /** The last item is done, and an answer may end with it. */
  ended = false;
  reasoned = false;
  /**
   * An error event of ours has the number after the last event's. The number is known, or it is in a delta of
   * which a copy is kept, because hardly any stream needs it.
   */
  #lastNumber: number | undefined;
  #delta = NOTHING;
  #deltaLength = 0;
  #pictures = 0;

  get nextSequenceNumber(): number | undefined {
    const last = this.#deltaLength === 0 ? this.#lastNumber : numberIn(this.#delta, 0, this.#deltaLength);
    return last === undefined ? undefined : last + 1;
  }

  read(payload: LentBytes, start: number, end: number, outlet: EventControl): void {
    // Nearly all events of a stream are deltas, and they have nothing to replace.
    const leading = leadingTypeStart(payload, start);
    if (leading >= 0 && typeEndsWith(payload, leading, end, DELTA)) {
      outlet.generated(start, end);
      this.ended = false;
      this.#keepDelta(payload, start, end);
      return;
    }
    this.#deltaLength = 0;
    this.#lastNumber = undefined;
    if (skimmer.run(payload, start, end) < 0) return;
    this.#lastNumber = foundNumber(payload);
    const type = (starts[slots.type] as number) + 1;
    if (type > 0 && typeEndsWith(payload, type, end, DELTA)) {
      outlet.generated(start, end);
      this.ended = false;
    }
    if (isTypeAt(payload, type, ITEM_ADDED)) {
      this.ended = false;
      this.#noteReasoning(payload);
    } else if (isTypeAt(payload, type, ITEM_DONE)) {
      this.ended = !this.#noteReasoning(payload);
      if (isPicture(payload, skimmer, ITEM_SLOTS)) this.#countPictures(this.#pictures + 1, outlet);
    } else if (isTypeAt(payload, type, COMPLETED) || isTypeAt(payload, type, INCOMPLETE)) {
      this.#conclude(outlet);
    } else if (isTypeAt(payload, type, FAILED)) {
      this.#conclude(outlet);
      outlet.fail();
    } else if (isTypeAt(payload, type, ERROR) || isOpenBrace(payload, starts[slots.error] as number)) {
      outlet.fail();
    }
    if (isOpenBrace(payload, starts[slots.usage] as number)) {
      const figures = readResponsesFigures(payload, skimmer, slots);
      if (figures.output === undefined) outlet.report(figures);
      else outlet.reportCovering(figures);
    }
    const model = starts[slots.model] as number;
    if (model >= 0 && payload[model] === QUOTE) outlet.replaceModel(model, ends[slots.model] as number);
  }

  #noteReasoning(payload: LentBytes): boolean {
    const isReasoning = isTypeAt(payload, (starts[slots.itemType] as number) + 1, REASONING);
    if (isReasoning) this.reasoned = true;
    return isReasoning;
  }

  /** The final response repeats the items that were streamed. Some vendors send them only here. */
  #conclude(outlet: EventControl): void {
    if ((starts[slots.items] as number) >= 0) this.#countPictures(pictures.count, outlet);
    outlet.conclude();
  }

  #countPictures(total: number, outlet: EventControl): void {
    for (; this.#pictures < total; this.#pictures++) outlet.imageDone();
  }

  /** Events are lent: what is needed later is copied. */
  #keepDelta(payload: LentBytes, start: number, end: number): void {
    const length = end - start;
    if (length > DELTA_KEPT_BYTES) {
      this.#deltaLength = 0;
      this.#lastNumber = numberIn(payload, start, end);
      return;
    }
    if (length > this.#delta.length)
      this.#delta = Buffer.allocUnsafeSlow(Math.max(length, DELTA_BYTES_FIRST));
    payload.copy(this.#delta, 0, start, end);
    this.#deltaLength = length;
  }
}

function numberIn(event: LentBytes, start: number, end: number): number | undefined {
  return skimmer.run(event, start, end) < 0 ? undefined : foundNumber(event);
}

/** In the last skimmed event. */
function foundNumber(event: LentBytes): number | undefined {
  const start = starts[slots.sequence] as number;
  return readFigure(event, start, ends[slots.sequence] as number, Number.MAX_SAFE_INTEGER - 1);
}
