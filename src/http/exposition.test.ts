import { expect, test } from 'vitest';
import { chooseExposition } from './exposition.ts';
import { Counter, Gauge, Histogram, labelText, renderMetrics } from './metrics.ts';

const OPEN = 'application/openmetrics-text; version=1.0.0; charset=utf-8';
const PLAIN = 'text/plain; version=0.0.4; charset=utf-8';

/** What Prometheus 2 sends. */
const PROMETHEUS =
  'application/openmetrics-text;version=1.0.0;q=0.5,application/openmetrics-text;version=0.0.1;q=0.4,' +
  'text/plain;version=0.0.4;q=0.3,*/*;q=0.2';

test.each([
  [PROMETHEUS, OPEN],
  ['application/openmetrics-text', OPEN],
  ['application/openmetrics-text; version="1.0.0"; charset=utf-8', OPEN],
  [undefined, PLAIN],
  ['*/*', PLAIN],
  ['text/plain', PLAIN],
  ['application/openmetrics-text;q=0', PLAIN],
  ['application/openmetrics-text;q=0.2,text/plain;q=0.3', PLAIN],
  ['application/openmetrics-text;q=x', PLAIN],
  ['application/openmetrics-text;version=0.0.1', PLAIN],
  [';;,=,', PLAIN],
])('who accepts %s gets %s', (accept, type) => {
  expect(chooseExposition(accept).contentType).toBe(type);
});

function figures(): string {
  const calls = new Counter('calls_total', 'Calls, "all" of them.');
  calls.add(labelText({ status: 200 }));
  const times = new Histogram('seconds', 'Time.', [0.5, 1]);
  times.series('{title="5"}').observe(0.75, { callId: 'req_1', traceId: '', endedAtMs: 2_500 });
  return renderMetrics([calls, new Gauge('role', 'Role.', () => [['{role="5"}', 4]]), times]);
}

test('the plain format has no exemplars', () => {
  expect(chooseExposition(undefined).show(figures())).toBe(
    [
      '# HELP calls_total Calls, "all" of them.',
      '# TYPE calls_total counter',
      'calls_total{status="200"} 1',
      '# HELP role Role.',
      '# TYPE role gauge',
      'role{role="5"} 4',
      '# HELP seconds Time.',
      '# TYPE seconds histogram',
      'seconds_bucket{title="5",le="0.5"} 0',
      'seconds_bucket{title="5",le="1"} 1',
      'seconds_bucket{title="5",le="+Inf"} 1',
      'seconds_sum{title="5"} 0.75',
      'seconds_count{title="5"} 1',
      '',
    ].join('\n'),
  );
});

test('OpenMetrics names families of counters without _total, bounds as floats, and ends with EOF', () => {
  expect(chooseExposition(PROMETHEUS).show(figures())).toBe(
    [
      '# HELP calls Calls, \\"all\\" of them.',
      '# TYPE calls counter',
      'calls_total{status="200"} 1',
      '# HELP role Role.',
      '# TYPE role gauge',
      'role{role="5"} 4',
      '# HELP seconds Time.',
      '# TYPE seconds histogram',
      'seconds_bucket{title="5",le="0.5"} 0',
      'seconds_bucket{title="5",le="1.0"} 1 # {request_id="req_1"} 0.75 2.500',
      'seconds_bucket{title="5",le="+Inf"} 1',
      'seconds_sum{title="5"} 0.75',
      'seconds_count{title="5"} 1',
      '# EOF',
      '',
    ].join('\n'),
  );
});
