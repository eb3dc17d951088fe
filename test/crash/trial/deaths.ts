/** One way for a server to die under load, and how it comes about. */
export type Death =
  | { readonly kind: 'server'; readonly afterMs: number }
  /** At a named point of its own code, the given time it gets there. */
  | { readonly kind: 'point'; readonly point: string; readonly times: number }
  /** Killed; then dies twice at a point of its recovery. */
  | { readonly kind: 'recovery'; readonly point: string }
  /** The database is killed and comes back; then the server. */
  | { readonly kind: 'database' }
  /** Both in the same instant. */
  | { readonly kind: 'both' }
  /** Redis is killed and comes back empty; then the server. */
  | { readonly kind: 'redis' };

/** Every named point of the source, with a number of times that a second of load reaches. */
export const POINTS: Readonly<Record<string, number>> = {
  'gate.after-enter': 60,
  'option.before-rehold': 5,
  'option.after-rehold': 5,
  'journal.after-open': 60,
  'journal.after-mark': 100,
  'journal.before-end': 20,
  'journal.after-end': 20,
  'settle.before-commit': 3,
  'settle.after-commit': 3,
  'settle.told-gate': 3,
};

export const RECOVERY_POINTS: readonly string[] = [
  'recover.before-settle',
  'recover.after-settle',
  'recover.told-gate',
  'recover.before-unlink',
];

/** Points of commands, and of what runs beside calls, where the named test kills. */
export const COMMAND_POINTS: Readonly<Record<string, string>> = {
  'backup.before-tables': 'test/crash/backup.test.ts',
  'backup.before-end': 'test/crash/backup.test.ts',
  'restore.after-part': 'test/crash/backup.test.ts',
  'restore.before-commit': 'test/crash/backup.test.ts',
  'restore.after-commit': 'test/crash/backup.test.ts',
  'sink.before-insert': 'test/crash/clickhouse.test.ts',
  'sink.after-insert': 'test/crash/clickhouse.test.ts',
  'sink.after-advance': 'test/crash/clickhouse.test.ts',
  'job.before-end-commit': 'test/crash/jobs.test.ts',
  'job.after-end-commit': 'test/crash/jobs.test.ts',
  'batch.after-results': 'test/crash/batches.test.ts',
  'upload.after-answer': 'test/crash/uploads.test.ts',
  'rotate.before-commit': 'src/cli/secret/rotate.test.ts',
  'rotate.after-commit': 'src/cli/secret/rotate.test.ts',
};

/** What a scene can do besides killing the server. */
export type Extra = 'database' | 'both' | 'redis';

/** Processes that end by one death. */
export function killsOf({ kind }: Death): number {
  return kind === 'recovery' ? 3 : kind === 'server' || kind === 'point' ? 1 : 2;
}

export interface Wish {
  readonly kills: number;
  readonly extras: readonly Extra[];
  /** Of the points every second one, from this one on; a long run takes all of them. */
  readonly share: 0 | 1;
  readonly random: () => number;
}

const LONG = 50;
const AFTER_MS = { least: 20, most: 3_000 };

/** Every point of the share and every extra once, then at random until there are enough. */
export function drawDeaths({ kills, extras, share, random }: Wish): readonly Death[] {
  const points: Death[] = Object.entries(POINTS).map(([point, times]) => ({ kind: 'point', point, times }));
  const recoveries: Death[] = RECOVERY_POINTS.map((point) => ({ kind: 'recovery', point }));
  const named = [...points, ...recoveries].filter((_, index) => kills >= LONG || index % 2 === share);
  const all: Death[] = [...named, ...extras.map((kind) => ({ kind }))];
  const counted = (): number => all.reduce((sum, death) => sum + killsOf(death), 0);
  const kinds = [...all];
  while (counted() < kills || all.every(({ kind }) => kind !== 'server')) {
    const pick = kills >= LONG && random() < 0.4 ? kinds[Math.floor(random() * kinds.length)] : undefined;
    const afterMs = AFTER_MS.least + random() * (AFTER_MS.most - AFTER_MS.least);
    all.push(pick ?? { kind: 'server', afterMs });
  }
  return shuffled(all, random);
}

function shuffled(deaths: readonly Death[], random: () => number): readonly Death[] {
  return deaths
    .map((death) => ({ death, at: random() }))
    .toSorted((one, other) => one.at - other.at)
    .map(({ death }) => death);
}
