import type { LentBytes } from '../../../kernel/encoding/lent-bytes.ts';
import { reportedFigure } from '../../bytes/number.ts';
import type { Skimmer } from '../../bytes/skim.ts';
import type { UsageRule } from '../../meter/meter.ts';
import { type Figures, renewFigures, settleInclusive } from '../../meter/usage-report.ts';
import { compileWords } from '../../meter/words.ts';

/** Paths of the figures, for the trees of plain answers and of events. */
export const CHAT_USAGE_PATHS = {
  usage: 'usage',
  input: 'usage.prompt_tokens',
  output: 'usage.completion_tokens',
  total: 'usage.total_tokens',
  cacheRead: 'usage.prompt_tokens_details.cached_tokens',
  // DeepSeek's and Moonshot's own names for the same figure.
  cacheReadDeepseek: 'usage.prompt_cache_hit_tokens',
  cacheReadMoonshot: 'usage.cached_tokens',
  cacheWrite: 'usage.prompt_tokens_details.cache_write_tokens',
  reasoning: 'usage.completion_tokens_details.reasoning_tokens',
} as const;

/** Groq has a field of its own for the same in the last chunk. */
export const GROQ_USAGE_PATHS = {
  groq: 'x_groq.usage',
  groqInput: 'x_groq.usage.prompt_tokens',
  groqOutput: 'x_groq.usage.completion_tokens',
  groqTotal: 'x_groq.usage.total_tokens',
  groqCacheRead: 'x_groq.usage.prompt_tokens_details.cached_tokens',
  groqReasoning: 'x_groq.usage.completion_tokens_details.reasoning_tokens',
} as const;

type Slots = Readonly<Record<keyof typeof CHAT_USAGE_PATHS, number>>;
type GroqSlots = Readonly<Record<keyof typeof GROQ_USAGE_PATHS, number>>;

export function readChatFigures(bytes: LentBytes, skimmer: Skimmer, slots: Slots): Figures {
  const figure = (slot: number): number | undefined => reportedFigure(bytes, skimmer, slot);
  return {
    input: figure(slots.input),
    output: figure(slots.output),
    total: figure(slots.total),
    cacheRead: figure(slots.cacheRead) ?? figure(slots.cacheReadDeepseek) ?? figure(slots.cacheReadMoonshot),
    cacheWrite: figure(slots.cacheWrite),
    reasoning: figure(slots.reasoning),
  };
}

export function readGroqFigures(bytes: LentBytes, skimmer: Skimmer, slots: GroqSlots): Figures {
  return {
    input: reportedFigure(bytes, skimmer, slots.groqInput),
    output: reportedFigure(bytes, skimmer, slots.groqOutput),
    total: reportedFigure(bytes, skimmer, slots.groqTotal),
    cacheRead: reportedFigure(bytes, skimmer, slots.groqCacheRead),
    reasoning: reportedFigure(bytes, skimmer, slots.groqReasoning),
  };
}

export const CHAT_USAGE_RULE: UsageRule = {
  merge: renewFigures,
  settle: settleInclusive,
  words: compileWords({
    text: ['content', 'reasoning_content', 'reasoning', 'refusal', 'arguments', 'text', 'input'],
    // OpenRouter's `reasoning_details` repeats `reasoning`; log probabilities repeat the content.
    skip: ['reasoning_details', 'logprobs', 'usage', 'annotations', 'error'],
  }),
};
