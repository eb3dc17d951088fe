import { assert } from '../kernel/assert.ts';
import { formatMicro } from '../kernel/money.ts';
import { type ExemplarCall, Exemplars } from './exemplars.ts';

/**
 * Counters, gauges and histograms in the text format of Prometheus, with exemplars as in OpenMetrics;
 * exposition.ts makes either of it. Own code because it is on the request path: counting is one Map look-up
 * by the finished label text, or none for who keeps the series.
 */
export interface Metric {
  readonly name: string;
  render(): string;
}

/**
 * `{status="200"}` from pairs. Values are internal or checked names; quotes and line ends are removed anyway.
 */
export function labelText(labels: Readonly<Record<string, string | number>>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeLabel(String(value))}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function escapeLabel(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', ' ').slice(0, 200);
}

/** Label sets of one metric. More are counted together under `overflow`, so that memory is bounded. */
export const LABEL_SETS_MAX = 2_000;
const OVERFLOW = '{overflow="true"}';

/** One series of a counter. Who counts often keeps it, and needs no look-up. */
export interface CountedSeries {
  value: number;
}

/** The series of one metric by their label texts, as many as are allowed. */
class SeriesTable<Series> {
  readonly #series = new Map<string, Series>();
  readonly #create: () => Series;

  constructor(create: () => Series) {
    this.#create = create;
  }

  get(labels: string): Series {
    const found = this.#series.get(labels);
    if (found !== undefined) return found;
    const key = this.#series.size >= LABEL_SETS_MAX ? OVERFLOW : labels;
    const series = this.#series.get(key) ?? this.#create();
    this.#series.set(key, series);
    return series;
  }

  entries(): Iterable<readonly [labels: string, series: Series]> {
    return this.#series;
  }
}

type MetricType = 'counter' | 'gauge' | 'histogram';

/** HELP and TYPE, then one line for each value. */
function renderFamily(
  { name, help, type }: { readonly name: string; readonly help: string; readonly type: MetricType },
  values: Iterable<readonly [labels: string, value: number | string]>,
): string {
  const lines = [...values].map(([labels, value]) => `${name}${labels} ${value}`);
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines].join('\n');
}

export class Counter implements Metric {
  readonly name: string;
  readonly #help: string;
  readonly #table = new SeriesTable<CountedSeries>(() => ({ value: 0 }));

  constructor(name: string, help: string) {
    this.name = name;
    this.#help = help;
  }

  /** `labels` is the finished text of `labelText`, or ''. */
  series(labels: string): CountedSeries {
    return this.#table.get(labels);
  }

  add(labels: string, amount = 1): void {
    this.#table.get(labels).value += amount;
  }

  render(): string {
    const values = [...this.#table.entries()].map(([labels, { value }]) => [labels, value] as const);
    return renderFamily({ name: this.name, help: this.#help, type: 'counter' }, values);
  }
}

/** One series of a counter of money. */
export interface MoneySeries {
  sumMicro: bigint;
}

/** Counts micro-units exactly and shows whole units: `12.5`. */
export class MoneyCounter implements Metric {
  readonly name: string;
  readonly #help: string;
  readonly #table = new SeriesTable<MoneySeries>(() => ({ sumMicro: 0n }));

  constructor(name: string, help: string) {
    this.name = name;
    this.#help = help;
  }

  series(labels: string): MoneySeries {
    return this.#table.get(labels);
  }

  render(): string {
    const values = [...this.#table.entries()].map(
      ([labels, { sumMicro }]) => [labels, formatMicro(sumMicro)] as const,
    );
    return renderFamily({ name: this.name, help: this.#help, type: 'counter' }, values);
  }
}

type ReadValues = () => Iterable<readonly [labels: string, value: number]>;

/** A value that is read when the metrics are rendered: `[labels, value]` pairs. */
export class Gauge implements Metric {
  readonly name: string;
  readonly #help: string;
  readonly #read: ReadValues;
  readonly #type: 'gauge' | 'counter';

  /** `counter` if the value that is read only grows. */
  constructor(name: string, help: string, read: ReadValues, type: 'gauge' | 'counter' = 'gauge') {
    this.name = name;
    this.#help = help;
    this.#read = read;
    this.#type = type;
  }

  render(): string {
    return renderFamily({ name: this.name, help: this.#help, type: this.#type }, this.#read());
  }
}

/** A gauge with one value, which is known already. */
export function gaugeOf(name: string, help: string, value: number, labels = ''): Gauge {
  return new Gauge(name, help, () => [[labels, value]]);
}

/** One series of a histogram. */
export class HistogramSeries {
  readonly counts: number[];
  sum = 0;
  count = 0;
  readonly #bounds: readonly number[];
  #exemplars: Exemplars | undefined;

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.counts = new Array(bounds.length + 1).fill(0);
  }

  /** With a call, it may become the exemplar of its bucket. */
  observe(value: number, call?: ExemplarCall): void {
    assert(Number.isFinite(value), 'an observed value is finite');
    let index = 0;
    while (index < this.#bounds.length && value > (this.#bounds[index] ?? 0)) index++;
    this.counts[index] = (this.counts[index] ?? 0) + 1;
    this.sum += value;
    this.count++;
    if (call === undefined) return;
    this.#exemplars ??= new Exemplars(this.counts.length);
    this.#exemplars.note(index, value, call);
  }

  exemplar(bucket: number): string {
    return this.#exemplars?.render(bucket) ?? '';
  }
}

export class Histogram implements Metric {
  readonly name: string;
  readonly #help: string;
  readonly #bounds: readonly number[];
  readonly #table: SeriesTable<HistogramSeries>;

  constructor(name: string, help: string, bounds: readonly number[]) {
    this.name = name;
    this.#help = help;
    this.#bounds = bounds;
    this.#table = new SeriesTable(() => new HistogramSeries(bounds));
  }

  series(labels: string): HistogramSeries {
    return this.#table.get(labels);
  }

  observe(labels: string, value: number): void {
    this.#table.get(labels).observe(value);
  }

  render(): string {
    const lines = [`# HELP ${this.name} ${this.#help}`, `# TYPE ${this.name} histogram`];
    for (const [labels, series] of this.#table.entries()) {
      const inner = labels === '' ? '' : `${labels.slice(1, -1)},`;
      let below = 0;
      for (const [index, bound] of [...this.#bounds, '+Inf'].entries()) {
        below += series.counts[index] ?? 0;
        lines.push(`${this.name}_bucket{${inner}le="${bound}"} ${below}${series.exemplar(index)}`);
      }
      lines.push(`${this.name}_sum${labels} ${series.sum}`, `${this.name}_count${labels} ${series.count}`);
    }
    return lines.join('\n');
  }
}

export function renderMetrics(metrics: readonly Metric[]): string {
  return `${metrics.map((metric) => metric.render()).join('\n')}\n`;
}
