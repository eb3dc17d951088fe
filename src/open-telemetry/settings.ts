import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace';
import { TELEMETRY_QUEUE_MAX } from './bounds.ts';

/**
 * The standard variables that the packages do not read themselves. Addresses, headers, certificates,
 * compression and time-outs are read by the exporters, names and attributes of the service by the resource.
 * As OpenTelemetry demands, a wrong value is reported and its default is used.
 */
export interface OtelSettings {
  readonly isDisabled: boolean;
  readonly traces: boolean;
  readonly metrics: boolean;
  readonly logs: boolean;
  readonly sampler: Sampler;
  readonly spanQueue: Queue;
  readonly logQueue: Queue;
  readonly metricIntervalMs: number;
  readonly metricTimeoutMs: number;
  /** What is wrong, for the log. */
  readonly problems: readonly string[];
}

export interface Queue {
  readonly maxQueueSize: number;
  readonly maxExportBatchSize: number;
  readonly scheduledDelayMillis: number;
  readonly exportTimeoutMillis: number;
}

type Environment = Readonly<Record<string, string>>;

const TIME_MS_MAX = 3_600_000;
const PROTOCOL = 'http/protobuf';

export function readOtelSettings(environment: Environment): OtelSettings {
  const reader = new Reader(environment);
  const interval = reader.integer('OTEL_METRIC_EXPORT_INTERVAL', 60_000, TIME_MS_MAX);
  return {
    isDisabled: reader.text('OTEL_SDK_DISABLED').toLowerCase() === 'true',
    traces: reader.isExported('TRACES'),
    metrics: reader.isExported('METRICS'),
    logs: reader.isExported('LOGS'),
    sampler: reader.sampler(),
    spanQueue: reader.queue('OTEL_BSP', 5_000),
    logQueue: reader.queue('OTEL_BLRP', 1_000),
    metricIntervalMs: interval,
    metricTimeoutMs: Math.min(reader.integer('OTEL_METRIC_EXPORT_TIMEOUT', 30_000, TIME_MS_MAX), interval),
    problems: reader.problems,
  };
}

class Reader {
  readonly problems: string[] = [];
  readonly #environment: Environment;

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  text(name: string): string {
    return (this.#environment[name] ?? '').trim();
  }

  integer(name: string, standard: number, max: number): number {
    const text = this.text(name);
    if (text === '') return standard;
    const value = /^\d{1,10}$/.test(text) ? Number(text) : 0;
    if (value >= 1 && value <= max) return value;
    this.problems.push(`${name}: must be a whole number from 1 to ${max}; ${standard} is used`);
    return standard;
  }

  /** `otlp` by http/protobuf is the only exporter; `none` switches a signal off. */
  isExported(signal: 'TRACES' | 'METRICS' | 'LOGS'): boolean {
    const exporter = this.text(`OTEL_${signal}_EXPORTER`);
    if (exporter === 'none') return false;
    if (exporter !== '' && exporter !== 'otlp') {
      this.problems.push(`OTEL_${signal}_EXPORTER: must be otlp or none; nothing is exported`);
      return false;
    }
    const own = `OTEL_EXPORTER_OTLP_${signal}_PROTOCOL`;
    const name = this.text(own) === '' ? 'OTEL_EXPORTER_OTLP_PROTOCOL' : own;
    const protocol = this.text(name);
    if (protocol === '' || protocol === PROTOCOL) return true;
    this.problems.push(`${name}: must be ${PROTOCOL}; no ${signal.toLowerCase()} are exported`);
    return false;
  }

  queue(prefix: 'OTEL_BSP' | 'OTEL_BLRP', delayMs: number): Queue {
    const maxQueueSize = this.integer(`${prefix}_MAX_QUEUE_SIZE`, 2_048, TELEMETRY_QUEUE_MAX);
    const batch = this.integer(`${prefix}_MAX_EXPORT_BATCH_SIZE`, 512, TELEMETRY_QUEUE_MAX);
    return {
      maxQueueSize,
      maxExportBatchSize: Math.min(batch, maxQueueSize),
      scheduledDelayMillis: this.integer(`${prefix}_SCHEDULE_DELAY`, delayMs, TIME_MS_MAX),
      exportTimeoutMillis: this.integer(`${prefix}_EXPORT_TIMEOUT`, 30_000, TIME_MS_MAX),
    };
  }

  sampler(): Sampler {
    const name = this.text('OTEL_TRACES_SAMPLER');
    switch (name) {
      case 'always_on':
        return new AlwaysOnSampler();
      case 'always_off':
        return new AlwaysOffSampler();
      case 'traceidratio':
        return new TraceIdRatioBasedSampler(this.#ratio());
      case 'parentbased_always_off':
        return new ParentBasedSampler({ root: new AlwaysOffSampler() });
      case 'parentbased_traceidratio':
        return new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(this.#ratio()) });
      default:
        if (name !== '' && name !== 'parentbased_always_on') {
          this.problems.push('OTEL_TRACES_SAMPLER: not a sampler; parentbased_always_on is used');
        }
        return new ParentBasedSampler({ root: new AlwaysOnSampler() });
    }
  }

  #ratio(): number {
    const text = this.text('OTEL_TRACES_SAMPLER_ARG');
    if (text === '') return 1;
    const ratio = /^[01]?(?:\.\d{1,15})?$/.test(text) ? Number(text) : Number.NaN;
    if (ratio >= 0 && ratio <= 1) return ratio;
    this.problems.push('OTEL_TRACES_SAMPLER_ARG: must be a number from 0 to 1; 1 is used');
    return 1;
  }
}
