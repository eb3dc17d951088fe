/** one-api with its SQLite database: token, quota and log of each call. */
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { logTail, stopChild } from '../child.ts';
import { MODEL_NAMES } from '../scenario.ts';
import type { Place, StartedTarget, Target } from '../target.ts';
import { type Built, prepareBuilt, startBuilt } from './built.ts';
import { countRows } from './sqlite.ts';

const BUILT: Built = { variable: 'BENCH_ONE_API', program: 'one-api', versionFlags: ['--version'] };
const ACCESS_TOKEN = 'benchbenchbenchbenchbenchbench00';
const TOKEN = 'benchbenchbenchbenchbenchbenchbenchbenchbench000';
/** Other types are top-ups and changes by people. */
const LOGS_OF_CALLS = 'type = 2';

async function addChannel(place: Place): Promise<void> {
  const channel = {
    type: 1,
    name: 'bench',
    key: 'sk-upstream',
    base_url: `http://127.0.0.1:${place.upstreamPort}`,
    models: MODEL_NAMES.join(','),
    group: 'default',
  };
  const response = await fetch(`http://127.0.0.1:${place.port}/api/channel/`, {
    method: 'POST',
    headers: { authorization: ACCESS_TOKEN, 'content-type': 'application/json' },
    body: JSON.stringify(channel),
    signal: AbortSignal.timeout(10_000),
  });
  const text = await response.text();
  if (!text.includes('"success":true')) throw new Error(`one-api took no channel: ${text}`);
}

export const oneApi: Target = {
  name: 'one-api',
  has: 'token, quota and log of each call, in SQLite; memory cache on, batched updates off',
  keepsBooks: true,
  prepare: () => prepareBuilt(BUILT),

  async start(place: Place): Promise<StartedTarget> {
    const file = join(place.folder, 'one-api.db');
    const child = await startBuilt(BUILT, place, {
      parameters: ['--port', String(place.port), '--log-dir', place.folder],
      environment: {
        SQLITE_PATH: file,
        SQLITE_BUSY_TIMEOUT: '5000',
        INITIAL_ROOT_TOKEN: TOKEN,
        INITIAL_ROOT_ACCESS_TOKEN: ACCESS_TOKEN,
        MEMORY_CACHE_ENABLED: 'true',
        SYNC_FREQUENCY: '2',
        GIN_MODE: 'release',
        GLOBAL_API_RATE_LIMIT: '1000000',
      },
      readyPath: '/api/status',
    });
    const stop = (): Promise<void> => stopChild(child.process);
    try {
      await addChannel(place);
      // Its cache learns of the channel at the next turn.
      await delay(5_000);
    } catch (error) {
      await stop();
      throw error;
    }
    return {
      port: place.port,
      path: '/v1/chat/completions',
      headers: { authorization: `Bearer sk-${TOKEN}` },
      rootPids: () => [child.pid],
      databaseOf: () => undefined,
      settledCalls: async () => countRows(file, 'logs', LOGS_OF_CALLS),
      lastWords: () => logTail(child),
      stop,
    };
  },
};
