import type { Capabilities, Effort } from '../../../kernel/capability.ts';
import type { JsonObject } from '../../hub/content/json.ts';
import { budgetOfEffort, clampEffort, effortOfBudget } from '../../hub/effort.ts';
import type { Notes } from '../../hub/notes.ts';
import type { HubRequest, Thinking } from '../../hub/request.ts';

/** A level for Gemini 3 and later, a budget for 2.5. Both together are refused (rule C-38). */
export function encodeThinking(
  request: HubRequest,
  capabilities: Capabilities,
  notes: Notes,
): JsonObject | undefined {
  const { thinking } = request;
  if (capabilities.thinking === 'none') {
    const isWanted = thinking.effort !== undefined || thinking.mode !== undefined;
    if (isWanted && findEffort(thinking) !== 'none') notes.lose('thinking');
    return undefined;
  }
  const includeThoughts = wantsThoughts(request) ? true : undefined;
  const amount =
    capabilities.thinking === 'budget'
      ? { thinkingBudget: findBudget(request, capabilities) }
      : { thinkingLevel: findLevel(thinking, capabilities) };
  const isEmpty = includeThoughts === undefined && Object.values(amount)[0] === undefined;
  return isEmpty ? undefined : { includeThoughts, ...amount };
}

/** A chat client has no field for it. One that sets an effort gets the thoughts that it pays for. */
function wantsThoughts({ thinking, client }: HubRequest): boolean {
  const isOff = thinking.mode === 'off' || thinking.effort === 'none';
  if (thinking.show !== undefined) return thinking.show && !isOff;
  return client === 'chat' && thinking.effort !== undefined && !isOff;
}

/** `undefined` if the client leaves it to the model. */
function findEffort(thinking: Thinking): Effort | undefined {
  if (thinking.mode === 'off') return 'none';
  if (thinking.effort !== undefined) return thinking.effort;
  return thinking.budgetTokens === undefined ? undefined : effortOfBudget(thinking.budgetTokens);
}

function findLevel(thinking: Thinking, capabilities: Capabilities): string | undefined {
  const effort = findEffort(thinking);
  if (effort === undefined) return undefined;
  return clampEffort(effort, capabilities.efforts)?.toUpperCase();
}

function findBudget(request: HubRequest, capabilities: Capabilities): number | undefined {
  const { thinking, maxTokens } = request;
  const { budgetTokensMin, budgetTokensMax } = capabilities;
  if (thinking.mode !== 'off' && thinking.effort === undefined && thinking.budgetTokens === undefined) {
    // −1: the model decides.
    return thinking.mode === undefined ? undefined : -1;
  }
  const effort = findEffort(thinking) ?? 'none';
  const wanted =
    effort !== 'none' && thinking.budgetTokens !== undefined
      ? Math.max(budgetTokensMin, Math.min(thinking.budgetTokens, budgetTokensMax))
      : budgetOfEffort(effort, capabilities);
  // Thoughts count as output: a budget as large as the limit would leave nothing for the answer.
  return maxTokens === undefined || wanted < maxTokens
    ? wanted
    : Math.max(budgetTokensMin, Math.floor(maxTokens) - 1);
}
