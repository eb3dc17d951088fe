import { REPORTED_TOKENS_MAX } from '../../bounds.ts';
import { inputTokens, outputTokens } from '../../kernel/usage.ts';
import type { HubUsage } from '../hub/answer.ts';
import { isObject, type JsonObject, type JsonValue } from '../hub/content/json.ts';
import { settleInclusive } from '../meter/usage-report.ts';
import { objectOrEmpty } from './fields.ts';

/** Input includes cache reads and writes, output includes reasoning (rule C-54). */
export function decodeUsage(value: JsonValue | undefined): HubUsage | undefined {
  if (!isObject(value)) return undefined;
  const inputDetails = objectOrEmpty(value.input_tokens_details);
  const input = figure(value.input_tokens);
  const output = figure(value.output_tokens);
  if (input === undefined && output === undefined) return undefined;
  const { usage } = settleInclusive({
    input,
    output,
    cacheRead: figure(inputDetails.cached_tokens),
    cacheWrite: figure(inputDetails.cache_write_tokens),
    reasoning: figure(objectOrEmpty(value.output_tokens_details).reasoning_tokens),
  });
  const long = figure(objectOrEmpty(inputDetails.cache_write_tokens_details).ttl_12h_tokens) ?? 0;
  return { ...usage, cacheWriteLong: Math.min(long, usage.cacheWrite), toolPrompt: 0 };
}

/** An absurd figure counts as not reported. */
function figure(value: JsonValue | undefined): number | undefined {
  const isSound = Number.isSafeInteger(value) && (value as number) >= 0;
  return isSound && (value as number) <= REPORTED_TOKENS_MAX ? (value as number) : undefined;
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
