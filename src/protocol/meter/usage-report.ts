import { NO_USAGE, type Usage } from '../../kernel/usage.ts';

/**
 * A vendor's usage report, before overlaps are removed. A figure that was absent or absurd is undefined. What
 * a figure includes differs per protocol (rule C-54); each dialect converts its own.
 */
export interface Figures {
  readonly input?: number | undefined;
  readonly cacheRead?: number | undefined;
  readonly cacheWrite?: number | undefined;
  /** The part of `cacheWrite` that lives longer. It is shown, not charged. */
  readonly cacheWriteLong?: number | undefined;
  readonly toolInput?: number | undefined;
  readonly output?: number | undefined;
  readonly reasoning?: number | undefined;
  readonly total?: number | undefined;
  /** The totals that the vendor shows, if it bills more than they include. Clients see these. */
  readonly shown?: Figures | undefined;
}

/** Figures in buckets that do not overlap, and which of input and output the vendor reported. */
export interface Settled {
  readonly usage: Usage;
  readonly inputReported: boolean;
  readonly outputReported: boolean;
}

/**
 * Takes the newer figure of each field, if there is one. Messages: `message_delta` over `message_start`.
 * Google reports with every chunk, corrects itself in both directions, and may omit figures in a late chunk.
 */
export function overlayFigures(before: Figures, after: Figures): Figures {
  return {
    input: after.input ?? before.input,
    cacheRead: after.cacheRead ?? before.cacheRead,
    cacheWrite: after.cacheWrite ?? before.cacheWrite,
    cacheWriteLong: after.cacheWriteLong ?? before.cacheWriteLong,
    toolInput: after.toolInput ?? before.toolInput,
    output: after.output ?? before.output,
    reasoning: after.reasoning ?? before.reasoning,
    total: after.total ?? before.total,
  };
}

export function larger(older: number | undefined, newer: number | undefined): number | undefined {
  if (older === undefined || newer === undefined) return newer ?? older;
  return older > newer ? older : newer;
}

/**
 * Takes the newer report, never the sum (Chat Completions and Responses). A figure and its parts come
 * together: if a report has only input or only output, the other keeps its earlier figures.
 */
export function renewFigures(before: Figures, after: Figures): Figures {
  const input = after.input === undefined ? before : after;
  const output = after.output === undefined ? before : after;
  return {
    input: input.input,
    cacheRead: input.cacheRead,
    cacheWrite: input.cacheWrite,
    cacheWriteLong: input.cacheWriteLong,
    output: output.output,
    reasoning: output.reasoning,
    total: output.total,
  };
}

/**
 * Chat Completions and Responses: input includes cache reads and writes, output includes reasoning. A part
 * that is larger than its whole is cut to it, so that no token is counted twice.
 */
export function settleInclusive(figures: Figures): Settled {
  const input = figures.input ?? 0;
  const cacheRead = Math.min(figures.cacheRead ?? 0, input);
  const cacheWrite = Math.min(figures.cacheWrite ?? 0, input - cacheRead);
  const reported = figures.output ?? 0;
  const reasoning = figures.reasoning ?? 0;
  // xAI does not include reasoning in the completion figure; its total shows that.
  const isOutside = reasoning > 0 && figures.total === input + reported + reasoning;
  const output = isOutside ? reported + reasoning : reported;
  const outputReasoning = figures.output === undefined ? 0 : Math.min(reasoning, output);
  return {
    usage: {
      ...NO_USAGE,
      inputFresh: input - cacheRead - cacheWrite,
      cacheRead,
      cacheWrite,
      outputText: output - outputReasoning,
      outputReasoning,
    },
    inputReported: figures.input !== undefined,
    outputReported: figures.output !== undefined,
  };
}
