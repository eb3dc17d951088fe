import { assert } from '../kernel/assert.ts';

/**
 * Counters, gauges and histograms in the text format of Prometheus. Own code because it is on the request
 * path: counting is one Map look-up by the finished label text.
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

/** Label sets of one metric. More are counted together under `other`, so that memory is bounded. */
const LABEL_SETS_MAX = 2_000;
const OVERFLOW = '{overflow="true"}';

export class Counter implements Metric {
  readonly name: string;
  readonly #help: string;
  readonly #values = new Map<string, number>();

  constructor(name: string, help: string) {
    this.name = name;
    this.#help = help;
  }

  /** `labels` is the finished text of `labelText`, or ''. */
  add(labels: string, amount = 1): void {
    const before = this.#values.get(labels);
    const key = before === undefined && this.#values.size >= LABEL_SETS_MAX ? OVERFLOW : labels;
    this.#values.set(key, (before ?? this.#values.get(key) ?? 0) + amount);
  }

  value(labels: string): number {
    return this.#values.get(labels) ?? 0;
  }

  render(): string {
    const lines = [...this.#values].map(([labels, value]) => `${this.name}${labels} ${value}`);
    return [`# HELP ${this.name} ${this.#help}`, `# TYPE ${this.name} counter`, ...lines].join('\n');
  }
}

/** A value that is read when the metrics are rendered: `[labels, value]` pairs. */
export class Gauge implements Metric {
  readonly name: string;
  readonly #help: string;
  readonly #read: () => Iterable<readonly [labels: string, value: number]>;

  constructor(name: string, help: string, read: () => Iterable<readonly [labels: string, value: number]>) {
    this.name = name;
    this.#help = help;
    this.#read = read;
  }

  render(): string {
    const lines = [...this.#read()].map(([labels, value]) => `${this.name}${labels} ${value}`);
    return [`# HELP ${this.name} ${this.#help}`, `# TYPE ${this.name} gauge`, ...lines].join('\n');
  }
}

interface Buckets {
  readonly counts: number[];
  sum: number;
  count: number;
}

export class Histogram implements Metric {
  readonly name: string;
  readonly #help: string;
  readonly #bounds: readonly number[];
  readonly #series = new Map<string, Buckets>();

  constructor(name: string, help: string, bounds: readonly number[]) {
    this.name = name;
    this.#help = help;
    this.#bounds = bounds;
  }

  observe(labels: string, value: number): void {
    assert(Number.isFinite(value), 'an observed value is finite');
    const series = this.#find(labels);
    let index = 0;
    while (index < this.#bounds.length && value > (this.#bounds[index] ?? 0)) index++;
    series.counts[index] = (series.counts[index] ?? 0) + 1;
    series.sum += value;
    series.count++;
  }

  #find(labels: string): Buckets {
    let series = this.#series.get(labels);
    if (series !== undefined) return series;
    const key = this.#series.size >= LABEL_SETS_MAX ? OVERFLOW : labels;
    series = this.#series.get(key) ?? {
      counts: new Array(this.#bounds.length + 1).fill(0),
      sum: 0,
      count: 0,
    };
    this.#series.set(key, series);
    return series;
  }

  render(): string {
    const lines = [`# HELP ${this.name} ${this.#help}`, `# TYPE ${this.name} histogram`];
    for (const [labels, series] of this.#series) {
      const inner = labels === '' ? '' : `${labels.slice(1, -1)},`;
      let below = 0;
      for (const [index, bound] of [...this.#bounds, '+Inf'].entries()) {
        below += series.counts[index] ?? 0;
        lines.push(`${this.name}_bucket{${inner}le="${bound}"} ${below}`);
      }
      lines.push(`${this.name}_sum${labels} ${series.sum}`, `${this.name}_count${labels} ${series.count}`);
    }
    return lines.join('\n');
  }
}

export function renderMetrics(metrics: readonly Metric[]): string {
  return `${metrics.map((metric) => metric.render()).join('\n')}\n`;
}
