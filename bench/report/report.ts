/** The results as tables for people. */
import { renderPairs } from '../convert/report.ts';
import { renderGrowth } from '../growth/report.ts';
import { bytesPerStream, renderGoals } from './goals.ts';
import { type Cell, failuresOf, type Line, linesOf, type Run } from './result.ts';
import { spreadOf } from './statistics.ts';
import { renderTable, spreadText } from './table.ts';

const MIB = 1024 * 1024;
/** Below this it is the runner itself and the kernel's own work. */
const DISTURBANCE_CORES = 0.25;

export function renderRun(run: Run): string {
  const lines = linesOf(cellsOfPart(run, 'traffic'));
  const machine = Object.values(run.machine).join(', ');
  return [
    `# Benchmark of ${run.startedAt}`,
    `Machine: ${machine}. ${run.durationS} s.`,
    renderDisturbance(lines),
    renderTargets(run),
    ...renderScenarios(lines),
    ...renderFurther(run),
    renderGoals(run),
    renderBooks(run.cells),
    renderFailures(run.cells),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

export function cellsOfPart(run: Run, part: Cell['part']): readonly Cell[] {
  return run.cells.filter((each) => each.part === part);
}

export function renderTargets(run: Run): string {
  const rows = Object.entries(run.versions)
    .map(([name, version]) => [name, version, run.targets.find((each) => each.name === name)?.has ?? ''])
    .filter(([, , has]) => has !== '');
  const leftOut = run.leftOut.map((each) => `Left out: **${each.target}**: ${each.reason}`);
  const table = rows.length === 0 ? [] : [renderTable(['target', 'version', 'what it has on'], rows)];
  return [...table, ...leftOut].join('\n\n');
}

export function renderScenarios(lines: readonly Line[]): readonly string[] {
  return [...new Set(lines.map((each) => each.scenario))].map((scenario) =>
    renderScenario(lines.filter((each) => each.scenario === scenario)),
  );
}

/** All that is not a kind of traffic. */
export function renderFurther(run: Run): readonly string[] {
  const pairs = cellsOfPart(run, 'convert');
  return [
    pairs.length === 0 ? '' : renderPairs(pairs),
    renderGrowth(cellsOfPart(run, 'growth')),
    renderMemory(run),
    renderLoops(run),
  ].filter((part) => part !== '');
}

function renderScenario(lines: readonly Line[]): string {
  const first = lines[0];
  if (first === undefined) return '';
  const head = first.streamed
    ? ['target', 'CPU-s per 100k events', '× bare', 'events/s', 'first byte p50 ms', 'p90', 'p99']
    : ['target', 'CPU-ms per call', '× bare', 'calls/s', 'p50 ms', 'p90', 'p99'];
  const rows = lines.map((line) => [
    line.label,
    spreadText(line.cost, 3),
    spreadText(line.costOfBare, 2),
    // The other shares of a target belong to the same calls.
    ...(line.label === line.target ? trafficOf(line) : Array<string>(6).fill('')),
  ]);
  const table = renderTable([...head, 'peak MiB', 'cores: target / upstream / load / others'], rows);
  return `## ${first.scenario}\n\n${table}${lateText(lines)}`;
}

function trafficOf(line: Line): readonly string[] {
  const { p50, p90, p99 } = line.times;
  const cores = [line.coresOfTarget, line.coresOfUpstream, line.coresOfLoad, line.coresOfOthers];
  return [
    (line.streamed ? line.eventsPerSecond : line.callsPerSecond).toFixed(0),
    ...[p50, p90, p99].map(timeText),
    (line.memoryPeakBytes / MIB).toFixed(0),
    cores.map((each) => each.toFixed(2)).join(' / '),
  ];
}

/** Zero: no call of the window began and had its first byte in it, so nothing was measured. */
function timeText(ms: number): string {
  return ms === 0 ? '–' : ms.toFixed(2);
}

/** Latencies hold how late the generator itself was, so it is said. */
function lateText(lines: readonly Line[]): string {
  const late = spreadOf(lines.flatMap(({ lateMs }) => (lateMs === undefined ? [] : [lateMs.p99])));
  if (late === undefined) return '';
  const range = `${late.min.toFixed(2)} to ${late.max.toFixed(2)} ms`;
  return `\n\nThe load generator sent 99 % of the calls at most ${range} after they were due; the times hold that.`;
}

/** Other work on the machine costs caches and makes reads arrive in lumps: do not quote such figures. */
function renderDisturbance(lines: readonly Line[]): string {
  const cores = Math.max(0, ...lines.map((line) => line.coresOfOthers));
  if (cores < DISTURBANCE_CORES) return '';
  return `**Disturbed:** others kept up to ${cores.toFixed(1)} cores busy; repeat it on a quiet machine.`;
}

function renderMemory(run: Run): string {
  const targets = [...new Set(run.memory.map((each) => each.target))];
  if (targets.length === 0) return '';
  const mib = (bytes: number | undefined): string => (bytes === undefined ? '' : (bytes / MIB).toFixed(0));
  const rows = targets.map((target) => {
    const own = run.memory.filter((each) => each.target === target);
    const streams = own.filter((each) => each.kind === 'streams');
    const perStream = bytesPerStream(run.memory, target);
    return [
      target,
      mib(own.find((each) => each.kind === 'after-load')?.gatewayBytes),
      mib(streams[0]?.gatewayBytes),
      streams
        .slice(1)
        .map((each) => `${each.streams.toLocaleString('en')}: ${mib(each.gatewayBytes)}`)
        .join(', '),
      perStream === undefined ? '' : (perStream / 1024).toFixed(1),
    ];
  });
  const head = [
    'target',
    'MiB after the load',
    'MiB before streams',
    'MiB with open streams',
    'KiB per stream',
  ];
  return `## Memory\n\n${renderTable(head, rows)}`;
}

function renderLoops(run: Run): string {
  if (run.loops.length === 0) return '';
  const rows = run.loops.map((each) => [
    each.target,
    String(each.ratePerSecond),
    String(each.bodies),
    each.cores.toFixed(2),
    each.p50Ms.toFixed(1),
    each.p99Ms.toFixed(1),
    each.maxMs.toFixed(1),
  ]);
  const head = ['target', 'calls/s', 'bodies of 20 MiB', 'cores', 'delay p50 ms', 'p99', 'longest'];
  return `## Event loop\n\n${renderTable(head, rows)}`;
}

/** A gateway that does not keep its books is fast for the wrong reason. */
export function renderBooks(cells: readonly Cell[]): string {
  const kept = cells.filter((each) => each.settledCalls !== undefined && each.part === 'traffic');
  if (kept.length === 0) return '';
  const groups = [...new Set(kept.map((each) => `${each.target}, ${each.scenario}`))];
  const rows = groups.map((name) => {
    const own = kept.filter((each) => `${each.target}, ${each.scenario}` === name);
    const calls = own.reduce((sum, each) => sum + each.callsTotal, 0);
    const settled = own.reduce((sum, each) => sum + (each.settledCalls ?? 0), 0);
    const after = spreadOf(own.flatMap(({ settledAfterMs }) => settledAfterMs ?? []));
    const share = settled === calls ? 'all' : `${((100 * settled) / calls).toFixed(1)} %, differs`;
    return [name, String(calls), String(settled), share, spreadText(after, 0) || 'never'];
  });
  const head = ['window', 'calls answered', 'calls recorded', '', 'complete after ms'];
  return `## Books\n\n${renderTable(head, rows)}`;
}

export function renderFailures(cells: readonly Cell[]): string {
  const names = [...new Set(cells.map((each) => `${each.target}, ${each.scenario}`))];
  const rows = names.flatMap((name) =>
    Object.entries(failuresOf(cells.filter((each) => `${each.target}, ${each.scenario}` === name))).map(
      ([reason, count]) => [name, String(count), reason.replaceAll('|', '/').replaceAll('\n', ' ')],
    ),
  );
  return rows.length === 0 ? '' : `## Failed calls\n\n${renderTable(['target', 'calls', 'reason'], rows)}`;
}
