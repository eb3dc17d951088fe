import type { HubUsage } from '../hub/answer.ts';
import type { JsonObject } from '../hub/content/json.ts';
import type { Figures } from '../meter/usage-report.ts';
import { GENERATE_USAGE_RULE } from './pass-through/usage.ts';

/** In the buckets by which the call is metered, so that the client sees what it is charged for. */
export function decodeUsage(figures: Figures | undefined): HubUsage | undefined {
  if (figures === undefined) return undefined;
  const { usage, inputReported, outputReported } = GENERATE_USAGE_RULE.settle(figures);
  if (!inputReported && !outputReported) return undefined;
  return { ...usage, cacheWriteLong: 0, toolPrompt: figures.toolInput ?? 0 };
}

/** The prompt includes cache reads and writes. Thoughts are separate from the candidates (rule C-54). */
export function encodeUsage(usage: HubUsage): JsonObject {
  const tool = Math.min(usage.toolPrompt, usage.inputFresh);
  const prompt = usage.inputFresh - tool + usage.cacheRead + usage.cacheWrite;
  return {
    promptTokenCount: prompt,
    candidatesTokenCount: usage.outputText,
    totalTokenCount: prompt + tool + usage.outputText + usage.outputReasoning,
    cachedContentTokenCount: usage.cacheRead === 0 ? undefined : usage.cacheRead,
    toolUsePromptTokenCount: tool === 0 ? undefined : tool,
    thoughtsTokenCount: usage.outputReasoning === 0 ? undefined : usage.outputReasoning,
  };
}
