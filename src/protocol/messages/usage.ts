import { REPORTED_TOKENS_MAX } from '../../bounds.ts';
import { NO_USAGE } from '../../kernel/usage.ts';
import type { HubUsage } from '../hub/answer.ts';
import { isObject, type JsonObject, type JsonValue } from '../hub/content/json.ts';
import type { WireUsage } from './wire.ts';

/** The figures of a report. `message_delta` overlays `message_start`, so absent figures must stay absent. */
export interface UsageFigures {
  readonly input: number | undefined;
  readonly output: number | undefined;
  readonly cacheRead: number | undefined;
  readonly cacheWrite: number | undefined;
  readonly cacheWriteLong: number | undefined;
  readonly thinking: number | undefined;
}

export const NO_HUB_USAGE: HubUsage = Object.freeze({ ...NO_USAGE, cacheWriteLong: 0, toolPrompt: 0 });

/** `undefined` if the vendor reported none. */
export function readUsage(value: JsonValue | undefined): UsageFigures | undefined {
  if (!isObject(value)) return undefined;
  const split = isObject(value.cache_creation) ? value.cache_creation : undefined;
  const details = isObject(value.output_tokens_details) ? value.output_tokens_details : undefined;
  const short = figure(split, 'ephemeral_5m_input_tokens');
  const long = figure(split, 'ephemeral_1h_input_tokens');
  const sum = short === undefined && long === undefined ? undefined : (short ?? 0) + (long ?? 0);
  return {
    input: figure(value, 'input_tokens'),
    output: figure(value, 'output_tokens'),
    cacheRead: figure(value, 'cache_read_input_tokens'),
    cacheWrite: figure(value, 'cache_creation_input_tokens') ?? sum,
    cacheWriteLong: long,
    thinking: figure(details, 'thinking_tokens'),
  };
}

function figure(holder: JsonObject | undefined, key: string): number | undefined {
  const value = holder?.[key];
  const isFigure = typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
  return isFigure && value <= REPORTED_TOKENS_MAX ? value : undefined;
}

/** Figures are cumulative: the newer one if there is one, never the sum (rule C-56). */
export function overlayUsage(before: UsageFigures | undefined, after: UsageFigures): UsageFigures {
  if (before === undefined) return after;
  return {
    input: after.input ?? before.input,
    output: after.output ?? before.output,
    cacheRead: after.cacheRead ?? before.cacheRead,
    cacheWrite: after.cacheWrite ?? before.cacheWrite,
    cacheWriteLong: after.cacheWriteLong ?? before.cacheWriteLong,
    thinking: after.thinking ?? before.thinking,
  };
}

/** The four figures do not overlap. Thinking is included in the output, long-lived writes in the writes. */
export function decodeUsage(figures: UsageFigures): HubUsage {
  const output = figures.output ?? 0;
  const cacheWrite = figures.cacheWrite ?? 0;
  const outputReasoning = Math.min(figures.thinking ?? 0, output);
  return {
    ...NO_HUB_USAGE,
    inputFresh: figures.input ?? 0,
    cacheRead: figures.cacheRead ?? 0,
    cacheWrite,
    outputText: output - outputReasoning,
    outputReasoning,
    cacheWriteLong: Math.min(figures.cacheWriteLong ?? 0, cacheWrite),
  };
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
