import { expect, test } from 'vitest';
import { silentLogger } from '../../kernel/log.ts';
import { systemClock } from '../../kernel/time/clock.ts';
import type { LiveReader, OperationDeps } from '../context.ts';
import { Live } from './live.ts';

const READER: LiveReader = { accountId: 1, role: 'user', sessionId: 's', of: 'account' };

/** test/platform/live.test.ts follows calls through real nodes. */
test('a process that stops ends streams and begins none; without readers the store is not asked', async () => {
  let asked = 0;
  const query = async () => {
    asked += 1;
    return [];
  };
  const deps = { clock: systemClock, log: silentLogger, database: { query } };
  const live = new Live(deps as unknown as OperationDeps);
  expect(asked).toBe(0);
  const told: string[] = [];
  const sink = {
    send: ({ name }: { name: string }) => void told.push(name),
    end: () => void told.push('end'),
  };
  const leave = live.join(READER, undefined, sink);
  while (!told.includes('ready')) await new Promise((resolve) => setImmediate(resolve));
  live.close();
  leave();
  live.join(READER, undefined, sink);
  expect(told).toEqual(['ready', 'end', 'end']);
});
