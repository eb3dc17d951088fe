/** Tollgate with everything on: keys, limits, holds, journal, charges, logs, and its own database. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Preparation, StartedTarget, Target } from '../target.ts';

const ENTRY = join(import.meta.dirname, '..', '..', 'src', 'main.ts');

export const tollgate: Target = {
  name: 'tollgate',

  async prepare(): Promise<Preparation> {
    if (!existsSync(ENTRY)) return { kind: 'left-out', reason: 'src/main.ts does not exist' };
    return { kind: 'ready', version: 'this tree' };
  },

  async start(): Promise<StartedTarget> {
    throw new Error('not yet');
  },
};
