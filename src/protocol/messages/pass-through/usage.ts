import type { LentBytes } from '../../../kernel/encoding/lent-bytes.ts';
import { NO_USAGE } from '../../../kernel/usage.ts';
import { reportedFigure } from '../../bytes/number.ts';
import type { Skimmer } from '../../bytes/skim.ts';
import type { UsageRule } from '../../meter/meter.ts';
import { type Figures, overlayFigures, type Settled } from '../../meter/usage-report.ts';
import { compileWords } from '../../meter/words.ts';
import { addIterations } from './iterations.ts';

export interface MessagesUsageSlots {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly cacheWriteShort: number;
  readonly cacheWriteLong: number;
  readonly reasoning: number;
  readonly iterations: number;
}

/** `message_start` has usage inside `message`; `message_delta` and plain answers at the top. */
export function messagesUsagePaths(prefix: '' | 'message.') {
  return {
    input: `${prefix}usage.input_tokens`,
    output: `${prefix}usage.output_tokens`,
    cacheRead: `${prefix}usage.cache_read_input_tokens`,
    cacheWrite: `${prefix}usage.cache_creation_input_tokens`,
    cacheWriteShort: `${prefix}usage.cache_creation.ephemeral_5m_input_tokens`,
    cacheWriteLong: `${prefix}usage.cache_creation.ephemeral_1h_input_tokens`,
    reasoning: `${prefix}usage.output_tokens_details.thinking_tokens`,
    iterations: `${prefix}usage.iterations`,
  };
}

export function readMessagesFigures(bytes: LentBytes, skimmer: Skimmer, slots: MessagesUsageSlots): Figures {
  const figure = (slot: number): number | undefined => reportedFigure(bytes, skimmer, slot);
  const short = figure(slots.cacheWriteShort);
  const long = figure(slots.cacheWriteLong);
  const split = short === undefined && long === undefined ? undefined : (short ?? 0) + (long ?? 0);
  const figures: Figures = {
    input: figure(slots.input),
    output: figure(slots.output),
    cacheRead: figure(slots.cacheRead),
    cacheWrite: figure(slots.cacheWrite) ?? split,
    cacheWriteLong: long,
    reasoning: figure(slots.reasoning),
  };
  const start = skimmer.starts[slots.iterations] as number;
  if (start < 0) return figures;
  const billed = addIterations(figures, bytes.subarray(start, skimmer.ends[slots.iterations]));
  return billed === figures ? figures : { ...billed, shown: figures };
}

/** The four figures do not overlap. Only thinking is included in the output figure. */
function settleMessages(figures: Figures): Settled {
  const output = figures.output ?? 0;
  const outputReasoning = Math.min(figures.reasoning ?? 0, output);
  return {
    usage: {
      ...NO_USAGE,
      inputFresh: figures.input ?? 0,
      cacheRead: figures.cacheRead ?? 0,
      cacheWrite: figures.cacheWrite ?? 0,
      outputText: output - outputReasoning,
      outputReasoning,
    },
    inputReported: figures.input !== undefined,
    outputReported: figures.output !== undefined,
  };
}

export const MESSAGES_USAGE_RULE: UsageRule = {
  merge: overlayFigures,
  settle: settleMessages,
  words: compileWords({
    text: ['text', 'thinking', 'partial_json'],
    // A block's start repeats no generated text, but it may contain a server tool's result.
    skip: ['content_block', 'message', 'usage', 'citation', 'error'],
  }),
};

export const MESSAGES_ANSWER_WORDS = compileWords({
  text: ['text', 'thinking'],
  raw: ['input'],
  skip: ['usage', 'citations'],
});
