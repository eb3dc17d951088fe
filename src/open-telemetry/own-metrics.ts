import { type Attributes, type HrTime, ValueType } from '@opentelemetry/api';
import { millisToHrTime } from '@opentelemetry/core';
import { emptyResource } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  type CollectionResult,
  type DataPoint,
  DataPointType,
  type MetricData,
  type MetricProducer,
} from '@opentelemetry/sdk-metrics';
import type { Clock } from '../kernel/time/clock.ts';
import { VERSION } from '../kernel/version.ts';

/**
 * The counters and gauges of `/metrics`, read from there whenever metrics are exported. Histograms have their
 * own instruments, and figures of the process are known by other names.
 */
export class OwnMetrics implements MetricProducer {
  /** What `/metrics` shows of this process. */
  read: () => string = () => '';
  readonly #clock: Clock;
  readonly #startTime: HrTime;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#startTime = millisToHrTime(clock.now());
  }

  collect(): Promise<CollectionResult> {
    const times = { startTime: this.#startTime, endTime: millisToHrTime(this.#clock.now()) };
    const metrics = toMetrics(this.read(), times);
    const scopeMetrics = [{ scope: { name: 'tollgate', version: VERSION }, metrics }];
    return Promise.resolve({ resourceMetrics: { resource: emptyResource(), scopeMetrics }, errors: [] });
  }
}

type Times = Pick<DataPoint<number>, 'startTime' | 'endTime'>;

const FAMILY = /^# HELP tollgate_(\w+) (.*)\n# TYPE \S+ (counter|gauge)\n((?:[^#\n].*\n)*)/gm;
const SAMPLE = /^\w+(?:\{(.*)\})? (\S+)$/gm;

function toMetrics(figures: string, times: Times): MetricData[] {
  const families = [...figures.matchAll(FAMILY)].map(
    ([, name = '', description = '', type, samples = '']): MetricData => {
      const dataPoints = [...samples.matchAll(SAMPLE)].map(([, labels = '', value]) => ({
        ...times,
        attributes: toAttributes(labels),
        value: Number(value),
      }));
      const data = {
        descriptor: { name: toName(name), description, unit: '', valueType: ValueType.DOUBLE },
        aggregationTemporality: AggregationTemporality.CUMULATIVE,
        dataPoints,
      };
      return type === 'counter'
        ? { ...data, dataPointType: DataPointType.SUM, isMonotonic: true }
        : { ...data, dataPointType: DataPointType.GAUGE };
    },
  );
  return families.filter(({ dataPoints }) => dataPoints.length > 0);
}

/** Those who write it for Prometheus again add `_total` to counters, and make the old name of it. */
function toName(name: string): string {
  return `tollgate.${name.replace(/_total$/, '')}`;
}

function toAttributes(labels: string): Attributes {
  const pairs = labels.matchAll(/([a-z_]{1,40})="((?:[^"\\]|\\.){0,200})"/g);
  return Object.fromEntries(
    [...pairs].map(([, name = '', value = '']) => [name, value.replaceAll(/\\(.)/g, '$1')]),
  );
}
