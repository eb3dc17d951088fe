import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { needs } from '../../needs.ts';
import { PYTHON, python } from '../../sdk/python/installation.ts';
import type { World } from '../../support/world.ts';
import { startVideosWorld } from './videos-world.ts';

const run = promisify(execFile);

let world: World;
beforeAll(async () => {
  world = await startVideosWorld();
});
afterAll(() => world.close());

it('videos work with the SDK of OpenAI for Python', { ...needs(PYTHON), timeout: 90_000 }, async () => {
  const script = join(import.meta.dirname, 'videos.py');
  const words = [script, `${world.url}/v1`, world.key, await world.newKey('other@example.com')];
  const { stdout } = await run(python, words, { timeout: 60_000 });
  expect(JSON.parse(stdout)).toEqual({
    created: ['queued', 'film', '8'],
    followed: ['completed', 100, 'film'],
    bytes: 64 * 1024,
    listed: true,
    foreign: 'not found',
    deleted: true,
    after: 'not found',
    withImage: 'queued',
  });
});
