import type OpenAI from 'openai';
import { toFile } from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { contentOf } from '../../../sim/openai-videos/videos.ts';
import type { World } from '../../support/world.ts';
import { clientOf, startVideosWorld } from './videos-world.ts';

let world: World;
let openai: OpenAI;
let other: OpenAI;
let otherKey: string;

beforeAll(async () => {
  world = await startVideosWorld();
  otherKey = await world.newKey('other@example.com');
  openai = clientOf(world.url, world.key);
  other = clientOf(world.url, otherKey);
});
afterAll(() => world.close());

/** A video that does not end before the test says so. */
function create(words = 'steps=100', client = openai): Promise<OpenAI.Videos.Video> {
  return client.videos.create({ model: 'film', prompt: `A boat. [[sim ${words}]]`, seconds: '8' });
}

/** A video that can be downloaded. */
async function createWhole(words = ''): Promise<OpenAI.Videos.Video> {
  const video = await create(`steps=100 ${words}`);
  world.simulator.videos.end(video.id, 'completed');
  return video;
}

function ask(path: string, init: RequestInit = {}): Promise<Response> {
  return fetch(`${world.url}/v1/videos${path}`, { headers: world.headers(), ...init });
}

describe('videos with the SDK of OpenAI', () => {
  it('are created, read, downloaded and deleted under the name of the platform', async () => {
    const video = await create('steps=2 tag=first');
    expect(video).toMatchObject({ object: 'video', status: 'queued', model: 'film', seconds: '8' });
    expect(world.simulator.truth.find('first')).toMatchObject({ path: '/v1/videos', model: 'sora-2' });
    const read = (): Promise<string> => openai.videos.retrieve(video.id).then(({ status }) => status);
    await expect.poll(read).toBe('completed');
    expect(await openai.videos.retrieve(video.id)).toMatchObject({ model: 'film', progress: 100 });
    const content = await openai.videos.downloadContent(video.id);
    expect(content.headers.get('content-type')).toBe('video/mp4');
    expect(content.headers.get('etag')).toBe(`"${video.id}"`);
    expect(content.headers.get('set-cookie')).toBeNull();
    expect(content.headers.get('content-security-policy')).toBe("sandbox; default-src 'none'");
    expect(content.headers.get('content-disposition')).toBe('attachment');
    expect(content.headers.get('x-content-type-options')).toBe('nosniff');
    expect(content.headers.get('x-tollgate-model')).toBe('film');
    const bytes = Buffer.from(await content.arrayBuffer());
    expect(bytes.equals(contentOf(`${video.id} video`, 64))).toBe(true);
    expect(await openai.videos.delete(video.id)).toEqual({
      ...{ id: video.id, object: 'video.deleted', deleted: true },
    });
    await expect(openai.videos.retrieve(video.id)).rejects.toMatchObject({ status: 404 });
    expect(world.simulator.videos.find('sk-sim-openai', video.id)).toBeUndefined();
  });

  it('take an image as a file or by its address', async () => {
    const file = await toFile(Buffer.from('PNG'), 'boat.png', { type: 'image/png' });
    const prompt = '[[sim steps=100 tag=image]]';
    const made = await openai.videos.create({ model: 'film', prompt, input_reference: file });
    expect(made).toMatchObject({ status: 'queued', model: 'film' });
    const call = world.simulator.truth.find('image');
    expect(call?.headers['content-type']).toMatch(/^multipart\/form-data; boundary=tollgate-/);
    expect(String(call && world.simulator.truth.body(call))).toContain('filename="boat.png"');
    const input_reference = { image_url: 'https://example.com/boat.png' };
    const linked = await openai.videos.create({
      model: 'film',
      prompt: '[[sim steps=100]]',
      input_reference,
    });
    expect(linked.status).toBe('queued');
    const json = await world.post('/v1/videos', { model: 'film', prompt: '[[sim steps=100]]', seconds: '4' });
    expect([json.status, ((await json.json()) as { seconds: string }).seconds]).toEqual([200, '4']);
  });

  it('are passed on in parts, in other variants, and only when they are whole', async () => {
    const early = await create();
    await expect(openai.videos.downloadContent(early.id)).rejects.toMatchObject({ status: 404 });
    const { id } = await createWhole();
    const headers = { ...world.headers(), range: 'bytes=1000-1999' };
    const part = await ask(`/${id}/content`, { headers });
    expect([part.status, part.headers.get('content-range')]).toEqual([206, 'bytes 1000-1999/65536']);
    const bytes = Buffer.from(await part.arrayBuffer());
    expect(bytes.equals(contentOf(`${id} video`, 64).subarray(1_000, 2_000))).toBe(true);
    const picture = await openai.videos.downloadContent(id, { variant: 'thumbnail' });
    expect(picture.headers.get('content-type')).toBe('image/webp');
    const wrong = await ask(`/${id}/content?variant=sound`);
    expect([wrong.status, await wrong.json()]).toMatchObject([400, { error: { param: 'variant' } }]);
  });

  it('are not read further when their client leaves', async () => {
    const { id } = await createWhole('tokens=4096 pace=50');
    const left = new AbortController();
    const response = await ask(`/${id}/content`, { signal: left.signal });
    await response.body?.getReader().read();
    left.abort();
    const call = () =>
      world.simulator.truth.all().findLast(({ path }) => path === `/v1/videos/${id}/content`);
    await expect.poll(() => call()?.finished).toBe('aborted-by-client');
  });

  it('wait at the vendor while their client does not read', async () => {
    const { id } = await createWhole('tokens=32768');
    const before = world.simulator.stats.bytesWritten;
    const response = await ask(`/${id}/content`);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(world.simulator.stats.bytesWritten - before).toBeLessThan(24 * 1024 * 1024);
    expect((await response.arrayBuffer()).byteLength).toBe(32 * 1024 * 1024);
  });

  it('that break off are a broken connection, never a shorter video', async () => {
    const { id } = await createWhole('tokens=4096 pace=20');
    const response = await ask(`/${id}/content`);
    const reading = response.arrayBuffer();
    for (const socket of world.simulator.stats.sockets) socket.destroy();
    await expect(reading).rejects.toThrow();
  });
});

describe('a list', () => {
  it('has the videos of the account alone, page by page', async () => {
    const key = await world.newKey('poor@example.com');
    const mine = clientOf(world.url, key);
    const made: string[] = [];
    for (let index = 0; index < 3; index++) {
      made.push((await mine.videos.create({ model: 'free-film', prompt: '[[sim steps=100]]' })).id);
    }
    const page = await mine.videos.list({ limit: 2 });
    expect(page.data.map(({ id, model }) => [id, model])).toEqual([
      [made[2], 'free-film'],
      [made[1], 'free-film'],
    ]);
    expect([page.has_more, page.last_id]).toEqual([true, made[1]]);
    const ids: string[] = [];
    for await (const { id } of mine.videos.list({ limit: 2, order: 'asc' })) ids.push(id);
    expect(ids).toEqual(made);
    expect((await mine.videos.list({ after: made[0] ?? '' })).data).toEqual([]);
    world.simulator.videos.forget(made[1] ?? '');
    expect((await mine.videos.list({ limit: 1000 })).data.map(({ id }) => id)).toEqual([made[2], made[0]]);
    world.simulator.script({ match: { path: `/v1/videos/${made[2]}` }, times: 3, answer: { status: 500 } });
    const known = (await mine.videos.list()).data[0];
    expect(known).toMatchObject({ id: made[2], status: 'in_progress', model: 'free-film' });
  });

  it('refuses wrong parameters in the form of OpenAI', async () => {
    for (const query of ['?limit=0', '?limit=x', '?order=up']) {
      const response = await ask(query);
      expect([query, response.status]).toEqual([query, 400]);
      expect(await response.json()).toMatchObject({ error: { code: 'invalid_value' } });
    }
  });
});

describe('a video of somebody else', () => {
  it('is answered as one that never was, byte for byte', async () => {
    const { id } = await createWhole();
    await world.settled();
    const nobody = id.replace(/.{8}$/, '00000000');
    for (const [method, below] of [
      ['GET', ''],
      ['GET', '/content'],
      ['DELETE', ''],
    ] as const) {
      const headers = world.headers(otherKey);
      const foreign = await ask(`/${id}${below}`, { method, headers });
      const unknown = await ask(`/${nobody}${below}`, { method, headers });
      expect([foreign.status, unknown.status]).toEqual([404, 404]);
      expect(await foreign.text()).toBe((await unknown.text()).replaceAll(nobody, id));
    }
    expect(world.simulator.videos.find('sk-sim-openai', id)).toBeDefined();
    expect((await other.videos.list()).data).toEqual([]);
  });
});

describe('what is not served', () => {
  it('is refused clearly, and so is a wrong key or method', async () => {
    const post = (path: string) => ask(path, { method: 'POST', body: '{}' });
    for (const path of ['/video_1/remix', '/edits', '/extensions', '/characters']) {
      const response = await post(path);
      expect([path, response.status, await response.json()]).toMatchObject([path, 400, { code: 40_004 }]);
    }
    expect((await ask('/video_1', { method: 'PUT', body: '{}' })).headers.get('allow')).toBe('GET, DELETE');
    expect((await fetch(`${world.url}/v1/videos`)).status).toBe(400);
    await expect(openai.videos.create({ model: 'film', prompt: 'x', n: 2 } as never)).rejects.toMatchObject({
      status: 400,
    });
  });

  it('is more than sixteen requests of an account at once', async () => {
    const { id } = await createWhole('tokens=1024 pace=200');
    const left = new AbortController();
    const running = Array.from({ length: 16 }, () => ask(`/${id}/content`, { signal: left.signal }));
    for (const { status } of await Promise.all(running)) expect(status).toBe(200);
    const refused = await ask(`/${id}`);
    expect([refused.status, await refused.json()]).toMatchObject([429, { code: 42_901 }]);
    expect(refused.headers.get('x-tollgate-limit')).toContain('limit=16');
    const headers = world.headers(otherKey);
    expect((await ask(`/${id}`, { headers })).status).toBe(404);
    left.abort();
    await expect.poll(async () => (await ask(`/${id}`)).status).toBe(200);
  });

  it('errors of the vendor pass as they are, and those about our credential do not', async () => {
    // Rounds may ask too, so every rule is there for more than one question.
    const askFailing = async (status: number, message: string): Promise<Response> => {
      const { id } = await create();
      world.simulator.script({ match: { path: `/v1/videos/${id}` }, times: 5, answer: { status, message } });
      return ask(`/${id}`);
    };
    const slow = await askFailing(429, 'slowly');
    expect([slow.status, slow.headers.get('retry-after')]).toEqual([429, '1']);
    expect(await slow.json()).toMatchObject({ error: { message: 'slowly' } });
    const refused = await askFailing(401, 'secret words');
    expect([refused.status, await refused.json()]).toMatchObject([502, { code: 50_202 }]);
  });
});
