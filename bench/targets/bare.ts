/** The bare proxy, what every figure is compared with. */
import { join } from 'node:path';
import { logTail, startChild, stopChild, waitForAnswer } from '../child.ts';
import type { Place, Preparation, StartedTarget, Target } from '../target.ts';

export const bare: Target = {
  name: 'bare',
  has: 'bytes passed on with back-pressure; no key, limit or book',
  keepsBooks: false,

  async prepare(): Promise<Preparation> {
    return { kind: 'ready', version: `Node ${process.version}, undici` };
  },

  async start(place: Place): Promise<StartedTarget> {
    const entry = join(import.meta.dirname, '../bare-proxy.ts');
    const parameters = [...(place.nodeFlags ?? []), entry, String(place.port), String(place.upstreamPort)];
    const child = startChild(process.execPath, parameters, place);
    await waitForAnswer(child, `http://127.0.0.1:${place.port}/`, (status) => status === 200);
    return {
      port: place.port,
      path: '/v1/chat/completions',
      pairsBelow: '/pairs',
      headers: { authorization: 'Bearer bench' },
      rootPids: () => [child.pid],
      databaseOf: () => undefined,
      lastWords: () => logTail(child),
      stop: () => stopChild(child.process),
    };
  },
};
