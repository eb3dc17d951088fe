import { expect, test } from 'vitest';
import { silentLogger } from '../kernel/log.ts';
import { systemClock } from '../kernel/time/clock.ts';
import { type OpenTelemetry, type OpenTelemetryParts, startOpenTelemetry } from './start.ts';

const NONE = { OTEL_TRACES_EXPORTER: 'none', OTEL_METRICS_EXPORTER: 'none', OTEL_LOGS_EXPORTER: 'none' };

function start(
  environment: OpenTelemetryParts['environment'],
  warn: (fields: object) => void = () => {},
): OpenTelemetry | undefined {
  const log = { ...silentLogger, warn };
  const parts = { nodeName: 'local', logLevel: 'info', passOn: false, log, clock: systemClock };
  return startOpenTelemetry({ environment, ...parts });
}

test('it does not start if the standard variable switches it off', () => {
  expect(start({ OTEL_SDK_DISABLED: 'true' })).toBeUndefined();
});

test('without exporters calls are traced all the same, and wrong settings are named', async () => {
  const problems: object[] = [];
  const started = start({ ...NONE, OTEL_TRACES_SAMPLER: 'often' }, (fields) => void problems.push(fields));
  const endpoint = { protocol: 'chat', edit: false, path: undefined } as const;
  const trace = started?.tracer.begin({ createdAtMs: 0, startedAt: 0, endpoint }, {});
  expect(trace?.traceId).toMatch(/^[0-9a-f]{32}$/);
  expect(problems).toEqual([{ problem: expect.stringContaining('OTEL_TRACES_SAMPLER') }]);
  await started?.close();
});
