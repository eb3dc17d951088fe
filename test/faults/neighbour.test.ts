import { once } from 'node:events';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { STANDARD_CATALOG, startWorld, type World } from '../support/world.ts';
import type { Load } from './heavy-party.ts';

const MIB = 1024 * 1024;
const SINK = `  - { model_id: sink, prices: { input: "0.01", output: "0.01" }, max_output_tokens: 100,
      routes: [{ vendor: openai, credential: sink, forward_model_id: any, protocols: [chat] }] }
`;

let world: World;
let heavy: Worker;
beforeAll(async () => {
  heavy = new Worker(new URL('./heavy-party.ts', import.meta.url));
  const [port] = await once(heavy, 'message');
  world = await startWorld({
    catalog: STANDARD_CATALOG.replace('models:\n', `models:\n${SINK}`).replace(
      'credentials:\n',
      `credentials:\n  - { name: sink, vendor: openai, secret: sk-any, base_url: "\${HEAVY}/v1" }\n`,
    ),
    environment: { HEAVY: `http://127.0.0.1:${port}` },
  });
});
afterAll(async () => {
  await heavy.terminate();
  await world.close();
});

async function smallCallMs(): Promise<number> {
  const startedAt = performance.now();
  const messages = [{ role: 'user', content: 'hi [[sim tokens=1]]' }];
  const response = await world.post('/v1/chat/completions', { model: 'gpt-5', messages });
  await response.text();
  expect(response.status).toBe(200);
  return performance.now() - startedAt;
}

function percentile(times: readonly number[], share: number): number {
  const sorted = [...times].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

test('ten bodies of 50 MB at once pass, and a neighbour’s small calls stay quick', async () => {
  for (let index = 0; index < 30; index++) await smallCallMs();
  const alone: number[] = [];
  for (let index = 0; index < 50; index++) alone.push(await smallCallMs());
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  const load: Load = { url: world.url, headers: world.headers(), count: 10, bytes: 50 * MIB };
  let statuses: readonly number[] | undefined;
  heavy.once('message', (got: readonly number[]) => {
    statuses = got;
  });
  heavy.postMessage(load);
  const beside: number[] = [];
  while (statuses === undefined) beside.push(await smallCallMs());
  delay.disable();
  const figures = [alone, beside].map((times) =>
    [0.5, 0.99].map((share) => percentile(times, share).toFixed(1)),
  );
  const [before, during] = figures;
  console.info(`small call, p50 and p99: alone ${before} ms, beside ten 50 MiB bodies ${during} ms`);
  console.info(
    `event loop delay p99 ${(delay.percentile(99) / 1e6).toFixed(1)} ms, max ${(delay.max / 1e6).toFixed(1)} ms`,
  );
  expect(statuses).toEqual(Array.from({ length: 10 }, () => 200));
  expect(beside.length).toBeGreaterThan(10);
  // Bodies read or scanned in one go would hold the thread for seconds; a busy machine is slow by itself.
  expect(percentile(beside, 0.5)).toBeLessThan(Math.max(250, 10 * percentile(alone, 0.5)));
  expect(percentile(beside, 0.99)).toBeLessThan(Math.max(3_000, 30 * percentile(alone, 0.99)));
});
