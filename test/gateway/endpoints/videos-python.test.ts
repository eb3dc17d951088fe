import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { PYTHON } from '../../agents/snippets.ts';
import type { World } from '../../support/world.ts';
import { startVideosWorld } from './videos-world.ts';

const run = promisify(execFile);

/** A Python that has the SDK: that of `npm run agents`, or that of the machine. */
async function findPython(): Promise<string | undefined> {
  for (const candidate of [join(PYTHON, 'bin', 'python3'), 'python3']) {
    try {
      await run(candidate, ['-c', 'import openai; openai.OpenAI.videos'], { timeout: 60_000 });
      return candidate;
    } catch {
      // The next one may have it.
    }
  }
  return undefined;
}

const python = await findPython();
let world: World;
beforeAll(async () => {
  world = await startVideosWorld();
});
afterAll(() => world.close());

it.skipIf(python === undefined)(
  'videos work with the SDK of OpenAI for Python',
  async () => {
    const script = join(import.meta.dirname, 'videos.py');
    const words = [script, `${world.url}/v1`, world.key, await world.newKey('other@example.com')];
    const { stdout } = await run(python ?? '', words, { timeout: 60_000 });
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
  },
  90_000,
);
