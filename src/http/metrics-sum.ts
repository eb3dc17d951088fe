import { splitExemplar } from './exemplars.ts';

/** Gauges of which the worst value counts, not the sum. */
const WORST: Readonly<Record<string, (values: readonly number[]) => number>> = {
  // The youngest process: a worker that was replaced is seen.
  process_start_time_seconds: (values) => Math.max(...values),
  tollgate_build_info: (values) => Math.max(...values),
  tollgate_ready: (values) => Math.min(...values),
  tollgate_database_up: (values) => Math.min(...values),
  tollgate_journal_writable: (values) => Math.min(...values),
  nodejs_eventloop_delay_p99_seconds: (values) => Math.max(...values),
  tollgate_breaker_state: (values) => Math.max(...values),
  tollgate_credentials_unhealthy: (values) => Math.max(...values),
  tollgate_redis_up: (values) => Math.min(...values),
  // Every process reads the same figures from the store; the worst is what any of them saw last.
  tollgate_active_jobs: (values) => Math.max(...values),
  tollgate_clickhouse_up: (values) => Math.min(...values),
  tollgate_clickhouse_lag_calls: (values) => Math.max(...values),
  tollgate_clickhouse_lag_seconds: (values) => Math.max(...values),
};

interface Family {
  readonly head: string[];
  readonly series: Map<string, Series>;
}

interface Series {
  readonly values: number[];
  /** The newest one of all processes. */
  exemplar: string;
  exemplarAtSeconds: number;
}

/**
 * Adds up the metrics of several processes, series by series. The texts must come from `renderMetrics`.
 */
export function sumMetrics(texts: readonly string[]): string {
  const families = new Map<string, Family>();
  for (const text of texts) addText(text, families);
  const lines = [...families].flatMap(([name, { head, series }]) => [
    ...head,
    ...[...series].map(([key, { values, exemplar }]) => `${key} ${together(name, values)}${exemplar}`),
  ]);
  return `${lines.join('\n')}\n`;
}

/** The counters only, so that those of a dead process are kept. */
export function readCounters(text: string): string {
  const blocks = text.split(/^(?=# HELP )/m);
  return blocks.filter((block) => /^# TYPE \S+ (?:counter|histogram)$/m.test(block)).join('');
}

function addText(text: string, families: Map<string, Family>): void {
  let family: Family = { head: [], series: new Map() };
  for (const line of text.split('\n')) {
    const named = /^# HELP (\S+) /.exec(line)?.[1];
    if (named !== undefined) {
      family = families.get(named) ?? { head: [], series: new Map() };
      families.set(named, family);
    }
    if (line.startsWith('#')) {
      if (!family.head.includes(line)) family.head.push(line);
    } else if (line !== '') addSeries(line, family);
  }
}

function addSeries(line: string, { series }: Family): void {
  const { sample, exemplar, exemplarAtSeconds } = splitExemplar(line);
  const space = sample.lastIndexOf(' ');
  const key = sample.slice(0, space);
  const value = Number(sample.slice(space + 1));
  const known = series.get(key);
  if (known === undefined) {
    series.set(key, { values: [value], exemplar, exemplarAtSeconds });
    return;
  }
  known.values.push(value);
  if (exemplarAtSeconds <= known.exemplarAtSeconds) return;
  known.exemplar = exemplar;
  known.exemplarAtSeconds = exemplarAtSeconds;
}

function together(name: string, values: readonly number[]): number {
  const worst = WORST[name];
  return worst === undefined ? values.reduce((sum, value) => sum + value, 0) : worst(values);
}
