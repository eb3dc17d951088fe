import {
  detectResources,
  envDetector,
  type Resource,
  resourceFromAttributes,
  serviceInstanceIdDetector,
} from '@opentelemetry/resources';
import { BatchLogRecordProcessor, LoggerProvider } from '@opentelemetry/sdk-logs';
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import type { Logger } from '../kernel/log.ts';
import type { Clock } from '../kernel/time/clock.ts';
import { VERSION } from '../kernel/version.ts';
import { TELEMETRY_DRAIN_MS, TELEMETRY_VALUE_CHARS_MAX } from './bounds.ts';
import { CallInstruments } from './call-instruments.ts';
import { createCallTracer } from './call-tracer.ts';
import type { CallTracer } from './contract.ts';
import { Exporters } from './exporters.ts';
import { exportLog } from './log-records.ts';
import { OwnMetrics } from './own-metrics.ts';
import { type OtelSettings, readOtelSettings } from './settings.ts';
import { Trouble } from './trouble.ts';

export interface OpenTelemetryParts {
  readonly environment: Readonly<Record<string, string>>;
  readonly nodeName: string;
  readonly logLevel: string;
  /** Whether vendors get the trace context. */
  readonly passOn: boolean;
  readonly log: Logger;
  readonly clock: Clock;
}

export interface OpenTelemetry {
  readonly tracer: CallTracer;
  /** Writes to the log of the process, and exports what it writes. */
  readonly log: Logger;
  /** Says where the counters and gauges of `/metrics` are read. */
  observe(figures: () => string): void;
  /** Exports what is queued, within a bounded time. */
  close(): Promise<void>;
}

const SCOPE = 'tollgate';

/** Undefined if the standard variables switch it off. The environment of the process has them already. */
export function startOpenTelemetry(parts: OpenTelemetryParts): OpenTelemetry | undefined {
  const { log, clock } = parts;
  const settings = readOtelSettings(parts.environment);
  for (const problem of settings.problems) log.warn({ problem }, 'a setting of OpenTelemetry is wrong');
  if (settings.isDisabled) return undefined;
  const trouble = new Trouble(log, clock);
  trouble.listen();
  const exporters = new Exporters();
  const own = new OwnMetrics(clock);
  const providers = openProviders({ settings, exporters, own, resource: describeService(parts.nodeName) });
  const failed = (error: unknown): void => trouble.note(error);
  const instruments = new CallInstruments(providers.meters.getMeter(SCOPE, VERSION));
  const tracer = providers.tracers.getTracer(SCOPE, VERSION);
  const logger = providers.loggers.getLogger(SCOPE, VERSION);
  return {
    tracer: createCallTracer({ tracer, instruments, clock, passOn: parts.passOn, failed }),
    log: settings.logs ? exportLog(log, parts.logLevel, logger, clock) : log,
    observe: (figures) => {
      own.read = figures;
    },
    close: async () => {
      const { tracers, meters, loggers } = providers;
      const ends = [tracers, meters, loggers].map((one) => one.shutdown());
      await within(TELEMETRY_DRAIN_MS, Promise.allSettled(ends));
      exporters.close();
    },
  };
}

interface Providers {
  readonly tracers: TracerProvider;
  readonly meters: MeterProvider;
  readonly loggers: LoggerProvider;
}

function openProviders(parts: {
  readonly settings: OtelSettings;
  readonly exporters: Exporters;
  readonly own: OwnMetrics;
  readonly resource: Resource;
}): Providers {
  const { settings, exporters, own, resource } = parts;
  const limits = { attributeValueLengthLimit: TELEMETRY_VALUE_CHARS_MAX };
  return {
    tracers: new TracerProvider({
      resource,
      sampler: settings.sampler,
      spanLimits: limits,
      spanProcessors: settings.traces
        ? [new BatchSpanProcessor({ exporter: exporters.traces(), ...settings.spanQueue })]
        : [],
    }),
    meters: new MeterProvider({
      resource,
      readers: settings.metrics
        ? [
            new PeriodicExportingMetricReader({
              exporter: exporters.metrics(),
              exportIntervalMillis: settings.metricIntervalMs,
              exportTimeoutMillis: settings.metricTimeoutMs,
              metricProducers: [own],
            }),
          ]
        : [],
    }),
    loggers: new LoggerProvider({
      resource,
      logRecordLimits: limits,
      processors: settings.logs
        ? [new BatchLogRecordProcessor({ exporter: exporters.logs(), ...settings.logQueue })]
        : [],
    }),
  };
}

/** OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES take precedence. Every process is an instance. */
function describeService(nodeName: string): Resource {
  const own = resourceFromAttributes({
    'service.name': SCOPE,
    'service.version': VERSION,
    'tollgate.node': nodeName,
  });
  return own.merge(detectResources({ detectors: [serviceInstanceIdDetector, envDetector] }));
}

async function within(ms: number, work: Promise<unknown>): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  await Promise.race([work, late]);
  clearTimeout(timer);
}
