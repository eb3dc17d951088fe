import { afterAll, beforeAll, describe } from 'vitest';
import { needs, REDIS } from '../../needs.ts';
import { ARENAS, type Arena } from '../arena.ts';
import { limitRaces, retryAfter } from './limits.ts';
import { switches } from './switches.ts';

/** Limits and switches in one arena; each arena is a test file of its own. */
export function limitProofs(kind: keyof typeof ARENAS): void {
  describe(`limits, ${kind}`, kind === 'memory' ? {} : needs(REDIS), () => {
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
