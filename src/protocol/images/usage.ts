import type { LentBytes } from '../../kernel/encoding/lent-bytes.ts';
import { reportedFigure } from '../bytes/number.ts';
import type { Skimmer } from '../bytes/skim.ts';
import type { UsageRule } from '../meter/meter.ts';
import { type Figures, renewFigures, settleInclusive } from '../meter/usage-report.ts';
import { compileWords } from '../meter/words.ts';

export const IMAGES_USAGE_PATHS = {
  input: 'usage.input_tokens',
  output: 'usage.output_tokens',
  cacheRead: 'usage.input_tokens_details.cached_tokens',
} as const;

type Slots = Readonly<Record<keyof typeof IMAGES_USAGE_PATHS, number>>;

/** A finished image without token figures is charged per image: zero tokens count as reported. */
export function readImagesFigures(bytes: LentBytes, skimmer: Skimmer, slots: Slots): Figures {
  return {
    input: reportedFigure(bytes, skimmer, slots.input) ?? 0,
    output: reportedFigure(bytes, skimmer, slots.output) ?? 0,
    cacheRead: reportedFigure(bytes, skimmer, slots.cacheRead),
  };
}

export const IMAGES_USAGE_RULE: UsageRule = {
  merge: renewFigures,
  settle: settleInclusive,
  // An image stream delivers no text that is charged per token.
  words: compileWords({ text: [] }),
};
