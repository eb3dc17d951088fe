import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FreshDatabase, freshDatabase } from '../../../test/support/postgres.ts';
import { keepFeedback } from './feedback.ts';

let fresh: FreshDatabase;
const WAIT_MS = 60_000;

beforeAll(async () => {
  fresh = await freshDatabase();
});
afterAll(() => fresh.drop());

const send = (sender: string, content = 'hello') =>
  keepFeedback(fresh.database, { accountId: undefined, content, contact: undefined, sender }, WAIT_MS);

const kept = async (): Promise<number> => (await fresh.database.query('select 1 from feedback')).length;

test('exactly one of many simultaneous messages of one sender is kept', async () => {
  const results = await Promise.all(Array.from({ length: 30 }, () => send('192.0.2.1')));
  expect(results.filter(({ kind }) => kind === 'kept')).toHaveLength(1);
  expect(await kept()).toBe(1);
  for (const result of results) {
    if (result.kind === 'kept') continue;
    expect(result.waitMs).toBeGreaterThan(WAIT_MS - 30_000);
    expect(result.waitMs).toBeLessThanOrEqual(WAIT_MS);
  }
});

test('senders do not wait for each other', async () => {
  expect(await send('192.0.2.2')).toEqual({ kind: 'kept' });
  expect(await send('192.0.2.3')).toEqual({ kind: 'kept' });
});

test('the sender may send again after the wait, and old senders are forgotten', async () => {
  await send('192.0.2.4');
  await fresh.database.query(
    "update feedback_senders set sent_at = now() - interval '61 seconds' where address = $1",
    ['192.0.2.4'],
  );
  await fresh.database.query(
    "update feedback_senders set sent_at = now() - interval '2 hours' where address = $1",
    ['192.0.2.1'],
  );
  expect(await send('192.0.2.4')).toEqual({ kind: 'kept' });
  expect(await send('192.0.2.4')).toMatchObject({ kind: 'too-early' });
  const left = await fresh.database.query<{ address: string }>('select address from feedback_senders');
  expect(left.map(({ address }) => address)).not.toContain('192.0.2.1');
  // Whoever was away for long is a sender like any other.
  await fresh.database.query("update feedback_senders set sent_at = now() - interval '2 hours'");
  expect(await send('192.0.2.4')).toEqual({ kind: 'kept' });
});
