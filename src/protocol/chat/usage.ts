import { REPORTED_TOKENS_MAX } from '../../bounds.ts';
import { inputTokens, outputTokens } from '../../kernel/usage.ts';
import type { HubUsage } from '../hub/answer.ts';
import type { JsonObject, JsonValue } from '../hub/content/json.ts';
import { type Figures, settleInclusive } from '../meter/usage-report.ts';
import { objectOrEmpty } from './fields.ts';

/** A vendor's figures as it reports them. */
export function readFigures(usage: JsonObject): Figures {
  const details = objectOrEmpty(usage.prompt_tokens_details);
  return {
    input: figure(usage.prompt_tokens),
    output: figure(usage.completion_tokens),
    total: figure(usage.total_tokens),
    // DeepSeek's and Moonshot's own names for the same figure.
    cacheRead:
      figure(details.cached_tokens) ?? figure(usage.prompt_cache_hit_tokens) ?? figure(usage.cached_tokens),
    cacheWrite: figure(details.cache_write_tokens),
    reasoning: figure(objectOrEmpty(usage.completion_tokens_details).reasoning_tokens),
  };
}

/** The figures in buckets that do not overlap; `undefined` if the vendor reported none. */
export function decodeUsage(figures: Figures): HubUsage | undefined {
  if (figures.input === undefined && figures.output === undefined) return undefined;
  return { ...settleInclusive(figures).usage, cacheWriteLong: 0, toolPrompt: 0 };
}

/** Absurd figures count as absent, as everywhere (number.ts). */
function figure(value: JsonValue | undefined): number | undefined {
  const isFigure =
    typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= REPORTED_TOKENS_MAX;
  return isFigure ? value : undefined;
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
