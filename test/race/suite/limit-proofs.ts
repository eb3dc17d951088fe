import { afterAll, beforeAll, describe } from 'vitest';
import { redisServer } from '../../prerequisites.ts';
import { ARENAS, type Arena } from '../arena.ts';
import { limitRaces, retryAfter } from './limits.ts';
import { switches } from './switches.ts';

/** Limits and switches in one arena; each arena is a test file of its own. */
export function limitProofs(kind: keyof typeof ARENAS): void {
  const absent = kind !== 'memory' && redisServer === undefined;
  const title = `limits, ${kind}${absent ? ' (skipped: redis-server is not installed)' : ''}`;
  describe.skipIf(absent)(title, () => {
    let arena: Arena;
    beforeAll(async () => {
      arena = await ARENAS[kind]();
    });
    afterAll(() => arena?.close());
    limitRaces(() => arena);
    retryAfter(() => arena);
    // One process on Redis hears of changes as one of memory does, and four of them show the rest.
    if (kind !== 'redis') switches(() => arena);
  });
}
