import type { Json, Thinking } from '../lanes/conversation.ts';

/** How families of models name their ways to think. Unknown names are taken for the newest of their kind. */

const BUDGETS = { low: 1_024, medium: 8_192, high: 24_576 } as const;
const BUDGET_MIN = 1_024;

/** `reasoning_effort`. Undefined: it is not sent. */
export function effortOf(model: string, thinking: Thinking): string | undefined {
  if (thinking === 'auto') return undefined;
  if (thinking !== 'off') return thinking;
  if (/^gpt-5(?:-|$)/.test(model)) return 'minimal';
  return /^o\d/.test(model) ? 'low' : 'none';
}

/** The `thinking` and `output_config.effort` of Messages. */
export function claudeThinking(
  model: string,
  thinking: Thinking,
  maxOutput: number,
): { readonly thinking?: Json; readonly effort?: string } {
  if (thinking === 'auto') return {};
  if (thinking === 'off') return { thinking: { type: 'disabled' } };
  if (!/^claude-(?:3|\w+-4(?:-[0-5])?(?:-\d{8})?$)/.test(model)) {
    return { thinking: { type: 'adaptive', display: 'summarized' }, effort: thinking };
  }
  const budget = Math.min(BUDGETS[thinking], Math.floor(maxOutput / 2));
  return budget < BUDGET_MIN ? {} : { thinking: { type: 'enabled', budget_tokens: budget } };
}

/** `generationConfig.thinkingConfig`. */
export function geminiThinking(model: string, thinking: Thinking): Json | undefined {
  if (thinking === 'auto') return undefined;
  if (/^gemini-2/.test(model)) {
    if (thinking === 'off') return { thinkingBudget: model.includes('flash') ? 0 : 128 };
    return { thinkingBudget: BUDGETS[thinking], includeThoughts: true };
  }
  if (thinking === 'off') return { thinkingLevel: model.includes('flash') ? 'MINIMAL' : 'LOW' };
  const isCoarse = /^gemini-3-pro/.test(model) && thinking === 'medium';
  return { thinkingLevel: isCoarse ? 'HIGH' : thinking.toUpperCase(), includeThoughts: true };
}
