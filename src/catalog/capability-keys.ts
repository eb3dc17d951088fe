import type { Capabilities } from '../kernel/capability.ts';

/** Every capability and its key in the catalogue file. */
export const CAPABILITY_KEYS: Readonly<Record<keyof Capabilities, string>> = {
  thinking: 'thinking',
  thinkingOff: 'thinking_off',
  thinksByDefault: 'thinks_by_default',
  efforts: 'efforts',
  budgetTokensMin: 'budget_tokens_min',
  budgetTokensMax: 'budget_tokens_max',
  sampling: 'sampling',
  penalties: 'penalties',
  stopSequences: 'stop_sequences',
  forcedToolChoice: 'forced_tool_choice',
  chatToolsWithThinking: 'chat_tools_with_thinking',
  customTools: 'custom_tools',
  prefill: 'prefill',
  systemTurns: 'system_turns',
  structuredOutput: 'structured_output',
  structuredOutputWithTools: 'structured_output_with_tools',
  toolResultImages: 'tool_result_images',
  mediaUrls: 'media_urls',
  signaturesRequired: 'signatures_required',
  reasoningContent: 'reasoning_content',
  maxCompletionTokens: 'max_completion_tokens',
  cacheMarks: 'cache_marks',
  webSearch: 'web_search',
  maxOutputTokens: 'max_output_tokens',
};
