import type { CapabilityOverrides, Effort } from '../../kernel/capability.ts';
import type { CapabilityRow } from './row.ts';

const LOW_TO_HIGH: readonly Effort[] = ['low', 'medium', 'high'];

/** Rule V-3: a reasoning model refuses sampling, penalties and stops. */
const REASONING: CapabilityOverrides = {
  thinking: 'effort',
  thinksByDefault: true,
  efforts: LOW_TO_HIGH,
  sampling: 'none',
  penalties: false,
  stopSequences: false,
  customTools: true,
  maxOutputTokens: 128_000,
};

const O_SERIES: CapabilityOverrides = { ...REASONING, customTools: false, maxOutputTokens: 100_000 };

const GPT_5: CapabilityOverrides = { ...REASONING, efforts: ['minimal', 'low', 'medium', 'high'] };

/** From 5.1 on `none` is an effort, and up to 5.4 the default. */
const GPT_5_1: CapabilityOverrides = {
  ...REASONING,
  efforts: ['none', 'low', 'medium', 'high'],
  thinksByDefault: false,
};

const GPT_5_2: CapabilityOverrides = { ...GPT_5_1, efforts: ['none', 'low', 'medium', 'high', 'xhigh'] };

/** Rule C-39: tools and reasoning together work only on Responses. */
const GPT_5_4: CapabilityOverrides = { ...GPT_5_2, chatToolsWithThinking: false };

const GPT_5_5: CapabilityOverrides = { ...GPT_5_4, thinksByDefault: true };

const GPT_5_6: CapabilityOverrides = {
  ...GPT_5_5,
  efforts: ['none', 'low', 'medium', 'high', 'xhigh', 'max'],
  cacheMarks: true,
};

const CODEX: CapabilityOverrides = { ...REASONING, efforts: ['low', 'medium', 'high', 'xhigh'] };

const PRO: CapabilityOverrides = { ...REASONING, efforts: ['medium', 'high', 'xhigh'] };

/** Models before gpt-4o have no schemas for answers and no long answers. */
const EARLY: CapabilityOverrides = { structuredOutput: false, maxOutputTokens: 4_096 };

/** OpenAI's own names, on Chat Completions and Responses. */
export const OPENAI_ROWS: readonly CapabilityRow[] = [
  // Search models on Chat Completions accept no sampling options.
  { match: /^gpt-.*-search/, capabilities: { sampling: 'none', penalties: false, maxOutputTokens: 16_384 } },
  { match: 'gpt-5-chat', capabilities: { maxOutputTokens: 16_384 } },
  { match: /^gpt-5\.\d-chat/, capabilities: { ...REASONING, efforts: ['medium'], maxOutputTokens: 16_384 } },
  { match: 'gpt-5-pro', capabilities: { ...REASONING, efforts: ['high'] } },
  { match: /^gpt-5\.[1-3]-pro/, capabilities: PRO },
  { match: /^gpt-5\.\d-pro/, capabilities: { ...PRO, chatToolsWithThinking: false } },
  { match: 'gpt-5-codex', capabilities: REASONING },
  { match: 'gpt-5.1-codex-max', capabilities: CODEX },
  { match: 'gpt-5.1-codex', capabilities: REASONING },
  { match: /^gpt-5\.[23]-codex/, capabilities: CODEX },
  { match: /^gpt-5\.\d-codex/, capabilities: { ...CODEX, chatToolsWithThinking: false } },
  { match: 'gpt-5.1', capabilities: GPT_5_1 },
  { match: /^gpt-5\.[23]/, capabilities: GPT_5_2 },
  { match: /^gpt-5\.4/, capabilities: GPT_5_4 },
  { match: /^gpt-5\.5/, capabilities: GPT_5_5 },
  { match: /^gpt-5\./, capabilities: GPT_5_6 },
  { match: 'gpt-5', capabilities: GPT_5 },
  // A model that is newer than this table is treated like the newest in it.
  { match: /^gpt-(?:[6-9]|\d\d)/, capabilities: GPT_5_6 },
  { match: /^o\d/, capabilities: O_SERIES },
  { match: 'codex', capabilities: O_SERIES },
  { match: 'gpt-4.1', capabilities: { maxOutputTokens: 32_768 } },
  { match: /^(?:chat)?gpt-4(?:o|\.5)/, capabilities: { maxOutputTokens: 16_384 } },
  { match: 'gpt-4-turbo', capabilities: EARLY },
  { match: 'gpt-4', capabilities: { ...EARLY, maxOutputTokens: 8_192 } },
  { match: /^gpt-3/, capabilities: EARLY },
];
