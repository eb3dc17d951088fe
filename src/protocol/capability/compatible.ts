import type { CapabilityOverrides } from '../../kernel/capability.ts';
import type { CapabilityRow } from './row.ts';

/** Thinks, but has no setting for how hard. Its thinking must be sent back with its tool calls. */
const THINKS: CapabilityOverrides = { thinksByDefault: true, reasoningContent: true };

/** Refuses a forced tool while it thinks, which is always. */
const NO_FORCED_TOOLS: CapabilityOverrides = { ...THINKS, forcedToolChoice: false };

const DEEPSEEK: CapabilityOverrides = {
  ...NO_FORCED_TOOLS,
  thinking: 'effort',
  efforts: ['low', 'high', 'max'],
  structuredOutput: false,
};

/** Names of other vendors that use OpenAI's protocols, from their makers or from resellers. */
export const COMPATIBLE_ROWS: readonly CapabilityRow[] = [
  {
    match: 'gpt-oss',
    capabilities: { thinking: 'effort', thinksByDefault: true, efforts: ['low', 'medium', 'high'] },
  },
  // R1 refuses its earlier thinking; all later models require it.
  { match: /^deepseek[-.]r1/, capabilities: { thinksByDefault: true, structuredOutput: false } },
  {
    match: /^deepseek[-.](?:chat|coder|v[23])/,
    capabilities: { reasoningContent: true, structuredOutput: false },
  },
  { match: /^deepseek/, capabilities: DEEPSEEK },
  { match: /^kimi-k(?:2-thinking|2\.[5-9]|[3-9])/, capabilities: { ...NO_FORCED_TOOLS, mediaUrls: false } },
  { match: /^(?:kimi|moonshot)/, capabilities: { mediaUrls: false } },
  { match: /^glm-(?:4\.[5-9]|[5-9])/, capabilities: { ...NO_FORCED_TOOLS, structuredOutput: false } },
  { match: /^(?:minimax-m|mimo)/, capabilities: THINKS },
  { match: /^(?:qwq|qwen.*-thinking)/, capabilities: { thinksByDefault: true, forcedToolChoice: false } },
  {
    match: 'grok-3-mini',
    capabilities: {
      thinking: 'effort',
      thinksByDefault: true,
      efforts: ['low', 'high'],
      penalties: false,
      stopSequences: false,
    },
  },
  { match: /^grok-.*non-reasoning/, capabilities: {} },
  {
    match: /^grok-(?:[4-9]|code)/,
    capabilities: { thinksByDefault: true, penalties: false, stopSequences: false },
  },
  // The conversation must end with a user or a tool. A field that Mistral does not know is refused.
  {
    match: /^(?:open-)?(?:mistral|mixtral|ministral|codestral|magistral|devstral|pixtral)/,
    capabilities: { prefill: false, maxCompletionTokens: false },
  },
  {
    match: /^claude-[a-z]+-(?:3|4-[0-6]|4$)/,
    capabilities: { sampling: 'one-of', penalties: false, prefill: false, maxOutputTokens: 32_000 },
  },
  {
    match: /^claude/,
    capabilities: { sampling: 'none', penalties: false, prefill: false, maxOutputTokens: 64_000 },
  },
  {
    match: /^gemini-[3-9]/,
    capabilities: {
      thinking: 'effort',
      thinksByDefault: true,
      efforts: ['low', 'medium', 'high'],
      penalties: false,
      signaturesRequired: true,
      maxOutputTokens: 65_536,
    },
  },
  { match: /^gemini/, capabilities: { penalties: false, maxOutputTokens: 65_536 } },
];
