import { QUOTE } from '../ascii.ts';
import { isTypeAt, leadingTypeStart, typeEndsWith } from '../event-type.ts';
import { readFigure } from '../figure.ts';
import { compilePaths } from '../paths.ts';
import type { EventReader, Outlet } from '../relay.ts';
import { isOpenBrace, Skimmer } from '../skim.ts';
import { NOTHING } from '../splitter.ts';
import { RESPONSES_USAGE_RULE, readResponsesFigures, responsesUsagePaths } from './usage.ts';

const TREE = compilePaths({
  type: 'type',
  model: 'response.model',
  error: 'error',
  sequence: 'sequence_number',
  ...responsesUsagePaths('response.'),
});
const { slots } = TREE;
const skimmer = new Skimmer(TREE);
const { starts, ends } = skimmer;

const DELTA = Buffer.from('.delta');
const COMPLETED = Buffer.from('response.completed');
const INCOMPLETE = Buffer.from('response.incomplete');
const FAILED = Buffer.from('response.failed');
const ERROR = Buffer.from('error');

export class ResponsesEventReader implements EventReader {
  readonly rule = RESPONSES_USAGE_RULE;
  /** The last event, so that an error of ours can carry the number after it. */
  #payload = NOTHING;
  #start = 0;
  #end = 0;

  get nextSequenceNumber(): number | undefined {
    if (skimmer.run(this.#payload, this.#start, this.#end) < 0) return undefined;
    const last = readFigure(
      this.#payload,
      starts[slots.sequence] as number,
      ends[slots.sequence] as number,
      Number.MAX_SAFE_INTEGER - 1,
    );
    return last === undefined ? undefined : last + 1;
  }

  read(payload: Buffer, start: number, end: number, outlet: Outlet): void {
    this.#payload = payload;
    this.#start = start;
    this.#end = end;
    // Deltas are nearly all events of a stream, and they have nothing to replace.
    const leading = leadingTypeStart(payload, start);
    if (leading >= 0 && typeEndsWith(payload, leading, end, DELTA)) {
      outlet.generated(start, end);
      return;
    }
    if (skimmer.run(payload, start, end) < 0) return;
    const type = (starts[slots.type] as number) + 1;
    if (type > 0 && typeEndsWith(payload, type, end, DELTA)) outlet.generated(start, end);
    if (isTypeAt(payload, type, COMPLETED) || isTypeAt(payload, type, INCOMPLETE)) {
      outlet.conclude();
    } else if (isTypeAt(payload, type, FAILED)) {
      outlet.conclude();
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
}
