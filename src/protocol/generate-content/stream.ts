import { COMMA, OPEN_BRACE, QUOTE } from '../ascii.ts';
import { compilePaths } from '../paths.ts';
import type { EventReader, Outlet } from '../relay.ts';
import { isOpenBrace, isOpenBracket, Skimmer, skipSpace, skipValue } from '../skim.ts';
import { GENERATE_USAGE_PATHS, GENERATE_USAGE_RULE, readGenerateFigures } from './usage.ts';

const TREE = compilePaths({
  model: 'modelVersion',
  candidates: 'candidates',
  error: 'error',
  blockReason: 'promptFeedback.blockReason',
  ...GENERATE_USAGE_PATHS,
});
const { slots } = TREE;
const skimmer = new Skimmer(TREE);
const { starts, ends } = skimmer;

const CANDIDATE_TREE = compilePaths({ finishReason: 'finishReason' });
const candidateSkimmer = new Skimmer(CANDIDATE_TREE);

export class GenerateContentEventReader implements EventReader {
  readonly rule = GENERATE_USAGE_RULE;
  readonly nextSequenceNumber = undefined;

  read(payload: Buffer, start: number, end: number, outlet: Outlet): void {
    if (skimmer.run(payload, start, end) < 0) return;
    if (isOpenBrace(payload, starts[slots.error] as number)) outlet.fail();
    const candidates = starts[slots.candidates] as number;
    if (candidates >= 0) outlet.generated(candidates, ends[slots.candidates] as number);
    const hasFinish = isOpenBracket(payload, candidates) && anyFinished(payload, candidates, end);
    // A blocked prompt has no candidates and hence no finish reason; the block is its end.
    const block = starts[slots.blockReason] as number;
    if (hasFinish || (block >= 0 && payload[block] === QUOTE)) outlet.terminate();
    if (isOpenBrace(payload, starts[slots.usage] as number)) {
      const figures = readGenerateFigures(payload, skimmer, slots);
      // Early chunks report the prompt alone; the text they carry is not in the figures yet.
      const isFinal = hasFinish && figures.total !== undefined;
      if (figures.output !== undefined || isFinal) outlet.reportCovering(figures);
      else outlet.report(figures);
    }
    const model = starts[slots.model] as number;
    if (model >= 0 && payload[model] === QUOTE) outlet.replaceModel(model, ends[slots.model] as number);
  }
}

/** Whether some candidate of the array carries a `finishReason`. Each element is walked once. */
function anyFinished(payload: Buffer, open: number, end: number): boolean {
  let at = skipSpace(payload, open + 1, end);
  while (at < end && payload[at] === OPEN_BRACE) {
    const after = candidateSkimmer.run(payload, at, end);
    if (after < 0) return false;
    const reason = candidateSkimmer.starts[CANDIDATE_TREE.slots.finishReason] as number;
    if (reason >= 0 && payload[reason] === QUOTE && skipValue(payload, reason, end) > reason + 2) return true;
    at = skipSpace(payload, after, end);
    if (payload[at] === COMMA) at = skipSpace(payload, at + 1, end);
  }
  return false;
}
