import { inputTokens, outputTokens } from '../../kernel/usage.ts';
import type { HubUsage } from '../hub/answer.ts';
import type { JsonObject } from '../hub/content/json.ts';
import { type Figures, settleInclusive } from '../meter/usage-report.ts';

/** Input includes cache reads and writes, output includes reasoning (rule C-54). */
export function decodeUsage(figures: Figures | undefined): HubUsage | undefined {
  if (figures?.input === undefined && figures?.output === undefined) return undefined;
  const { usage } = settleInclusive(figures);
  const long = figures.cacheWriteLong ?? 0;
  return { ...usage, cacheWriteLong: Math.min(long, usage.cacheWrite), toolPrompt: 0 };
}

/** Both details are always present: Codex cannot read a usage without them. */
export function encodeUsage(usage: HubUsage): JsonObject {
  const input = inputTokens(usage);
  const output = outputTokens(usage);
  const long = usage.cacheWriteLong;
  return {
    input_tokens: input,
    input_tokens_details: {
      cached_tokens: usage.cacheRead,
      cache_write_tokens: usage.cacheWrite,
      ...(long > 0
        ? {
            cache_write_tokens_details: {
              ttl_30m_tokens: Math.max(0, usage.cacheWrite - long),
              ttl_12h_tokens: long,
            },
          }
        : {}),
    },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: usage.outputReasoning },
    total_tokens: input + output,
  };
}
