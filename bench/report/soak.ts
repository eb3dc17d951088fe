/** The result of `npm run soak`, and how it is shown in docs/performance.md. */
import type { Plot } from './plots.ts';
import { spreadOf } from './statistics.ts';
import { curveChart } from './svg.ts';
import { renderTable } from './table.ts';

/** What a node showed at a moment. A node that is away shows nothing. */
export interface SoakSample {
  readonly atS: number;
  readonly node: string;
  readonly pid: number;
  readonly residentBytes: number;
  /** Open files and sockets, from /proc. */
  readonly handles: number;
  readonly sockets: number;
  /** Ended calls that are not settled. */
  readonly lagCalls: number;
}

export interface SoakEvent {
  readonly atS: number;
  readonly what: string;
  /** From its beginning until both nodes served again. */
  readonly tookS: number;
}

/** When nothing runs: in the middle, and at the end. */
export interface SoakQuiet {
  readonly node: string;
  readonly pid: number;
  readonly handles: number;
  readonly sockets: number;
  /** Objects and buffers that are left after a collection. Absent in older results. */
  readonly liveBytes?: number | undefined;
}

export interface SoakResult {
  readonly startedAt: string;
  readonly minutes: number;
  readonly machine: string;
  /** Cores that were busy with what has no part in the run, in the mean. */
  readonly othersCores: number;
  /** When the second half began: no process is ended after it. */
  readonly halfS: number;
  /** The commit that the nodes began with. Absent if they had this version from the start. */
  readonly versionBefore?: string | undefined;
  readonly samples: readonly SoakSample[];
  readonly events: readonly SoakEvent[];
  readonly quiet: { readonly half: readonly SoakQuiet[]; readonly end: readonly SoakQuiet[] };
  readonly books: {
    readonly calls: number;
    readonly finished: number;
    readonly cut: number;
    readonly refused: number;
    readonly lost: number;
    readonly doubled: number;
    readonly shortfallMicro: string;
    readonly problems: readonly string[];
  };
  readonly slowestLagCalls: number;
}

export interface SoakFigure {
  readonly name: string;
  readonly goal: string;
  readonly value: string;
  readonly isMet: boolean;
}

const MIB = 1024 * 1024;
const SLOPE_MAX = 1;
/** Memory falls and grows by some 60 MiB every two or three minutes. */
const MINUTES_MIN = 30;
/** Above this the run does not count: others had the machine. */
const OTHERS_CORES_MAX = 0.2;

/** MiB in a minute, by least squares over the second half; the worse of the nodes. */
export function memorySlope({ samples, halfS }: Pick<SoakResult, 'samples' | 'halfS'>): number {
  const late = samples.filter(({ atS }) => atS >= halfS);
  const pids = new Set(late.map(({ pid }) => pid));
  return Math.max(...[...pids].map((pid) => slopeOf(late.filter((each) => each.pid === pid))));
}

function slopeOf(samples: readonly SoakSample[]): number {
  const mean = (value: (sample: SoakSample) => number): number =>
    samples.reduce((sum, each) => sum + value(each), 0) / samples.length;
  const minutes = ({ atS }: SoakSample): number => atS / 60;
  const mib = ({ residentBytes }: SoakSample): number => residentBytes / MIB;
  const [x, y] = [mean(minutes), mean(mib)];
  const spread = mean((each) => (minutes(each) - x) ** 2);
  return spread === 0 ? 0 : mean((each) => (minutes(each) - x) * (mib(each) - y)) / spread;
}

/** The most that a process gained between the two times at which nothing ran. */
export function handleGrowth({ quiet }: Pick<SoakResult, 'quiet'>): number {
  const gained = quiet.end.map(({ pid, handles }) => {
    const before = quiet.half.find((each) => each.pid === pid);
    return before === undefined ? 0 : handles - before.handles;
  });
  return Math.max(0, ...gained);
}

/** MiB a minute that are alive at the second rest and were not at the first; the worse of the nodes. */
export function liveGrowth({ quiet, minutes, halfS }: SoakResult): number | undefined {
  const gained = quiet.end.flatMap(({ pid, liveBytes }) => {
    const before = quiet.half.find((each) => each.pid === pid)?.liveBytes;
    return before === undefined || liveBytes === undefined ? [] : [(liveBytes - before) / MIB];
  });
  const between = minutes - halfS / 60;
  return gained.length === 0 || between <= 0 ? undefined : Math.max(...gained) / between;
}

export function figuresOf(result: SoakResult): readonly SoakFigure[] {
  const { books } = result;
  const slope = memorySlope(result);
  const growth = handleGrowth(result);
  const live = liveGrowth(result);
  const none = (name: string, value: number): SoakFigure => ({
    name,
    goal: '0',
    value: String(value),
    isMet: value === 0,
  });
  return [
    none('calls lost', books.lost),
    none('calls charged twice', books.doubled),
    none('shortfall, micro-Credits', Number(books.shortfallMicro)),
    none('findings of the audit and the doctor', books.problems.length),
    {
      name: 'memory over the second half, MiB a minute',
      goal: `< ${SLOPE_MAX}`,
      value: slope.toFixed(2),
      isMet: slope < SLOPE_MAX,
    },
    none('open handles gained between two rests', growth),
    ...(live === undefined
      ? []
      : [
          {
            name: 'memory alive after a collection, between two rests, MiB a minute',
            goal: `< ${SLOPE_MAX}`,
            value: live.toFixed(2),
            isMet: live < SLOPE_MAX,
          },
        ]),
  ];
}

export function renderSoak(result: SoakResult): string {
  const { minutes, books, events, othersCores, versionBefore } = result;
  const rows = figuresOf(result).map(({ name, goal, value, isMet }) => [
    name,
    goal,
    value,
    isMet ? 'met' : 'missed',
  ]);
  const happened = events.map(({ atS, what, tookS }) => [
    `${(atS / 60).toFixed(1)}`,
    what,
    `${tookS.toFixed(1)}`,
  ]);
  const others =
    othersCores > OTHERS_CORES_MAX ? ` Other work took ${othersCores.toFixed(1)} cores meanwhile.` : '';
  const shortness =
    minutes < MINUTES_MIN
      ? ' Collections move memory up and down: of so short a run its slope says little.'
      : '';
  return [
    `${result.startedAt.slice(0, 10)}, ${minutes} minutes, ${result.machine}.${others} ` +
      `${books.calls} calls: ` +
      `${books.finished} finished, ${books.cut} cut by their client, their vendor or a kill, ` +
      `${books.refused} refused or turned away. ` +
      `At most ${result.slowestLagCalls} ended calls waited for their settlement.${shortness}` +
      (versionBefore === undefined
        ? ''
        : ` The nodes began with ${versionBefore} and were upgraded to this version.`),
    renderTable(['figure', 'goal', 'result', ''], rows),
    renderTable(['minute', 'what was done', 'until both nodes served again, s'], happened),
  ].join('\n\n');
}

const BUCKETS = 12;

/** Medians of a dozen equal times: a curve of memory for each node. */
export function soakPlot(result: SoakResult): Plot {
  const title = 'Resident memory over the soak';
  const bucketS = Math.max(1, (result.minutes * 60) / BUCKETS);
  const nodes = [...new Set(result.samples.map(({ node }) => node))];
  const curves = nodes.map((label) => {
    const own = Map.groupBy(
      result.samples.filter(({ node }) => node === label),
      ({ atS }) => Math.floor(atS / bucketS),
    );
    const points = [...own].map(([bucket, samples]) => {
      const middle = ((bucket + 0.5) * bucketS) / 60;
      const median = spreadOf(samples.map(({ residentBytes }) => residentBytes / MIB))?.median ?? 0;
      return [Number(middle.toFixed(1)), median] as const;
    });
    return { label, points: points.sort(([left], [right]) => left - right) };
  });
  return { file: 'soak-memory.svg', alt: title, svg: curveChart({ title, x: 'minutes', y: 'MiB' }, curves) };
}
