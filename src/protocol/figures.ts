import { NO_USAGE, type Usage } from '../kernel/usage.ts';

/**
 * A vendor's usage report, figure by figure, before overlaps are taken out. A figure that was absent or absurd
 * is undefined. What the figures include differs per protocol (conversion.md 12.1); each dialect settles its own.
 */
export interface Figures {
  readonly input?: number | undefined;
  readonly cacheRead?: number | undefined;
  readonly cacheWrite?: number | undefined;
  readonly toolInput?: number | undefined;
  readonly output?: number | undefined;
  readonly reasoning?: number | undefined;
  readonly total?: number | undefined;
}

const FIELDS = ['input', 'cacheRead', 'cacheWrite', 'toolInput', 'output', 'reasoning', 'total'] as const;

/** Figures in buckets that do not overlap, and which halves of them the vendor really reported. */
export interface Settled {
  readonly usage: Usage;
  readonly inputReported: boolean;
  readonly outputReported: boolean;
}

/** Field by field, the newer figure where there is one (Messages: `message_delta` over `message_start`). */
export function overlayFigures(before: Figures, after: Figures): Figures {
  return combine(before, after, (_, newer) => newer);
}

/** Field by field the larger figure: Google's are cumulative and a late chunk may leave some out. */
export function maxFigures(before: Figures, after: Figures): Figures {
  return combine(before, after, Math.max);
}

/** The newer report as a whole (Chat Completions and Responses: never added, the last one wins). */
export function replaceFigures(_before: Figures, after: Figures): Figures {
  return after;
}

function combine(before: Figures, after: Figures, choose: (older: number, newer: number) => number): Figures {
  const combined: { -readonly [Field in keyof Figures]: Figures[Field] } = {};
  for (const field of FIELDS) {
    const older = before[field];
    const newer = after[field];
    combined[field] = older === undefined || newer === undefined ? (newer ?? older) : choose(older, newer);
  }
  return combined;
}

/**
 * Chat Completions and Responses: input includes cache reads and writes, output includes reasoning. A part that
 * is larger than its whole is cut to it, so that no token is counted twice.
 */
export function settleInclusive(figures: Figures): Settled {
  const input = figures.input ?? 0;
  const cacheRead = Math.min(figures.cacheRead ?? 0, input);
  const cacheWrite = Math.min(figures.cacheWrite ?? 0, input - cacheRead);
  const reported = figures.output ?? 0;
  const reasoning = figures.reasoning ?? 0;
  // xAI leaves reasoning out of the completion figure; its total shows that.
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
