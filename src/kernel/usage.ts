/**
 * What a call consumed, in buckets that do not overlap: every token is in exactly one of them, even if the
 * vendor's numbers overlap (rule C-55). All values are whole numbers ≥ 0.
 */
export interface Usage {
  /** Input that was neither read from nor written to the vendor's cache, including server-tool prompts. */
  readonly inputFresh: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly outputText: number;
  readonly outputReasoning: number;
  readonly images: number;
  readonly videos: number;
}

export const NO_USAGE: Usage = Object.freeze({
  inputFresh: 0,
  cacheRead: 0,
  cacheWrite: 0,
  outputText: 0,
  outputReasoning: 0,
  images: 0,
  videos: 0,
});

export function inputTokens(usage: Usage): number {
  return usage.inputFresh + usage.cacheRead + usage.cacheWrite;
}

/** Reasoning tokens are output tokens. */
export function outputTokens(usage: Usage): number {
  return usage.outputText + usage.outputReasoning;
}

export function totalTokens(usage: Usage): number {
  return inputTokens(usage) + outputTokens(usage);
}

export function addUsage(one: Usage, other: Usage): Usage {
  return {
    inputFresh: one.inputFresh + other.inputFresh,
    cacheRead: one.cacheRead + other.cacheRead,
    cacheWrite: one.cacheWrite + other.cacheWrite,
    outputText: one.outputText + other.outputText,
    outputReasoning: one.outputReasoning + other.outputReasoning,
    images: one.images + other.images,
    videos: one.videos + other.videos,
  };
}
