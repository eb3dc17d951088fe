import { shareVariables } from '../config.ts';
import { systemClock } from '../kernel/time/clock.ts';
import type { OpenTelemetry } from '../open-telemetry/start.ts';
import type { AppContext } from './app-context.ts';

/** Loads OpenTelemetry if it has a receiver. Otherwise none of its code is loaded. */
export async function openTelemetry({
  config,
  log,
  cleanup,
}: Pick<AppContext, 'config' | 'log' | 'cleanup'>): Promise<OpenTelemetry | undefined> {
  if (config.otlpEndpoint === undefined) return undefined;
  shareVariables(config, 'OTEL_');
  const { startOpenTelemetry } = await import('../open-telemetry/start.ts');
  const started = startOpenTelemetry({
    environment: config.environment,
    nodeName: config.nodeName,
    logLevel: config.logLevel,
    passOn: config.traceVendors === 'on',
    log,
    clock: systemClock,
  });
  if (started !== undefined) cleanup.add(() => started.close());
  return started;
}
