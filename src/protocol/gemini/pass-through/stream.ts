import type { LentBytes } from '../../../kernel/encoding/lent-bytes.ts';
import { QUOTE } from '../../bytes/ascii.ts';
import { compilePaths } from '../../bytes/paths.ts';
import { isOpenBrace, Skimmer } from '../../bytes/skim.ts';
import type { EventControl, EventReader } from '../../pass-through/relay.ts';
import { Candidates } from './candidates.ts';
import { GENERATE_USAGE_PATHS, GENERATE_USAGE_RULE, readGenerateFigures } from './usage.ts';

const TREE = compilePaths({
  model: 'modelVersion',
  candidates: 'candidates',
  error: 'error',
  blockReason: 'promptFeedback.blockReason',
  ...GENERATE_USAGE_PATHS,
});
const { slots } = TREE;
const found = new Candidates();
const skimmer = new Skimmer(TREE, { slot: slots.candidates, walk: found.walk });
const { starts, ends } = skimmer;

export class GeminiEventReader implements EventReader {
  readonly rule = GENERATE_USAGE_RULE;
  readonly nextSequenceNumber = undefined;
  /** Only the terminator shows the end. */
  readonly ended = false;
  /** Only the usage shows reasoning. */
  readonly reasoned = false;

  read(payload: LentBytes, start: number, end: number, outlet: EventControl): void {
    if (skimmer.run(payload, start, end) < 0) return;
    if (isOpenBrace(payload, starts[slots.error] as number)) outlet.fail();
    const candidates = starts[slots.candidates] as number;
    if (candidates >= 0) {
      outlet.generated(candidates, ends[slots.candidates] as number);
      for (let picture = 0; picture < found.pictures; picture++) outlet.imageDone();
    }
    const hasFinish = candidates >= 0 && found.isAnyFinished;
    // A blocked prompt has no candidates and hence no finish reason. The block is its end.
    const block = starts[slots.blockReason] as number;
    if (hasFinish || (block >= 0 && payload[block] === QUOTE)) outlet.terminate();
    if (isOpenBrace(payload, starts[slots.usage] as number)) {
      const figures = readGenerateFigures(payload, skimmer, slots);
      // Early chunks report only the prompt. Their text is not in the figures yet.
      const isFinal = hasFinish && figures.total !== undefined;
      if (figures.output !== undefined || isFinal) outlet.reportCovering(figures);
      else outlet.report(figures);
    }
    const model = starts[slots.model] as number;
    if (model >= 0 && payload[model] === QUOTE) outlet.replaceModel(model, ends[slots.model] as number);
  }
}
