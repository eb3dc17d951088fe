import type { LentBytes } from '../../../kernel/encoding/lent-bytes.ts';
import { NO_USAGE } from '../../../kernel/usage.ts';
import { reportedFigure } from '../../bytes/number.ts';
import type { Skimmer } from '../../bytes/skim.ts';
import type { UsageRule } from '../../meter/meter.ts';
import { type Figures, overlayFigures, type Settled } from '../../meter/usage-report.ts';
import { compileWords } from '../../meter/words.ts';

export const GENERATE_USAGE_PATHS = {
  usage: 'usageMetadata',
  input: 'usageMetadata.promptTokenCount',
  output: 'usageMetadata.candidatesTokenCount',
  total: 'usageMetadata.totalTokenCount',
  cacheRead: 'usageMetadata.cachedContentTokenCount',
  toolInput: 'usageMetadata.toolUsePromptTokenCount',
  reasoning: 'usageMetadata.thoughtsTokenCount',
} as const;

type Slots = Readonly<Record<keyof typeof GENERATE_USAGE_PATHS, number>>;

export function readGenerateFigures(bytes: LentBytes, skimmer: Skimmer, slots: Slots): Figures {
  return {
    input: reportedFigure(bytes, skimmer, slots.input),
    output: reportedFigure(bytes, skimmer, slots.output),
    total: reportedFigure(bytes, skimmer, slots.total),
    cacheRead: reportedFigure(bytes, skimmer, slots.cacheRead),
    toolInput: reportedFigure(bytes, skimmer, slots.toolInput),
    reasoning: reportedFigure(bytes, skimmer, slots.reasoning),
  };
}

/** The prompt includes cache reads. Thoughts and the prompts of server tools are separate figures. */
function settleGenerate(figures: Figures): Settled {
  const input = figures.input ?? 0;
  const cacheRead = Math.min(figures.cacheRead ?? 0, input);
  const toolInput = figures.toolInput ?? 0;
  const outputReasoning = figures.reasoning ?? 0;
  const { total } = figures;
  // The candidates figure is missing if there is no text, or by mistake: then it follows from the total.
  const rest = total === undefined ? 0 : Math.max(0, total - input - outputReasoning - toolInput);
  return {
    usage: {
      ...NO_USAGE,
      inputFresh: input - cacheRead + toolInput,
      cacheRead,
      outputText: figures.output ?? rest,
      outputReasoning,
    },
    inputReported: figures.input !== undefined,
    outputReported: figures.output !== undefined || total !== undefined,
  };
}

export const GENERATE_USAGE_RULE: UsageRule = {
  merge: overlayFigures,
  settle: settleGenerate,
  words: compileWords({
    text: ['text', 'code'],
    raw: ['args'],
    skip: ['usageMetadata', 'groundingMetadata', 'citationMetadata', 'safetyRatings', 'error'],
  }),
};
