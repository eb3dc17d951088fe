/** The plots of docs/performance.md, each from the figures of a run. */
import { growthLines } from '../growth/report.ts';
import { cellsOfPart } from './report.ts';
import { type Cell, costsOf, type Run, timesOf } from './result.ts';
import { spreadOf } from './statistics.ts';
import { barChart, type Curve, curveChart } from './svg.ts';

export interface Plot {
  readonly file: string;
  readonly alt: string;
  readonly svg: string;
}

const MIB = 1024 * 1024;

/** A plot without figures is left out. */
export function plotsOf(run: Run): readonly Plot[] {
  return [
    costPlot(run, {
      scenario: 'json-small',
      file: 'cpu-per-call.svg',
      title: 'CPU per call of small JSON, all in',
    }),
    costPlot(run, {
      scenario: 'stream-fast',
      file: 'cpu-per-chunk.svg',
      title: 'CPU per chunk of a stream, all in',
    }),
    ...loadPlots(run),
    memoryPlot(run),
    accountsPlot(run),
  ].filter((plot) => plot !== undefined);
}

interface CostPlot {
  readonly scenario: string;
  readonly file: string;
  readonly title: string;
}

function costPlot(run: Run, { scenario, file, title }: CostPlot): Plot | undefined {
  const cells = cellsOfPart(run, 'traffic').filter((each) => each.scenario === scenario);
  const bars = [...new Set(cells.map((each) => each.target))].flatMap((label) => {
    const own = cells.filter((each) => each.target === label);
    const cost = spreadOf([...costsOf(own, 'all-in').values()])?.median;
    if (cost === undefined) return [];
    // Seconds per 100k events are tens of microseconds per event.
    const text = own[0]?.streamed ? `${(cost * 10).toFixed(1)} µs` : `${cost.toFixed(3)} ms`;
    return [{ label, value: cost, text, isOurs: label.startsWith('tollgate') }];
  });
  if (bars.length === 0) return undefined;
  bars.sort((left, right) => left.value - right.value);
  return { file, alt: title, svg: barChart(title, bars) };
}

/** Calls at fixed times, at each rate that the target can take. */
function loadPlots(run: Run): readonly Plot[] {
  const cells = cellsOfPart(run, 'traffic').filter(
    (each) => each.ratePerSecond !== undefined && !each.streamed,
  );
  return (['p50', 'p99'] as const).flatMap((at) => {
    const curves = curvesOf(cells, (each) => [each.ratePerSecond ?? 0, timesOf(each)[at]]);
    // One rate is a row of a table, not a curve.
    if (curves.every(({ points }) => points.length < 2)) return [];
    const title = `Latency over load, ${at}: small JSON at fixed times`;
    const axes = { title, x: 'calls per second', y: 'ms' };
    return [{ file: `latency-${at}.svg`, alt: title, svg: curveChart(axes, curves) }];
  });
}

/** Medians of all repeats at each place. */
function curvesOf(
  cells: readonly Cell[],
  place: (cell: Cell) => readonly [number, number],
): readonly Curve[] {
  return [...new Set(cells.map((each) => each.target))].map((label) => {
    const values = new Map<number, number[]>();
    for (const [x, y] of cells.filter((each) => each.target === label).map(place)) {
      values.set(x, [...(values.get(x) ?? []), y]);
    }
    const points = [...values].map(([x, ys]) => [x, spreadOf(ys)?.median ?? 0] as const);
    return { label, points: points.sort(([left], [right]) => left - right) };
  });
}

function memoryPlot(run: Run): Plot | undefined {
  const points = run.memory.filter((each) => each.kind === 'streams');
  const curves = [...new Set(points.map((each) => each.target))].map((label) => ({
    label,
    points: points
      .filter((each) => each.target === label)
      .map((each) => [each.streams, each.gatewayBytes / MIB] as const),
  }));
  if (curves.length === 0) return undefined;
  const title = 'Resident memory over open streams';
  const svg = curveChart({ title, x: 'streams open at once', y: 'MiB' }, curves);
  return { file: 'memory-over-streams.svg', alt: title, svg };
}

function accountsPlot(run: Run): Plot | undefined {
  const lines = growthLines(cellsOfPart(run, 'growth')).filter(({ quantity }) => quantity === 'accounts');
  const curves = [...new Set(lines.map(({ target }) => target))].flatMap((target) => {
    const own = lines.filter((line) => line.target === target);
    return [
      { label: target, points: own.map(({ size, cost }) => [size, cost.median] as const) },
      {
        label: `${target}, all in`,
        points: own.map(({ size, allIn }) => [size, allIn?.median ?? 0] as const),
      },
    ];
  });
  if (curves.length === 0) return undefined;
  const title = 'CPU per call over accounts that call in turn';
  const svg = curveChart({ title, x: 'accounts', y: 'CPU-ms per call', isLogarithmic: true }, curves);
  return { file: 'cost-over-accounts.svg', alt: title, svg };
}
