import type { CapabilityOverrides } from '../../kernel/capability.ts';
import type { CapabilityRow } from './row.ts';

/** Rule C-38: levels, no way to switch thinking off, and signatures that must be sent back. */
const LEVELS: CapabilityOverrides = {
  thinking: 'level',
  thinksByDefault: true,
  efforts: ['low', 'medium', 'high'],
  structuredOutputWithTools: true,
  toolResultImages: true,
  signaturesRequired: true,
};

const FOUR_LEVELS: CapabilityOverrides = { ...LEVELS, efforts: ['minimal', 'low', 'medium', 'high'] };

/** An image model: it takes no schema, and its output is shorter. */
const IMAGE_MODEL: CapabilityOverrides = { structuredOutput: false, maxOutputTokens: 32_768 };

const GEMINI_2_5: CapabilityOverrides = {
  thinking: 'budget',
  thinkingOff: true,
  thinksByDefault: true,
  budgetTokensMin: 0,
  budgetTokensMax: 24_576,
};

export const GOOGLE_ROWS: readonly CapabilityRow[] = [
  { match: 'gemini-2.5-flash-image', capabilities: IMAGE_MODEL },
  {
    match: 'gemini-2.5-pro',
    capabilities: { ...GEMINI_2_5, thinkingOff: false, budgetTokensMin: 128, budgetTokensMax: 32_768 },
  },
  {
    match: 'gemini-2.5-flash-lite',
    capabilities: { ...GEMINI_2_5, thinksByDefault: false, budgetTokensMin: 512 },
  },
  { match: /^gemini-2\.5/, capabilities: GEMINI_2_5 },
  { match: /^gemini-[12]/, capabilities: { penalties: true, maxOutputTokens: 8_192 } },
  {
    match: /^gemini-3[.\d]*-pro-image/,
    capabilities: { ...LEVELS, ...IMAGE_MODEL, thinking: 'none', efforts: [] },
  },
  {
    match: /^gemini-3[.\d]*-flash(?:-lite)?-image/,
    capabilities: { ...LEVELS, ...IMAGE_MODEL, efforts: ['minimal', 'high'] },
  },
  { match: 'gemini-3-pro', capabilities: { ...LEVELS, efforts: ['low', 'high'] } },
  { match: 'gemini-3-flash', capabilities: FOUR_LEVELS },
  { match: 'gemini-3.1-flash-lite', capabilities: FOUR_LEVELS },
  { match: /^gemini-3(?:\.[1-4])?-/, capabilities: LEVELS },
  // Rule C-16: from 3.5 on a model continues an answer that was begun for it.
  { match: /^gemini-3\.[56]-flash/, capabilities: { ...FOUR_LEVELS, prefill: true } },
  // 3.7-flash, 4, and newer ones.
  { match: /^gemini/, capabilities: { ...LEVELS, prefill: true } },
];
