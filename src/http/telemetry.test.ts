import { afterAll, expect, test } from 'vitest';
import { callOf } from '../../test/support/calls.ts';
import { sampleRoute } from '../../test/support/samples.ts';
import { Telemetry } from './telemetry.ts';

const telemetry = new Telemetry();
afterAll(() => telemetry.close());

test('the figures contain calls, attempts, refusals, batches and the state of the parts', () => {
  telemetry.callEnded({ ...callOf({ accountId: 1 }), status: 200, durationMs: 120, ttfbMs: 30 });
  telemetry.attemptEnded(sampleRoute(), '429');
  telemetry.gateRefused('tokens');
  telemetry.batchSettled(3);
  telemetry.observe({
    gate: { active: 2 },
    sharedGate: () => ({ up: false, queued: 6 }),
    journal: { lag: 4, bytes: 5 },
    inFlight: { streams: 1 },
    breakers: () => [
      { routeId: 1, state: 'open' },
      { routeId: 2, state: 'probing' },
    ],
    unhealthyCredentials: () => 1,
  });
  const shown = telemetry.render();
  for (const line of [
    /^tollgate_calls_total\{protocol="chat",stream="\w+",status="200",code="",verdict="complete"\} 1$/m,
    /^tollgate_call_duration_seconds_bucket\{.*le="0.25"\} 1$/m,
    /^tollgate_call_duration_seconds_bucket\{.*le="0.1"\} 0$/m,
    /^tollgate_time_to_first_byte_seconds_count\{.*\} 1$/m,
    /^tollgate_upstream_attempts_total\{vendor="openai",outcome="429"\} 1$/m,
    /^tollgate_gate_refusals_total\{dimension="tokens"\} 1$/m,
    /^tollgate_calls_settled_total 3$/m,
    /^tollgate_settler_batch_calls_sum 3$/m,
    /^tollgate_redis_up 0$/m,
    /^tollgate_gate_queue 6$/m,
    /^tollgate_active_calls 2$/m,
    /^tollgate_active_streams 1$/m,
    /^tollgate_journal_lag_calls 4$/m,
    /^tollgate_breaker_state\{route="1"\} 2$/m,
    /^tollgate_breaker_state\{route="2"\} 1$/m,
    /^tollgate_credentials_unhealthy 1$/m,
  ]) {
    expect(shown).toMatch(line);
  }
});
