import { inputTokens, outputTokens } from '../../kernel/usage.ts';
import type { HubUsage } from '../hub/answer.ts';
import type { JsonObject } from '../hub/content/json.ts';
import { type Figures, settleInclusive } from '../meter/usage-report.ts';

/** The figures in buckets that do not overlap; `undefined` if the vendor reported none. */
export function decodeUsage(figures: Figures | undefined): HubUsage | undefined {
  if (figures?.input === undefined && figures?.output === undefined) return undefined;
  return { ...settleInclusive(figures).usage, cacheWriteLong: 0, toolPrompt: 0 };
}

/** Parts are shown as parts of their wholes, as this protocol counts. */
export function encodeUsage(usage: HubUsage): JsonObject {
  const input = inputTokens(usage);
  const output = outputTokens(usage);
  const written = usage.cacheWrite === 0 ? {} : { cache_write_tokens: usage.cacheWrite };
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: usage.cacheRead, ...written },
    completion_tokens_details: { reasoning_tokens: usage.outputReasoning },
  };
}
