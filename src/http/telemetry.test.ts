import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { projectRoot } from '../../test/house/tree.ts';
import { callOf } from '../../test/support/calls.ts';
import { sampleRoute } from '../../test/support/samples.ts';
import { ManualClock } from '../kernel/time/clock.ts';
import { chooseExposition } from './exposition.ts';
import { Telemetry } from './telemetry.ts';

const clock = new ManualClock(0);
const telemetry = new Telemetry(clock);
afterAll(() => telemetry.close());

const shownPlainly = (): string => chooseExposition(undefined).show(telemetry.render());

test('the figures contain calls, attempts, refusals, batches and the state of the parts', () => {
  telemetry.callEnded({ ...callOf({ accountId: 1 }), status: 200, durationMs: 120, ttfbMs: 30 });
  telemetry.attemptEnded(sampleRoute(), '429');
  telemetry.gateRefused('tokens');
  telemetry.endpointServed('getVideo', 200);
  telemetry.batchSettled(3);
  telemetry.observe({
    gate: { active: 2 },
    sharedGate: () => ({ up: false, queued: 6 }),
    sink: () => ({ isUp: false, report: { lagCalls: 7, lagSeconds: 1.5 } }),
    journal: { lag: 4, bytes: 5, writable: false },
    inFlight: { streams: 1 },
    runningJobs: () => new Map([['video', 3]]),
    breakers: () => [
      { routeId: 1, vendor: 'openai', state: 'open' },
      { routeId: 1, vendor: 'openai', state: 'closed' },
      { routeId: 2, vendor: 'google', state: 'probing' },
    ],
    unhealthyCredentials: () => 1,
    isReady: () => true,
  });
  const shown = shownPlainly();
  for (const line of [
    /^tollgate_calls_total\{protocol="chat",stream="\w+",status="200",code="",verdict="complete"\} 1$/m,
    /^tollgate_call_duration_seconds_bucket\{.*le="0.25"\} 1$/m,
    /^tollgate_call_duration_seconds_bucket\{.*le="0.1"\} 0$/m,
    /^tollgate_upstream_attempts_total\{vendor="openai",outcome="429"\} 1$/m,
    /^tollgate_gate_refusals_total\{dimension="tokens"\} 1$/m,
    /^tollgate_calls_settled_total 3$/m,
    /^tollgate_settler_batch_calls_sum 3$/m,
    /^tollgate_redis_up 0$/m,
    /^tollgate_gate_queue 6$/m,
    /^tollgate_clickhouse_up 0$/m,
    /^tollgate_clickhouse_lag_calls 7$/m,
    /^tollgate_clickhouse_lag_seconds 1.5$/m,
    /^tollgate_active_calls 2$/m,
    /^tollgate_active_streams 1$/m,
    /^tollgate_active_jobs\{kind="video"\} 3$/m,
    /^tollgate_journal_lag_calls 4$/m,
    /^tollgate_breaker_state\{route="1",vendor="openai"\} 2$/m,
    /^tollgate_breaker_state\{route="2",vendor="google"\} 1$/m,
    /^tollgate_credentials_unhealthy 1$/m,
    /^tollgate_journal_writable 0$/m,
    /^tollgate_ready 1$/m,
    /^tollgate_database_up 1$/m,
    /^tollgate_calls_rejected_total 0$/m,
    /^tollgate_build_info\{version="[\w.-]+"\} 1$/m,
    /^process_cpu_seconds_total \d/m,
  ]) {
    expect(shown).toMatch(line);
  }
});

test('the database counts as away when it took no heartbeat for fifteen seconds', () => {
  clock.advance(14_000);
  expect(telemetry.render()).toMatch(/^tollgate_database_up 1$/m);
  clock.advance(2_000);
  expect(telemetry.render()).toMatch(/^tollgate_database_up 0$/m);
  telemetry.databaseAnswered();
  expect(telemetry.render()).toMatch(/^tollgate_database_up 1$/m);
});

test('calls that the database refused are counted', () => {
  telemetry.callsRejected(2);
  expect(telemetry.render()).toMatch(/^tollgate_calls_rejected_total 2$/m);
});

test('every metric is in the table of docs/watching.md with its type and labels, and no other', () => {
  const page = readFileSync(join(projectRoot, 'docs/watching.md'), 'utf8');
  const listed = [...page.matchAll(/^\| `(\w+)` \| (counter|gauge|histogram) \|(.*?)\| /gm)].map(
    ([, name = '', type, labels = '']) => ({
      name,
      type,
      labels: labelsIn(labels.replace(/\(.*\)/, ''), /`(\w+)`/g),
    }),
  );
  telemetry.callEnded({ ...callOf({ accountId: 1 }), stream: true, ttfbMs: 30 });
  telemetry.platformEnded('keys.list', 200, 3);
  const figures = shownPlainly();
  const shown = [...figures.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = '', type]) => {
    const series = figures.split('\n').filter((line) => line.startsWith(name));
    return { name, type, labels: labelsIn(series.join('\n'), /[{,](?!le=)(\w+)="/g) };
  });
  expect(listed.toSorted(byName)).toEqual(shown.toSorted(byName));
});

function labelsIn(text: string, pattern: RegExp): readonly string[] {
  return [...new Set([...text.matchAll(pattern)].map(([, label = '']) => label))].sort();
}

function byName(one: { readonly name: string }, other: { readonly name: string }): number {
  return one.name < other.name ? -1 : 1;
}
