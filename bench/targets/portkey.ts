/** Portkey's gateway from npm, told by headers to call the benchmark's upstream as if it were OpenAI. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { logTail, runCommand, startChild, stopChild, waitForAnswer } from '../child.ts';
import type { Place, Preparation, StartedTarget, Target } from '../target.ts';

const BENCH = join(import.meta.dirname, '..');
const PACKAGE = join(BENCH, 'node_modules', '@portkey-ai', 'gateway');

export const portkey: Target = {
  name: 'portkey',
  has: 'routing by headers; no key of its own, limit or book',
  keepsBooks: false,

  async prepare(): Promise<Preparation> {
    try {
      // The lockfile pins @hono/node-server to 1.13.8: with later ones this version fails on streams.
      const parameters = ['ci', '--ignore-scripts', '--no-audit', '--no-fund'];
      if (!existsSync(PACKAGE)) await runCommand('npm', parameters, { cwd: BENCH });
      const description = readFileSync(join(PACKAGE, 'package.json'), 'utf8');
      return { kind: 'ready', version: /"version": "([^"]+)"/.exec(description)?.[1] ?? 'unknown' };
    } catch (error) {
      return { kind: 'left-out', reason: `npm ci in bench/ failed: ${String(error)}` };
    }
  },

  async start(place: Place): Promise<StartedTarget> {
    const entry = join(PACKAGE, 'build', 'start-server.js');
    const child = startChild(process.execPath, [entry, `--port=${place.port}`, '--headless'], {
      ...place,
      environment: { NODE_ENV: 'production', TRUSTED_CUSTOM_HOSTS: '127.0.0.1' },
    });
    await waitForAnswer(child, `http://127.0.0.1:${place.port}/`, (status) => status === 200);
    return {
      port: place.port,
      path: '/v1/chat/completions',
      headers: {
        authorization: 'Bearer bench',
        'x-portkey-provider': 'openai',
        'x-portkey-custom-host': `http://127.0.0.1:${place.upstreamPort}/v1`,
      },
      rootPids: () => [child.pid],
      databaseOf: () => undefined,
      lastWords: () => logTail(child),
      stop: () => stopChild(child.process),
    };
  },
};
