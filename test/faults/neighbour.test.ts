import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { STANDARD_CATALOG, startWorld, type World } from '../support/world.ts';
import type { Load } from './heavy-party.ts';

const MIB = 1024 * 1024;
const BODIES = 10;
const LONG_TURN_MS = 250;
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

async function smallCall(): Promise<void> {
  const messages = [{ role: 'user', content: 'hi [[sim tokens=1]]' }];
  const response = await world.post('/v1/chat/completions', { model: 'gpt-5', messages });
  await response.text();
  expect(response.status).toBe(200);
}

const threadMs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};

/** The turns of this thread's loop until it is asked, the longest first, in processor time. */
function watchTurns(): () => readonly number[] {
  const turns: number[] = [];
  let atMs = threadMs();
  let next: NodeJS.Immediate;
  const look = (): void => {
    const nowMs = threadMs();
    if (nowMs - atMs > LONG_TURN_MS) turns.push(nowMs - atMs);
    atMs = nowMs;
    next = setImmediate(look);
  };
  look();
  return () => {
    clearImmediate(next);
    return turns.toSorted((one, other) => other - one);
  };
}

test('ten simultaneous bodies of 50 MB pass, and none of them delays small calls of others', async () => {
  for (let index = 0; index < 30; index++) await smallCall();
  const load: Load = { url: world.url, headers: world.headers(), count: BODIES, bytes: 50 * MIB };
  let statuses: readonly number[] | undefined;
  heavy.once('message', (got: readonly number[]) => {
    statuses = got;
  });
  const longTurns = watchTurns();
  heavy.postMessage(load);
  let beside = 0;
  for (; statuses === undefined; beside++) await smallCall();
  const turns = longTurns();
  console.info(
    `${beside} small calls beside ten 50 MiB bodies; turns over ${LONG_TURN_MS} ms: ${turns.length}`,
  );
  expect(statuses).toEqual(Array.from({ length: BODIES }, () => 200));
  expect(beside).toBeGreaterThan(10);
  // A body that is read or scanned in one go holds the thread for most of a second, so ten of them make ten
  // long turns. On a busy machine the garbage collector makes one now and then.
  expect(turns.length).toBeLessThan(BODIES / 2);
});
