import { DataPointType } from '@opentelemetry/sdk-metrics';
import { expect, test } from 'vitest';
import { Counter, Gauge, Histogram, labelText, renderMetrics } from '../http/metrics.ts';
import { ManualClock } from '../kernel/time/clock.ts';
import { OwnMetrics } from './own-metrics.ts';

test('counters and gauges of ours are read as they are shown; histograms and those of the process are not', async () => {
  const calls = new Counter('tollgate_calls_total', 'Calls. All # of them.');
  calls.add(labelText({ status: 200, model: 'a "quoted" \\ # {model}' }), 3);
  calls.add('', 0.5);
  const times = new Histogram('tollgate_seconds', 'Time.', [1]);
  times.series('').observe(0.5, { callId: 'req_1', traceId: '', endedAtMs: 1 });
  const clock = new ManualClock(1_000);
  const own = new OwnMetrics(clock);
  own.read = () =>
    renderMetrics([
      calls,
      times,
      new Gauge('tollgate_ready', 'Ready.', () => [['', 1]]),
      new Gauge('nodejs_heap_used_bytes', 'Heap.', () => [['', 1]]),
      new Counter('tollgate_never_total', 'Never.'),
    ]);
  clock.advance(500);
  const { resourceMetrics, errors } = await own.collect();
  expect(errors).toEqual([]);
  const moments = { startTime: [1, 0], endTime: [1, 500_000_000] };
  expect(resourceMetrics.scopeMetrics[0]?.metrics).toHaveLength(2);
  expect(resourceMetrics.scopeMetrics[0]?.metrics).toMatchObject([
    {
      descriptor: { name: 'tollgate.calls', description: 'Calls. All # of them.' },
      dataPointType: DataPointType.SUM,
      isMonotonic: true,
      dataPoints: [
        { ...moments, attributes: { status: '200', model: 'a "quoted" \\ # {model}' }, value: 3 },
        { ...moments, attributes: {}, value: 0.5 },
      ],
    },
    {
      descriptor: { name: 'tollgate.ready' },
      dataPointType: DataPointType.GAUGE,
      dataPoints: [{ attributes: {}, value: 1 }],
    },
  ]);
});
