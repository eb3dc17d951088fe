import type { CapabilityOverrides } from '../../kernel/capability.ts';
import type { CapabilityRow } from './row.ts';

/** What changed with 4.7 and stayed (rule C-37, rule C-46). */
const ADAPTIVE: CapabilityOverrides = {
  thinking: 'adaptive',
  thinkingOff: true,
  thinksByDefault: false,
  efforts: ['low', 'medium', 'high', 'xhigh', 'max'],
  sampling: 'none',
  prefill: false,
  structuredOutput: true,
  maxOutputTokens: 128_000,
};

const CLAUDE_5: CapabilityOverrides = { ...ADAPTIVE, thinksByDefault: true };

/** Always thinks, and refuses a forced tool choice. */
const ALWAYS_THINKS: CapabilityOverrides = { ...CLAUDE_5, thinkingOff: false, forcedToolChoice: false };

const CLAUDE_4_6: CapabilityOverrides = {
  ...ADAPTIVE,
  efforts: ['low', 'medium', 'high', 'max'],
  sampling: 'one-of',
};

const BUDGET: CapabilityOverrides = {
  thinking: 'budget',
  thinkingOff: true,
  efforts: [],
  budgetTokensMax: 63_999,
  sampling: 'one-of',
  structuredOutput: true,
  maxOutputTokens: 64_000,
};

const CLAUDE_4: CapabilityOverrides = { ...BUDGET, structuredOutput: false };
const OPUS_4: CapabilityOverrides = { ...CLAUDE_4, budgetTokensMax: 31_999, maxOutputTokens: 32_000 };

/** Before 3.7 no model had thinking, and temperature and top_p were allowed together. */
const CLAUDE_3: CapabilityOverrides = {
  thinking: 'none',
  sampling: 'all',
  structuredOutput: false,
  maxOutputTokens: 4_096,
};

/** Names of Claude, with the family before the version (name.ts). */
export const ANTHROPIC_ROWS: readonly CapabilityRow[] = [
  { match: /^claude-(?:opus|sonnet)-5-[5-9]/, capabilities: { ...ALWAYS_THINKS, systemTurns: true } },
  { match: /^claude-haiku-5-[5-9]/, capabilities: { ...CLAUDE_5, systemTurns: true } },
  { match: /^claude-fable-5-\d/, capabilities: { ...ALWAYS_THINKS, systemTurns: true } },
  { match: 'claude-fable-5', capabilities: { ...CLAUDE_5, thinkingOff: false, systemTurns: true } },
  {
    match: 'claude-mythos-preview',
    capabilities: { ...ALWAYS_THINKS, efforts: ['low', 'medium', 'high', 'max'] },
  },
  { match: 'claude-mythos-5', capabilities: { ...CLAUDE_5, thinkingOff: false, systemTurns: true } },
  { match: 'claude-opus-5', capabilities: { ...CLAUDE_5, systemTurns: true } },
  { match: /^claude-(?:sonnet|haiku)-5/, capabilities: CLAUDE_5 },
  { match: 'claude-opus-4-8', capabilities: { ...ADAPTIVE, systemTurns: true } },
  { match: /^claude-[a-z]+-4-[789]/, capabilities: ADAPTIVE },
  { match: /^claude-[a-z]+-4-6/, capabilities: CLAUDE_4_6 },
  { match: 'claude-opus-4-5', capabilities: { ...BUDGET, efforts: ['low', 'medium', 'high'] } },
  { match: /^claude-[a-z]+-4-5/, capabilities: BUDGET },
  { match: 'claude-opus-4', capabilities: OPUS_4 },
  { match: /^claude-[a-z]+-4/, capabilities: CLAUDE_4 },
  { match: 'claude-sonnet-3-7', capabilities: { ...CLAUDE_4, sampling: 'all' } },
  { match: /^claude-[a-z]+-3-5/, capabilities: { ...CLAUDE_3, maxOutputTokens: 8_192 } },
  { match: /^claude-(?:[a-z]+-3|instant|2)/, capabilities: CLAUDE_3 },
  // A model that is newer than this table is treated like the strictest of the newest in it.
  { match: /^claude/, capabilities: ALWAYS_THINKS },
];
