import { expect, test } from 'vitest';
import { readOtelSettings } from './settings.ts';

test('without variables everything is exported, with the defaults of OpenTelemetry', () => {
  const { sampler, ...settings } = readOtelSettings({});
  expect(String(sampler)).toContain('ParentBased{root=AlwaysOnSampler');
  const queue = { maxQueueSize: 2_048, maxExportBatchSize: 512, exportTimeoutMillis: 30_000 };
  expect(settings).toEqual({
    isDisabled: false,
    traces: true,
    metrics: true,
    logs: true,
    spanQueue: { ...queue, scheduledDelayMillis: 5_000 },
    logQueue: { ...queue, scheduledDelayMillis: 1_000 },
    metricIntervalMs: 60_000,
    metricTimeoutMs: 30_000,
    problems: [],
  });
});

test.each([
  ['always_on', 'AlwaysOnSampler'],
  ['always_off', 'AlwaysOffSampler'],
  ['traceidratio', 'TraceIdRatioBased{0.25}'],
  ['parentbased_always_on', 'ParentBased{root=AlwaysOnSampler'],
  ['parentbased_always_off', 'ParentBased{root=AlwaysOffSampler'],
  ['parentbased_traceidratio', 'ParentBased{root=TraceIdRatioBased{0.25}'],
])('%s is the sampler %s', (name, shown) => {
  const settings = readOtelSettings({ OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: '0.25' });
  expect(String(settings.sampler)).toContain(shown);
  expect(settings.problems).toEqual([]);
});

test('signals are switched off one by one, and all of them together', () => {
  expect(readOtelSettings({ OTEL_TRACES_EXPORTER: 'none' })).toMatchObject({ traces: false, logs: true });
  expect(readOtelSettings({ OTEL_SDK_DISABLED: 'TRUE' }).isDisabled).toBe(true);
});

test('a wrong value is reported, and its default is used', () => {
  const settings = readOtelSettings({
    OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '2',
    OTEL_BSP_MAX_QUEUE_SIZE: '-1',
    OTEL_BLRP_MAX_QUEUE_SIZE: '100',
    OTEL_METRIC_EXPORT_INTERVAL: '1e3',
    OTEL_METRICS_EXPORTER: 'prometheus',
    OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
    OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/protobuf',
  });
  expect(settings).toMatchObject({
    traces: true,
    metrics: false,
    logs: false,
    spanQueue: { maxQueueSize: 2_048 },
    logQueue: { maxQueueSize: 100, maxExportBatchSize: 100 },
    metricIntervalMs: 60_000,
  });
  expect(settings.problems.map((problem) => problem.split(':')[0]).toSorted()).toEqual([
    'OTEL_BSP_MAX_QUEUE_SIZE',
    'OTEL_EXPORTER_OTLP_PROTOCOL',
    'OTEL_METRICS_EXPORTER',
    'OTEL_METRIC_EXPORT_INTERVAL',
    'OTEL_TRACES_SAMPLER_ARG',
  ]);
  expect(readOtelSettings({ OTEL_TRACES_SAMPLER: 'jaeger_remote' }).problems).toHaveLength(1);
});
