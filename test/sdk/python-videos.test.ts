import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startVideosWorld } from '../gateway/endpoints/videos-world.ts';
import { needs } from '../needs.ts';
import type { World } from '../support/world.ts';
import { PYTHON, python } from './python/installation.ts';

/** A busy machine is no failure. */
const PATIENCE_MS = 280_000;
const run = promisify(execFile);

let world: World;
beforeAll(async () => {
  world = await startVideosWorld();
});
afterAll(() => world.close());

it('videos work with the SDK of OpenAI for Python', needs(PYTHON), async () => {
  const script = join(import.meta.dirname, 'python', 'videos.py');
  const words = [script, `${world.url}/v1`, world.key, await world.newKey('other@example.com')];
  const { stdout } = await run(python, words, { timeout: PATIENCE_MS });
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
