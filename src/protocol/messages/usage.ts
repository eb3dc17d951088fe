import { NO_USAGE } from '../../kernel/usage.ts';
import type { HubUsage } from '../hub/answer.ts';
import type { Figures } from '../meter/usage-report.ts';
import { MESSAGES_USAGE_RULE } from './pass-through/usage.ts';
import type { WireUsage } from './wire.ts';

export const NO_HUB_USAGE: HubUsage = Object.freeze({ ...NO_USAGE, cacheWriteLong: 0, toolPrompt: 0 });

/** In the buckets by which the call is metered. */
export function decodeUsage(figures: Figures): HubUsage {
  const { usage } = MESSAGES_USAGE_RULE.settle(figures);
  const cacheWriteLong = Math.min(figures.cacheWriteLong ?? 0, usage.cacheWrite);
  return { ...usage, cacheWriteLong, toolPrompt: 0 };
}

/** All four figures are present even if they are 0: clients add them up. */
export function encodeUsage(usage: HubUsage, serviceTier: string | undefined): WireUsage {
  const { cacheWrite, cacheWriteLong, outputReasoning } = usage;
  return {
    input_tokens: usage.inputFresh,
    cache_creation_input_tokens: cacheWrite,
    cache_read_input_tokens: usage.cacheRead,
    cache_creation: {
      ephemeral_5m_input_tokens: cacheWrite - cacheWriteLong,
      ephemeral_1h_input_tokens: cacheWriteLong,
    },
    output_tokens: usage.outputText + outputReasoning,
    ...(outputReasoning > 0 ? { output_tokens_details: { thinking_tokens: outputReasoning } } : {}),
    ...(serviceTier === undefined ? {} : { service_tier: serviceTier }),
  };
}
