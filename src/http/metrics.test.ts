import { expect, test } from 'vitest';
import { Counter, Gauge, Histogram, labelText, renderMetrics } from './metrics.ts';

test('a counter, a gauge and a histogram are written as Prometheus reads them', () => {
  const counter = new Counter('calls_total', 'Calls.');
  counter.add(labelText({ status: 200 }));
  counter.add(labelText({ status: 200 }), 2);
  const gauge = new Gauge('open', 'Open.', () => [['', 4]]);
  const histogram = new Histogram('seconds', 'Time.', [0.1, 1]);
  for (const value of [0.05, 0.1, 0.5, 3]) histogram.observe('{a="b"}', value);
  expect(renderMetrics([counter, gauge, histogram])).toBe(
    [
      '# HELP calls_total Calls.',
      '# TYPE calls_total counter',
      'calls_total{status="200"} 3',
      '# HELP open Open.',
      '# TYPE open gauge',
      'open 4',
      '# HELP seconds Time.',
      '# TYPE seconds histogram',
      'seconds_bucket{a="b",le="0.1"} 2',
      'seconds_bucket{a="b",le="1"} 3',
      'seconds_bucket{a="b",le="+Inf"} 4',
      'seconds_sum{a="b"} 3.65',
      'seconds_count{a="b"} 4',
      '',
    ].join('\n'),
  );
});

test('label values cannot break out of their quotes, and label sets are bounded', () => {
  expect(labelText({ a: 'x"\n\\' })).toBe('{a="x\\" \\\\"}');
  const counter = new Counter('many', 'Many.');
  for (let index = 0; index < 3_000; index++) counter.add(`{a="${index}"}`);
  expect(counter.series('{overflow="true"}').value).toBe(1_000);
});
