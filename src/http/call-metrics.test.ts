import { expect, test } from 'vitest';
import { callOf } from '../../test/support/calls.ts';
import { NO_USAGE } from '../kernel/usage.ts';
import type { CallRecord } from '../ledger/contract.ts';
import { CallMetrics } from './call-metrics.ts';
import { chooseExposition } from './exposition.ts';
import { LABEL_SETS_MAX, renderMetrics } from './metrics.ts';

const ROUTED = {
  ...{ accountId: 1, routeId: 7, modelUsed: 'gpt-5', vendor: 'openai', stream: true, status: 200 },
  ...{ usage: { ...NO_USAGE, inputFresh: 10, outputText: 100 }, chargeMicro: 1_500_000n },
  ...{ ttfbMs: 400, durationMs: 2_400 },
};

function shown(...records: readonly CallRecord[]): string {
  const metrics = new CallMetrics();
  for (const record of records) metrics.ended(record);
  return chooseExposition(undefined).show(renderMetrics(metrics.list()));
}

test('a stream is counted by its route: time to the first token, speed from then on, tokens and Credits', () => {
  const figures = shown(callOf(ROUTED), callOf(ROUTED));
  const labels = 'model="gpt-5",vendor="openai",protocol="chat",stream="true"';
  for (const line of [
    `tollgate_time_to_first_token_seconds_bucket{${labels},le="0.25"} 0`,
    `tollgate_time_to_first_token_seconds_bucket{${labels},le="0.5"} 2`,
    `tollgate_call_duration_seconds_sum{${labels}} 4.8`,
    // 100 tokens in two seconds.
    `tollgate_output_tokens_per_second_bucket{${labels},le="30"} 0`,
    `tollgate_output_tokens_per_second_bucket{${labels},le="50"} 2`,
    'tollgate_tokens_total{kind="input",model="gpt-5",vendor="openai"} 20',
    'tollgate_tokens_total{kind="output",model="gpt-5",vendor="openai"} 200',
    'tollgate_charged_credits_total{model="gpt-5",vendor="openai"} 3',
  ])
    expect(figures.split('\n')).toContain(line);
});

test('a plain answer has no first token, and a cut one no speed', () => {
  const plain = shown(callOf({ ...ROUTED, stream: false }));
  expect(plain).not.toContain('tollgate_time_to_first_token_seconds_count');
  expect(plain).toMatch(/^tollgate_output_tokens_per_second_count\{.*\} 1$/m);
  const cut = shown(callOf({ ...ROUTED, verdict: 'cut-by-upstream' }));
  expect(cut).toMatch(/^tollgate_output_tokens_per_second_count\{.*\} 0$/m);
  const instant = shown(callOf({ ...ROUTED, durationMs: 400 }));
  expect(instant).toMatch(/^tollgate_output_tokens_per_second_count\{.*\} 0$/m);
});

test('the name of a model that a client made up is in no label', () => {
  const refused = { ...ROUTED, routeId: null, vendor: null, modelUsed: 'made-up', ttfbMs: null };
  const figures = shown(
    callOf(ROUTED),
    callOf({ ...refused, status: 404, errorCode: 40401, verdict: 'refused' }),
    callOf(ROUTED),
  );
  expect(figures).not.toContain('made-up');
  expect(figures).toMatch(/^tollgate_call_duration_seconds_count\{model="",vendor="",.*\} 1$/m);
  expect(figures).toMatch(/^tollgate_call_duration_seconds_count\{model="gpt-5",.*\} 2$/m);
  expect(figures).toMatch(/^tollgate_calls_total\{.*status="404",code="40401",verdict="refused"\} 1$/m);
});

test('the number of series is bounded, however many names a catalogue has had', () => {
  const metrics = new CallMetrics();
  for (let index = 0; index < LABEL_SETS_MAX + 50; index++) {
    metrics.ended(callOf({ ...ROUTED, modelUsed: `model-${index}` }));
  }
  metrics.ended(callOf({ ...ROUTED, modelUsed: 'model-0' }));
  const figures = renderMetrics(metrics.list());
  expect(figures).toMatch(/^tollgate_call_duration_seconds_count\{overflow="true"\} 50$/m);
  expect(figures).toMatch(/^tollgate_call_duration_seconds_count\{model="model-0",.*\} 2$/m);
  expect(figures.match(/^tollgate_call_duration_seconds_count/gm)).toHaveLength(LABEL_SETS_MAX + 1);
});

test('the buckets of a call name it and its trace', () => {
  const metrics = new CallMetrics();
  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
  const record = callOf(ROUTED);
  metrics.ended(record, traceId);
  const figures = renderMetrics(metrics.list());
  const seconds = ((record.createdAtMs + 2_400) / 1000).toFixed(3);
  const labels = `{request_id="${record.callId}",trace_id="${traceId}"}`;
  for (const [name, value] of [
    ['call_duration_seconds', 2.4],
    ['time_to_first_token_seconds', 0.4],
    ['output_tokens_per_second', 50],
  ])
    expect(figures).toMatch(new RegExp(`^tollgate_${name}_bucket.* 1 # ${labels} ${value} ${seconds}$`, 'm'));
  expect(figures.match(/ # \{/g)).toHaveLength(3);
});
