import type { LentBytes } from '../../../kernel/encoding/lent-bytes.ts';
import { reportedFigure } from '../../bytes/number.ts';
import type { Skimmer } from '../../bytes/skim.ts';
import type { UsageRule } from '../../meter/meter.ts';
import { type Figures, renewFigures, settleInclusive } from '../../meter/usage-report.ts';
import { compileWords } from '../../meter/words.ts';

export interface ResponsesUsageSlots {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly cacheWriteLong: number;
  readonly reasoning: number;
}

/** Plain answers have `usage` at the top, lifecycle events inside `response`. */
export function responsesUsagePaths(prefix: '' | 'response.') {
  return {
    usage: `${prefix}usage`,
    input: `${prefix}usage.input_tokens`,
    output: `${prefix}usage.output_tokens`,
    cacheRead: `${prefix}usage.input_tokens_details.cached_tokens`,
    cacheWrite: `${prefix}usage.input_tokens_details.cache_write_tokens`,
    cacheWriteLong: `${prefix}usage.input_tokens_details.cache_write_tokens_details.ttl_12h_tokens`,
    reasoning: `${prefix}usage.output_tokens_details.reasoning_tokens`,
  };
}

export function readResponsesFigures(
  bytes: LentBytes,
  skimmer: Skimmer,
  slots: ResponsesUsageSlots,
): Figures {
  return {
    input: reportedFigure(bytes, skimmer, slots.input),
    output: reportedFigure(bytes, skimmer, slots.output),
    cacheRead: reportedFigure(bytes, skimmer, slots.cacheRead),
    cacheWrite: reportedFigure(bytes, skimmer, slots.cacheWrite),
    cacheWriteLong: reportedFigure(bytes, skimmer, slots.cacheWriteLong),
    reasoning: reportedFigure(bytes, skimmer, slots.reasoning),
  };
}

export const RESPONSES_USAGE_RULE: UsageRule = {
  merge: renewFigures,
  settle: settleInclusive,
  // Text, refusals, reasoning and tool arguments all arrive under `delta`; everything else repeats them.
  words: compileWords({ text: ['delta'], skip: ['response', 'item', 'part', 'logprobs'] }),
};

/** A plain answer has its texts in the items of `output`. */
export const RESPONSES_ANSWER_WORDS = compileWords({
  text: ['text', 'refusal', 'arguments', 'input', 'code'],
  // The code of an error is not code that the model wrote.
  skip: [
    'usage',
    'error',
    'instructions',
    'tools',
    'tool_choice',
    'metadata',
    'format',
    'annotations',
    'logprobs',
  ],
});
