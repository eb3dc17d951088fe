import { expect, test } from 'vitest';
import { sleep, until } from '../../test/support/processes.ts';
import { ManualClock } from '../kernel/time/clock.ts';
import { renderMetrics } from './metrics.ts';
import { ProcessGauges } from './process-gauges.ts';

const BLOCKED_MS = 1_500;

function block(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

test('a late event loop is shown for two windows and is forgotten then', async () => {
  const clock = new ManualClock(0);
  const gauges = new ProcessGauges(clock);
  const read = async (): Promise<number> => {
    await sleep(60);
    const shown = /^nodejs_eventloop_delay_p99_seconds (\S+)$/m.exec(renderMetrics(gauges.list()))?.[1];
    return Number(shown);
  };
  try {
    await sleep(60);
    block(BLOCKED_MS);
    expect(await read()).toBeGreaterThan(1);
    expect(await read(), 'the same for a second scraper').toBeGreaterThan(1);
    clock.advance(15_000);
    expect(await read()).toBeGreaterThan(1);
    expect(await read(), 'of the window before').toBeGreaterThan(1);
    clock.advance(15_000);
    expect(await read(), 'of the window before').toBeGreaterThan(1);
    // A busy machine may be late once more.
    await until(async () => {
      clock.advance(15_000);
      return (await read()) < 1;
    });
  } finally {
    gauges.close();
  }
});

test('start, processor time, memory and version are shown under their usual names', () => {
  const gauges = new ProcessGauges(new ManualClock(1_700_000_000_000));
  const shown = renderMetrics(gauges.list());
  gauges.close();
  const started = Number(/^process_start_time_seconds (\d+)$/m.exec(shown)?.[1]);
  expect(Math.abs(started - (1_700_000_000 - process.uptime()))).toBeLessThan(2);
  expect(shown).toMatch(/^# TYPE process_cpu_seconds_total counter\nprocess_cpu_seconds_total \d/m);
  const bytes = (name: string): number => Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(shown)?.[1]);
  expect(bytes('process_resident_memory_bytes')).toBeGreaterThan(bytes('nodejs_heap_used_bytes'));
  expect(bytes('nodejs_heap_limit_bytes')).toBeGreaterThan(bytes('nodejs_heap_used_bytes'));
});
