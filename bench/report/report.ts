/** The results as tables for people. */
import { renderPairs } from '../convert/report.ts';
import { type Cell, type Line, linesOf, type Run } from './result.ts';
import type { Spread } from './statistics.ts';
import { renderTable, spreadText } from './table.ts';

const MIB = 1024 * 1024;
/** Below this it is the runner itself and the kernel's own work. */
const DISTURBANCE_CORES = 0.25;

/** What was agreed for Tollgate; a goal is judged by the median of the ratios. */
interface Goal {
  readonly scenario: string;
  readonly against: 'bare' | 'portkey';
  /** Tollgate's cost may be at most this many times the other's. */
  readonly ratioMax: number;
}

export const GOALS: readonly Goal[] = [
  { scenario: 'json-small', against: 'bare', ratioMax: 2.5 },
  { scenario: 'stream-fast', against: 'bare', ratioMax: 1.5 },
  { scenario: 'stream-short', against: 'bare', ratioMax: 1.5 },
  { scenario: 'stream-paced', against: 'bare', ratioMax: 1.5 },
  { scenario: 'json-small', against: 'portkey', ratioMax: 1 / 5 },
  { scenario: 'stream-fast', against: 'portkey', ratioMax: 1 / 3 },
  { scenario: 'stream-short', against: 'portkey', ratioMax: 1 / 3 },
  { scenario: 'stream-paced', against: 'portkey', ratioMax: 1 / 3 },
];

export function renderRun(run: Run): string {
  const lines = linesOf(run.cells);
  const scenarios = [...new Set(lines.map((each) => each.scenario))];
  const machine = Object.values(run.machine).join(', ');
  const versions = Object.entries(run.versions).map(([name, version]) => `${name} (${version})`);
  return [
    `# Benchmark of ${run.startedAt}`,
    `Machine: ${machine}. ${run.durationS} s. Targets: ${versions.join(', ')}.`,
    renderDisturbance(lines),
    ...run.leftOut.map((each) => `Left out: **${each.target}**: ${each.reason}`),
    run.cells.some((each) => each.pair !== undefined)
      ? renderPairs(run.cells)
      : scenarios
          .map((scenario) => renderScenario(lines.filter((each) => each.scenario === scenario)))
          .join('\n\n'),
    renderGoals(lines),
    renderBooks(run.cells),
    renderFailures(lines),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

function renderScenario(lines: readonly Line[]): string {
  const first = lines[0];
  if (first === undefined) return '';
  const head = first.streamed
    ? ['target', 'CPU-s per 100k events', '× bare', 'events/s', 'first byte p50 ms', 'p99 ms']
    : ['target', 'CPU-ms per call', '× bare', 'calls/s', 'p50 ms', 'p99 ms'];
  const rows = lines.map((line) => [
    line.label,
    spreadText(line.cost, 3),
    spreadText(line.costOfBare, 2),
    (line.streamed ? line.eventsPerSecond : line.callsPerSecond).toFixed(0),
    line.p50Ms.toFixed(1),
    line.p99Ms.toFixed(1),
    (line.memoryPeakBytes / MIB).toFixed(0),
    coresText(line),
  ]);
  const table = renderTable([...head, 'peak MB', 'cores: target / upstream / load / others'], rows);
  return `## ${first.scenario}\n\n${table}`;
}

function coresText(line: Line): string {
  const cores = [line.coresOfTarget, line.coresOfUpstream, line.coresOfLoad, line.coresOfOthers];
  return cores.map((each) => each.toFixed(2)).join(' / ');
}

/** Other work on the machine costs caches and makes reads arrive in lumps: do not quote such figures. */
function renderDisturbance(lines: readonly Line[]): string {
  const cores = Math.max(0, ...lines.map((line) => line.coresOfOthers));
  if (cores < DISTURBANCE_CORES) return '';
  return `**Disturbed:** others kept up to ${cores.toFixed(1)} cores busy; repeat it on a quiet machine.`;
}

function renderGoals(lines: readonly Line[]): string {
  const rows = GOALS.flatMap((goal) => {
    const own = lines.filter((line) => line.scenario === goal.scenario && line.label.startsWith('tollgate'));
    return own.flatMap((line) => {
      const ratio = goal.against === 'bare' ? line.costOfBare : line.costOfPortkey;
      if (ratio === undefined) return [];
      const floor = lines.find((each) => each.scenario === goal.scenario && each.label === 'bare');
      const ofFloor = goal.against === 'bare' ? floor?.costOfBare : floor?.costOfPortkey;
      return [
        [
          `${line.label}, ${goal.scenario}`,
          goal.against,
          limitText(goal),
          spreadText(ratio, 2),
          spreadText(ofFloor, 2),
          verdictOf(goal, ratio, ofFloor),
        ],
      ];
    });
  });
  if (rows.length === 0) return '';
  const head = ['Tollgate', 'against', 'cost at most', 'measured', 'bare proxy', ''];
  return `## Goals\n\n${renderTable(head, rows)}`;
}

/** No gateway in Node can cost less than the bare proxy: where it misses a goal, nobody meets it. */
function verdictOf(goal: Goal, ratio: Spread, ofBare: Spread | undefined): string {
  if (ratio.median <= goal.ratioMax) return 'met';
  return ofBare !== undefined && ofBare.median > goal.ratioMax ? 'missed, by bare too' : 'missed';
}

function limitText(goal: Goal): string {
  return goal.ratioMax < 1 ? `1/${Math.round(1 / goal.ratioMax)}` : `${goal.ratioMax} ×`;
}

/** A gateway that does not keep its books is fast for the wrong reason. */
function renderBooks(cells: readonly Cell[]): string {
  const kept = cells.filter((each) => each.settledCalls !== undefined);
  if (kept.length === 0) return '';
  const rows = kept.map((each) => [
    `${each.target}, ${each.scenario}, repeat ${each.repeat + 1}`,
    String(each.callsTotal),
    String(each.settledCalls),
    each.settledAfterMs === undefined ? 'never' : each.settledAfterMs.toFixed(0),
    each.settledCalls === each.callsTotal ? '' : 'differs',
  ]);
  const head = ['window', 'calls sent', 'calls settled', 'complete after ms', ''];
  return `## Books\n\n${renderTable(head, rows)}`;
}

function renderFailures(lines: readonly Line[]): string {
  const rows = lines.flatMap((line) =>
    Object.entries(line.failures).map(([reason, count]) => [
      `${line.label}, ${line.scenario}`,
      String(count),
      reason.replaceAll('|', '/').replaceAll('\n', ' '),
    ]),
  );
  return rows.length === 0 ? '' : `## Failed calls\n\n${renderTable(['target', 'calls', 'reason'], rows)}`;
}
