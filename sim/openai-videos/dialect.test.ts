import OpenAI, { toFile } from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from '../server.ts';
import { contentOf } from './videos.ts';

let simulator: Simulator;
let client: OpenAI;
let other: OpenAI;

beforeAll(async () => {
  simulator = await startSimulator();
  const baseURL = `${simulator.url}/v1`;
  client = new OpenAI({ baseURL, apiKey: 'sk-sim-openai', maxRetries: 0 });
  other = new OpenAI({ baseURL, apiKey: 'sk-sim-openai-other', maxRetries: 0 });
});
afterAll(() => simulator.close());

describe('Videos, through the official SDK', () => {
  it('are made after their answer, and known to their key alone', async () => {
    const made = await client.videos.create({
      model: 'sora-2',
      prompt: 'a boat [[sim steps=3]]',
      seconds: '8',
    });
    expect(made).toMatchObject({ object: 'video', status: 'queued', seconds: '8', error: null });
    expect((await client.videos.retrieve(made.id)).status).toBe('in_progress');
    await expect(other.videos.retrieve(made.id)).rejects.toMatchObject({ status: 404 });
    await expect(client.videos.downloadContent(made.id)).rejects.toMatchObject({ status: 404 });
    await expect(client.videos.delete(made.id)).rejects.toMatchObject({ status: 400 });
    expect((await client.videos.retrieve(made.id)).status).toBe('in_progress');
    expect(await client.videos.retrieve(made.id)).toMatchObject({ status: 'completed', progress: 100 });
    expect(simulator.videos.completed('sk-sim-openai')).toBe(1);
    const content = await client.videos.downloadContent(made.id, { variant: 'video' });
    expect(Buffer.from(await content.arrayBuffer()).equals(contentOf(`${made.id} video`, 64))).toBe(true);
    expect((await client.videos.list()).data.map(({ id }) => id)).toEqual([made.id]);
    expect(await client.videos.delete(made.id)).toEqual({
      ...{ id: made.id, object: 'video.deleted', deleted: true },
    });
    await expect(client.videos.retrieve(made.id)).rejects.toMatchObject({ status: 404 });
  });

  it('fail when a prompt is blocked, later or at once', async () => {
    const later = await client.videos.create({ model: 'sora-2', prompt: '[[sim refuse]]' });
    expect(later.status).toBe('queued');
    expect(await client.videos.retrieve(later.id)).toMatchObject({ status: 'failed' });
    expect((await client.videos.create({ model: 'sora-2', prompt: '[[sim filter]]' })).status).toBe('failed');
  });

  it('take an image, and refuse what the vendor refuses', async () => {
    const input_reference = await toFile(Buffer.from('PNG'), 'a.png', { type: 'image/png' });
    const made = await client.videos.create({
      model: 'sora-2-pro',
      prompt: 'x',
      size: '1792x1024',
      input_reference,
    });
    expect(made.size).toBe('1792x1024');
    const refused = [
      { model: 'sora-2', prompt: 'x', size: '1792x1024' as const },
      { model: 'sora-2', prompt: 'x', seconds: '5' as never },
      { model: 'sora-2', prompt: 'x', n: 2 } as never,
      { model: 'sora-2' } as never,
    ];
    for (const wrong of refused) {
      await expect(client.videos.create(wrong)).rejects.toMatchObject({ status: 400 });
    }
    await expect(client.videos.create({ model: 'gpt-5', prompt: 'x' })).rejects.toMatchObject({
      status: 404,
    });
  });
});
