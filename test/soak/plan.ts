/** What is done to the installation, and when, as a share of the run. */
export type Deed =
  | 'kill a node'
  | 'refuse everything'
  | 'kill PostgreSQL'
  | 'kill Redis'
  | 'upgrade both nodes'
  | 'restart both nodes';

export interface Planned {
  readonly at: number;
  readonly deed: Deed;
}

export interface Plan {
  readonly minutes: number;
  readonly deeds: readonly Planned[];
  /** Chapters in which the books are audited, an even number: half of them come before the last restart. */
  readonly chapters: number;
  /** How long something is away that comes back by itself. */
  readonly awayMs: number;
  readonly sampleMs: number;
  /** How long both nodes are looked at when nothing runs. */
  readonly restMs: number;
}

/** Idle connections to vendors are kept for half a minute. */
const REST_MS = 35_000;
const REST_SHORT_MS = 3_000;
/** A run that is shorter is a look, or a test. */
const SHORT_MINUTES = 5;

/** The simulated vendors list so many calls at most, and some 25 are made in a second. */
const CHAPTER_MINUTES_MAX = 4;

/** Processes are ended in the first half only: memory over time is that of processes that live. */
export const DEEDS: readonly Planned[] = [
  // Before the first audit, which asks the database in the form of this version.
  { at: 0.02, deed: 'upgrade both nodes' },
  { at: 0.08, deed: 'kill a node' },
  { at: 0.14, deed: 'refuse everything' },
  { at: 0.22, deed: 'kill PostgreSQL' },
  { at: 0.3, deed: 'kill Redis' },
  { at: 0.38, deed: 'restart both nodes' },
  { at: 0.6, deed: 'refuse everything' },
  { at: 0.7, deed: 'kill PostgreSQL' },
  { at: 0.8, deed: 'kill Redis' },
];

export function planFor(minutes: number): Plan {
  return {
    minutes,
    deeds: DEEDS,
    chapters: 2 * Math.ceil(minutes / 2 / CHAPTER_MINUTES_MAX),
    awayMs: Math.min(20_000, Math.max(1_500, minutes * 400)),
    sampleMs: minutes < SHORT_MINUTES ? 1_000 : 5_000,
    restMs: minutes < SHORT_MINUTES ? REST_SHORT_MS : REST_MS,
  };
}
