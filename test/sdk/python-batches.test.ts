import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { costOf, endAll, startBatchesWorld } from '../gateway/batches/world.ts';
import { needs } from '../needs.ts';
import type { World } from '../support/world.ts';
import { PYTHON, python } from './python/installation.ts';

/** A busy machine is no failure. */
const PATIENCE_MS = 280_000;
const run = promisify(execFile);

let world: World;
beforeAll(async () => {
  world = await startBatchesWorld();
});
afterAll(() => world.close());

it('files and batches work with the SDKs of OpenAI and Anthropic for Python', needs(PYTHON), async () => {
  const script = join(import.meta.dirname, 'python', 'batches.py');
  const words = [script, world.url, world.key, await world.newKey('other@example.com')];
  const { stdout } = await run(python, words, { timeout: PATIENCE_MS });
  const { batchId, messagesId, ...seen } = JSON.parse(stdout) as Record<string, string>;
  const each = (model: string) => [0, 1, 2].map((at) => [`item-${at}`, model]);
  expect(seen).toEqual({
    file: ['batch', true],
    content: true,
    batch: ['completed', { a: 'b' }, 3],
    listed: true,
    results: each('gpt'),
    foreign: ['not found', 'not found', 'not found'],
    deleted: true,
    messages: each('sonnet'),
    messagesListed: true,
  });
  await endAll(world);
  const costs = [batchId, messagesId].map((id) => costOf(world.simulator.batches.used(id ?? '')));
  const rows = await world.database.query<{ charge_micro: bigint }>(
    'select charge_micro from calls where charge_micro > 0 order by created_at',
  );
  expect(rows.map((row) => row.charge_micro)).toEqual(costs);
});
