import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readCounters, sumMetrics } from '../../src/http/metrics-sum.ts';
import { SURFACES } from '../../src/operations/operation.ts';
import { keyOf } from '../crash/trial/scene.ts';
import { needs, PROMETHEUS, REDIS } from '../needs.ts';
import { type FreshDatabase, freshDatabase } from '../support/postgres.ts';
import {
  makePlace,
  type Place,
  type ServerProcess,
  type SimulatorProcess,
  sleep,
  startServerProcess,
  startSimulatorProcess,
  until,
} from '../support/processes.ts';
import { startRedis, type TestRedis } from '../support/redis.ts';
import { STANDARD_CATALOG } from '../support/world.ts';
import { runPromtool, startPrometheus, type TestPrometheus } from './prometheus.ts';
import { metricsIn, panelExpressions, readAlerts, readDashboard } from './shipped.ts';

/** A real Prometheus scrapes a real server with the files of deploy/. */

const MADE_UP = 'a-model-that-a-client-made-up';

/** What makes alerts fire that are quiet before, and what goes on until they do. */
interface Trouble {
  readonly names: readonly string[];
  readonly cause: () => Promise<unknown>;
  readonly meanwhile: () => Promise<unknown>;
}

describe('watched by Prometheus', needs(PROMETHEUS, REDIS), () => {
  let simulator: SimulatorProcess;
  let redis: TestRedis;
  let fresh: FreshDatabase;
  let place: Place;
  let server: ServerProcess;
  let watcher: TestPrometheus;
  let headers: Record<string, string>;
  let figures: string;

  const post = async (path: string, body: object): Promise<number> => {
    const answer = await fetch(server.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    await answer.text();
    return answer.status;
  };
  const chat = (content: string, more: object = {}): Promise<number> =>
    post('/v1/chat/completions', { model: 'gpt-5', messages: [{ role: 'user', content }], ...more });

  beforeAll(async () => {
    simulator = await startSimulatorProcess();
    redis = await startRedis();
    fresh = await freshDatabase();
    place = await makePlace(STANDARD_CATALOG, simulator.url);
    const addresses = { DATABASE_URL: fresh.connection, REDIS_URL: redis.url };
    server = await startServerProcess({ ...place.environment, ...addresses });
    const key = await keyOf(fresh.database, 'user@example.com');
    headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    watcher = await startPrometheus(new URL(server.opsUrl).host);
    expect(await chat('[[sim tokens=40 pace=5]]', { stream: true })).toBe(200);
    expect(await chat('[[sim tokens=400]]')).toBe(200);
    const question = { max_tokens: 50, messages: [{ role: 'user', content: 'Hello' }] };
    expect(await post('/v1/messages', { model: 'claude-sonnet-5', ...question })).toBe(200);
    // 50201: no such model is offered.
    expect(await chat('Hello', { model: MADE_UP })).toBe(502);
    expect((await fetch(`${server.url}${SURFACES.auth}/sessions`)).status).toBe(401);
    await until(async () => {
      figures = await (await fetch(`${server.opsUrl}/metrics`)).text();
      return /^tollgate_calls_settled_total [1-9]/m.test(figures);
    });
  });

  afterAll(async () => {
    await watcher?.close();
    server?.kill('SIGKILL');
    await server?.exited;
    await fresh?.drop();
    await redis?.close();
    await simulator?.close();
    await place?.remove();
  });

  test('promtool finds nothing wrong with the metrics, in the format that is announced', async () => {
    expect(runPromtool(['check', 'metrics'], figures)).toEqual({ status: 0, said: '' });
    const ofWorkers = sumMetrics([readCounters(figures), figures, figures]);
    expect(runPromtool(['check', 'metrics'], ofWorkers)).toEqual({ status: 0, said: '' });
    const wrong = '# HELP wrong_ms Wrong.\n# TYPE wrong_ms counter\nwrong_ms 1\n';
    expect(runPromtool(['check', 'metrics'], wrong).status).not.toBe(0);
    const type = (await fetch(`${server.opsUrl}/metrics`)).headers.get('content-type');
    expect(type).toBe('text/plain; version=0.0.4; charset=utf-8');
  });

  test('Prometheus reads OpenMetrics, and stores which call a bucket counted last', async () => {
    const accept = 'application/openmetrics-text; version=1.0.0';
    const answer = await fetch(`${server.opsUrl}/metrics`, { headers: { accept } });
    expect(answer.headers.get('content-type')).toBe(`${accept}; charset=utf-8`);
    const open = await answer.text();
    expect(open).toMatch(/# EOF\n$/);
    const streamed = (name: string): RegExp =>
      new RegExp(
        `^tollgate_${name}_bucket\\{.*stream="true",.*# \\{request_id="(req_\\w+)"\\} ([\\d.]+)`,
        'm',
      );
    for (const name of ['time_to_first_token_seconds', 'call_duration_seconds', 'output_tokens_per_second']) {
      const [, callId, value] = streamed(name).exec(open) ?? [];
      expect(callId, name).toBeDefined();
      await until(async () => {
        const stored = await watcher.exemplars(`tollgate_${name}_bucket{stream="true"}`);
        const found = stored.flatMap(({ exemplars }) => exemplars);
        return found.some(
          ({ labels, value: shown }) => labels.request_id === callId && Number(shown) === Number(value),
        );
      });
    }
    expect(await watcher.query('up{job="tollgate"} == 0')).toEqual([]);
  });

  test('calls are told apart by the catalogue’s names, never by a client’s text', async () => {
    expect(figures).not.toContain(MADE_UP);
    const labels = 'model="gpt-5",vendor="openai",protocol="chat",stream="true"';
    for (const name of ['time_to_first_token_seconds', 'call_duration_seconds', 'output_tokens_per_second'])
      expect(figures, name).toContain(`tollgate_${name}_count{${labels}} 1\n`);
    expect(figures).toMatch(/^tollgate_charged_credits_total\{model="gpt-5",vendor="openai"\} [\d.]*[1-9]/m);
    expect(figures).toMatch(/^tollgate_calls_total\{.*status="502",code="50201",verdict="refused"\} 1$/m);
  });

  test('every metric of the alerts and of the dashboard is there, and every panel can be asked', async () => {
    const shown = new Set([...figures.matchAll(/^# TYPE (\S+) /gm)].map(([, name]) => name));
    const panels = panelExpressions(readDashboard());
    const used = [...readAlerts().map(({ expr }) => expr), ...panels].flatMap(metricsIn);
    expect(used.length).toBeGreaterThan(40);
    expect(used.filter((name) => !shown.has(name))).toEqual([]);
    await until(async () => (await watcher.query('tollgate_ready')).length === 1);
    for (const expression of panels) await watcher.query(expression);
  });

  test('alerts fire when the vendor, then Redis, then the server is gone, and not before', async () => {
    const times: string[] = [];
    const fires = async ({ names, cause, meanwhile }: Trouble): Promise<void> => {
      const isQuiet = (firing: readonly string[]): boolean => !names.some((name) => firing.includes(name));
      await until(async () => isQuiet(await watcher.firing()));
      await cause();
      const startedAt = performance.now();
      await until(async () => {
        await meanwhile();
        const firing = await watcher.firing();
        return names.every((name) => firing.includes(name));
      });
      times.push(`${names.join(', ')} in ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
    };
    await until(async () => (await watcher.query('tollgate_breaker_state == 0')).length > 0);
    const nap = (): Promise<void> => sleep(100);
    await fires({
      names: ['TollgateVendorDown', 'TollgateVendorFails', 'TollgateErrors'],
      cause: () => simulator.close(),
      meanwhile: () => chat('Hello'),
    });
    await fires({
      names: ['TollgateRedisAway', 'TollgateNotReady'],
      cause: () => redis.kill(),
      meanwhile: nap,
    });
    await fires({ names: ['TollgateDown'], cause: async () => server.kill('SIGKILL'), meanwhile: nap });
    console.log(`proof | watching | 6 alerts | ${times.join('; ')}`);
  });
});
