import { expect, test } from 'vitest';
import { Counter, Gauge, Histogram, renderMetrics } from './metrics.ts';
import { readCounters, sumMetrics } from './metrics-sum.ts';

function figures(scale: number): string {
  const calls = new Counter('calls_total', 'Calls.');
  calls.add('{status="200 OK"}', 10 * scale);
  if (scale > 1) calls.add('{status="429"}', 1);
  const times = new Histogram('times', 'Times.', [0.1, 1]);
  times.observe('', 0.05 * scale);
  return renderMetrics([
    calls,
    times,
    new Gauge('active', 'Active.', () => [['', scale]]),
    new Gauge('tollgate_breaker_state', 'Breakers.', () => [['{route="7"}', scale]]),
    new Gauge('tollgate_redis_up', 'Redis.', () => [['', scale === 1 ? 1 : 0]]),
    new Gauge('process_start_time_seconds', 'Start.', () => [['', 100 * scale]]),
  ]);
}

test('series of several processes are added up, each under one heading', () => {
  expect(sumMetrics([figures(1), figures(2), figures(4)])).toBe(
    [
      '# HELP calls_total Calls.',
      '# TYPE calls_total counter',
      'calls_total{status="200 OK"} 70',
      'calls_total{status="429"} 2',
      '# HELP times Times.',
      '# TYPE times histogram',
      'times_bucket{le="0.1"} 2',
      'times_bucket{le="1"} 3',
      'times_bucket{le="+Inf"} 3',
      `times_sum ${0.05 + 0.1 + 0.2}`,
      'times_count 3',
      '# HELP active Active.',
      '# TYPE active gauge',
      'active 7',
      '# HELP tollgate_breaker_state Breakers.',
      '# TYPE tollgate_breaker_state gauge',
      'tollgate_breaker_state{route="7"} 4',
      '# HELP tollgate_redis_up Redis.',
      '# TYPE tollgate_redis_up gauge',
      'tollgate_redis_up 0',
      '# HELP process_start_time_seconds Start.',
      '# TYPE process_start_time_seconds gauge',
      'process_start_time_seconds 400',
      '',
    ].join('\n'),
  );
});

test('counters of a dead process stay, its gauges do not', () => {
  const past = readCounters(figures(2));
  const sum = sumMetrics([past, figures(1)]);
  expect(sum).toContain('calls_total{status="200 OK"} 30\n');
  expect(sum).toContain('times_count 2\n');
  expect(sum).toContain('active 1\n');
});

test('a bucket of several processes keeps the newest exemplar', () => {
  const withCall = (callId: string, endedAtMs: number): string => {
    const times = new Histogram('times', 'Times.', [1]);
    times.series('').observe(0.5, { callId, traceId: '', endedAtMs });
    return renderMetrics([times]);
  };
  const newest = 'times_bucket{le="1"} 3 # {request_id="req_b"} 0.5 3.000\n';
  expect(
    sumMetrics([withCall('req_a', 1_000), withCall('req_b', 3_000), withCall('req_c', 2_000)]),
  ).toContain(newest);
  expect(sumMetrics([readCounters(withCall('req_b', 3_000)), figures(1)])).toContain('req_b');
});
