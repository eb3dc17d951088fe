import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { toFile } from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTollgate } from '../../../src/app.ts';
import { silentLogger } from '../../../src/kernel/log.ts';
import { examine } from '../../../src/store/operations/doctor.ts';
import type { World } from '../../support/world.ts';
import { anthropicOf, costOf, creditsOf, openaiOf, rowOf, startBatchesWorld } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await startBatchesWorld({
    environment: { TOLLGATE_SECRET: 'one root secret for all of the nodes' },
  });
});
afterAll(async () => {
  expect(await examine(world.database)).toEqual([]);
  await world.close();
});

const SOON = { timeout: 20_000, interval: 200 };
const USER = 'user@example.com';
const CHAT = '/v1/chat/completions';
const ITEMS = 40;

interface Created {
  readonly id: string;
  readonly requestId: string | null;
}

const content = (at: number): string => `Say ${at}. [[sim tokens=${10 + at} steps=1000]]`;

async function createBatch(url: string): Promise<Created> {
  const client = openaiOf(url, world.key);
  const lines = Array.from({ length: ITEMS }, (_, at) => {
    const messages = [{ role: 'user', content: content(at) }];
    const body = { model: 'gpt', max_completion_tokens: 200, messages };
    return JSON.stringify({ custom_id: `item-${at}`, method: 'POST', url: CHAT, body });
  });
  const file = await toFile(Buffer.from(lines.join('\n')), 'a.jsonl');
  const { id } = await client.files.create({ file, purpose: 'batch' });
  const asked = { input_file_id: id, endpoint: CHAT, completion_window: '24h' } as const;
  const { data, response } = await client.batches.create(asked).withResponse();
  return { id: data.id, requestId: response.headers.get('x-request-id') };
}

async function createMessages(url: string): Promise<Created> {
  const requests = Array.from({ length: ITEMS }, (_, at) => ({
    custom_id: `item-${at}`,
    params: { model: 'sonnet', max_tokens: 200, messages: [{ role: 'user' as const, content: content(at) }] },
  }));
  const asked = anthropicOf(url, world.key).messages.batches.create({ requests });
  const { data, response } = await asked.withResponse();
  return { id: data.id, requestId: response.headers.get('x-request-id') };
}

async function settledRow({ requestId }: Created) {
  await expect.poll(() => rowOf(world, requestId), SOON).toBeDefined();
  return rowOf(world, requestId);
}

/** Every node asks at once, again and again. */
async function hastenAll(): Promise<void> {
  await world.database.query("update jobs set examine_at = now() where state = 'running'");
}

describe('batches on two nodes', () => {
  it('are ended by whichever is there, charged once, and read on the other', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tollgate-second-'));
    const second = await startTollgate(
      { ...world.config, dataDirectory: folder, nodeName: 'second' },
      silentLogger,
    );
    try {
      const before = await creditsOf(world, USER);
      const made = [await createBatch(world.url), await createMessages(second.url)];
      const [batch, messages] = made;
      expect((await openaiOf(second.url, world.key).batches.retrieve(batch?.id ?? '')).id).toBe(batch?.id);
      for (const { id } of made) world.simulator.batches.end(id);
      const hurry = setInterval(() => void hastenAll(), 50);
      const reads = Array.from({ length: 8 }, (_, at) =>
        openaiOf(at % 2 === 0 ? world.url : second.url, world.key).batches.retrieve(batch?.id ?? ''),
      );
      await Promise.all(reads);
      const rows = await Promise.all(made.map(settledRow));
      clearInterval(hurry);
      const costs = made.map(({ id }) => costOf(world.simulator.batches.used(id)));
      expect(rows.map((row) => row?.charge_micro)).toEqual(costs);
      const total = costs.reduce((sum, cost) => sum + cost, 0n);
      expect(await creditsOf(world, USER)).toBe(before - total);
      const lines: string[] = [];
      const results = anthropicOf(world.url, world.key).messages.batches.results(messages?.id ?? '');
      for await (const { custom_id: id } of await results) lines.push(id);
      expect(lines).toHaveLength(ITEMS);
    } finally {
      await second.stop();
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('are charged after a restart', async () => {
    await world.tollgate.stop();
    let tollgate = await startTollgate(world.config, silentLogger);
    try {
      const before = await creditsOf(world, USER);
      const made = await createBatch(tollgate.url);
      await tollgate.stop();
      world.simulator.batches.end(made.id);
      tollgate = await startTollgate(world.config, silentLogger);
      const cost = costOf(world.simulator.batches.used(made.id));
      expect((await settledRow(made))?.charge_micro).toBe(cost);
      await expect.poll(() => creditsOf(world, USER)).toBe(before - cost);
    } finally {
      await tollgate.stop();
    }
  });
});
