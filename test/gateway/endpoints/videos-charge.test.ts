import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTollgate } from '../../../src/app.ts';
import { silentLogger } from '../../../src/kernel/log.ts';
import { examine } from '../../../src/store/operations/doctor.ts';
import type { World } from '../../support/world.ts';
import {
  clientOf,
  creditsOf,
  PRICE_CREDITS_MICRO,
  PRICE_MICRO,
  rowOf,
  startVideosWorld,
} from './videos-world.ts';

let world: World;
beforeAll(async () => {
  world = await startVideosWorld({
    environment: { TOLLGATE_SECRET: 'one root secret for all of the nodes' },
  });
});
afterAll(async () => {
  expect(await examine(world.database)).toEqual([]);
  await world.close();
});

/** Rounds come every few seconds. */
const SOON = { timeout: 20_000, interval: 200 };
const USER = 'user@example.com';

interface Created {
  readonly id: string;
  readonly requestId: string | null;
}

async function create(
  words: string,
  { url = world.url, key = world.key, model = 'film' } = {},
): Promise<Created> {
  const response = await fetch(`${url}/v1/videos`, {
    method: 'POST',
    headers: world.headers(key),
    body: JSON.stringify({ model, prompt: `A boat. [[sim ${words}]]` }),
  });
  expect(response.status).toBe(200);
  const { id } = (await response.json()) as { id: string };
  return { id, requestId: response.headers.get('x-request-id') };
}

/** The call of this video when it is settled. */
async function settledRow({ requestId }: Created) {
  await expect.poll(() => rowOf(world, requestId), SOON).toBeDefined();
  return rowOf(world, requestId);
}

const CHARGED = {
  ...{ verdict: 'complete', status: 200, videos: 1n, amount_micro: PRICE_MICRO },
  ...{ charge_micro: PRICE_CREDITS_MICRO, held_micro: PRICE_CREDITS_MICRO, estimated: false },
  ...{ protocol_in: 'videos', protocol_out: 'videos', input_fresh: 0n, output_text: 0n },
};
const FREE = { verdict: 'failed', videos: 0n, amount_micro: 0n, charge_micro: 0n };

describe('the price of a video', () => {
  it('is held at its creation, and charged exactly when it is complete', async () => {
    const before = await creditsOf(world, USER);
    const made = await create('steps=100');
    await world.settled();
    expect(await rowOf(world, made.requestId)).toBeUndefined();
    await expect.poll(() => creditsOf(world, USER)).toBe(before - PRICE_CREDITS_MICRO);
    world.simulator.videos.end(made.id, 'completed');
    await clientOf(world.url, world.key).videos.retrieve(made.id);
    expect(await settledRow(made)).toMatchObject(CHARGED);
    expect(await creditsOf(world, USER)).toBe(before - PRICE_CREDITS_MICRO);
  });

  it('is returned when it fails, later or at once', async () => {
    const before = await creditsOf(world, USER);
    const made = await create('steps=100');
    world.simulator.videos.end(made.id, 'failed');
    expect(await settledRow(made)).toMatchObject(FREE);
    expect(await creditsOf(world, USER)).toBe(before);
    const blocked = await create('filter');
    expect(await settledRow(blocked)).toMatchObject({ verdict: 'complete', videos: 0n, charge_micro: 0n });
    expect(await creditsOf(world, USER)).toBe(before);
  });

  it('is charged before its owner can delete it', async () => {
    const before = await creditsOf(world, USER);
    const made = await create('steps=100');
    world.simulator.videos.end(made.id, 'completed');
    await clientOf(world.url, world.key).videos.delete(made.id);
    expect(await settledRow(made)).toMatchObject(CHARGED);
    expect(await creditsOf(world, USER)).toBe(before - PRICE_CREDITS_MICRO);
  });

  it('is charged to whoever left while it was created', async () => {
    const left = new AbortController();
    const asked = { method: 'POST', headers: world.headers(), signal: left.signal };
    const prompt = '[[sim delay=700 steps=1 tag=left]]';
    const call = fetch(`${world.url}/v1/videos`, {
      ...asked,
      body: JSON.stringify({ model: 'film', prompt }),
    });
    await expect.poll(() => world.simulator.truth.list('left').length).toBe(1);
    left.abort();
    await expect(call).rejects.toThrow();
    const found = () => world.simulator.videos.list('sk-sim-openai').find((video) => video.prompt === prompt);
    await expect.poll(found).toBeDefined();
    const mine = async () => (await clientOf(world.url, world.key).videos.list()).data.map(({ id }) => id);
    await expect.poll(mine, SOON).toContain(found()?.id);
  });

  it('is refused to who cannot pay it, and nothing is held for a model without one', async () => {
    const key = await world.newKey('poor@example.com');
    const poor = clientOf(world.url, key);
    const unpaid = poor.videos.create({ model: 'film', prompt: '[[sim tag=unpaid]]' });
    await expect(unpaid).rejects.toMatchObject({ status: 403, code: '40201' });
    expect(world.simulator.truth.list('unpaid')).toEqual([]);
    const before = await creditsOf(world, 'poor@example.com');
    const made = await create('steps=1', { key, model: 'free-film' });
    expect(await settledRow(made)).toMatchObject({ verdict: 'complete', videos: 1n, charge_micro: 0n });
    expect(await creditsOf(world, 'poor@example.com')).toBe(before);
  });

  it('is none of ours with a credential of the account', async () => {
    const token = await world.login('other@example.com');
    const body = { vendor_code: 'openai', name: 'mine', secret: 'sk-sim-openai-mine' };
    expect((await world.api('POST', '/credential', { token, body })).body.code).toBe(0);
    const key = await world.newKey('other@example.com');
    const made = await create('steps=1', { key });
    expect(world.simulator.videos.find('sk-sim-openai-mine', made.id)).toBeDefined();
    expect((await clientOf(world.url, key).videos.retrieve(made.id)).status).toBe('completed');
    expect(await settledRow(made)).toMatchObject({ payer: 'byok', verdict: 'complete', charge_micro: 0n });
  });
});

describe('the videos of a policy', () => {
  it('are counted when they are asked for', async () => {
    const key = await world.newKey(USER, { policyId: 2 });
    await create('steps=1', { key });
    const body = { model: 'film', prompt: '[[sim tag=second]]' };
    const second = await world.post('/v1/videos', body, world.headers(key));
    expect([second.status, await second.json()]).toMatchObject([429, { code: 42_902 }]);
    expect(second.headers.get('x-tollgate-limit')).toMatch(/^videos; limit=1; used=1; .* scope=key$/);
    expect(world.simulator.truth.list('second')).toEqual([]);
  });
});

describe('a job that outlives its process', () => {
  it('is known to another node, which ends it', async () => {
    await world.settled();
    const before = await creditsOf(world, USER);
    const folder = await mkdtemp(join(tmpdir(), 'tollgate-second-'));
    const second = await startTollgate(
      { ...world.config, dataDirectory: folder, nodeName: 'second' },
      silentLogger,
    );
    try {
      const openai = clientOf(second.url, world.key);
      const made = await create('steps=100');
      // Its call may not be settled yet.
      expect(await openai.videos.retrieve(made.id)).toMatchObject({ status: 'in_progress', model: 'film' });
      await world.tollgate.stop();
      world.simulator.videos.end(made.id, 'completed');
      expect(await settledRow(made)).toMatchObject(CHARGED);
      expect(await creditsOf(world, USER)).toBe(before - PRICE_CREDITS_MICRO);
      const content = await openai.videos.downloadContent(made.id);
      expect((await content.arrayBuffer()).byteLength).toBe(64 * 1024);
    } finally {
      await second.stop();
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('goes on after a restart', async () => {
    let tollgate = await startTollgate(world.config, silentLogger);
    try {
      const before = await creditsOf(world, USER);
      const made = await create('steps=100', { url: tollgate.url });
      await tollgate.stop();
      world.simulator.videos.end(made.id, 'failed');
      tollgate = await startTollgate(world.config, silentLogger);
      expect(await settledRow(made)).toMatchObject(FREE);
      await expect.poll(() => creditsOf(world, USER)).toBe(before);
    } finally {
      await tollgate.stop();
    }
  });
});
