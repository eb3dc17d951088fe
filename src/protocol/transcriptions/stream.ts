import type { LentBytes } from '../../kernel/encoding/lent-bytes.ts';
import { OPEN_BRACE } from '../bytes/ascii.ts';
import { isTypeAt } from '../bytes/event-type.ts';
import { compilePaths } from '../bytes/paths.ts';
import { isOpenBrace, Skimmer, skipSpace } from '../bytes/skim.ts';
import { isDone } from '../bytes/sse.ts';
import type { EventControl, EventReader } from '../pass-through/relay.ts';
import { readTranscriptFigures, TRANSCRIPT_USAGE_PATHS, TRANSCRIPT_USAGE_RULE } from './usage.ts';

const TREE = compilePaths({ type: 'type', delta: 'delta', error: 'error', ...TRANSCRIPT_USAGE_PATHS });
const { slots } = TREE;
const skimmer = new Skimmer(TREE);
const { starts, ends } = skimmer;

const DELTA = Buffer.from('transcript.text.delta');
const FINISHED = Buffer.from('transcript.text.done');
const ERROR = Buffer.from('error');

/** The words of a transcript as they are found, and its usage in the last event. */
export class TranscriptEventReader implements EventReader {
  readonly rule = TRANSCRIPT_USAGE_RULE;
  readonly nextSequenceNumber = undefined;
  /** Only the terminator shows the end. */
  readonly ended = false;
  readonly reasoned = false;

  read(payload: LentBytes, start: number, end: number, outlet: EventControl): void {
    if (payload[start] !== OPEN_BRACE) {
      if (isDone(payload, skipSpace(payload, start, end), end)) outlet.conclude();
      return;
    }
    if (skimmer.run(payload, start, end) < 0) return;
    const type = (starts[slots.type] as number) + 1;
    const delta = starts[slots.delta] as number;
    if (isTypeAt(payload, type, DELTA)) {
      if (delta >= 0) outlet.generatedText(delta + 1, (ends[slots.delta] as number) - 1);
    } else if (isTypeAt(payload, type, FINISHED)) {
      const figures = readTranscriptFigures(payload, skimmer, slots);
      if (figures.output !== undefined) outlet.reportCovering(figures);
      outlet.terminate();
    } else if (isTypeAt(payload, type, ERROR) || isOpenBrace(payload, starts[slots.error] as number)) {
      outlet.fail();
    }
  }
}
