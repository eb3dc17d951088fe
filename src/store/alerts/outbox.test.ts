import { afterEach, beforeEach, expect, test } from 'vitest';
import { alertSealer, channelOf, deliverer, SENT } from '../../../test/support/alerts.ts';
import { newMember } from '../../../test/support/logins.ts';
import { type FreshDatabase, freshDatabase } from '../../../test/support/postgres.ts';
import { DELIVERY_ATTEMPTS_MAX } from '../../alerts/bounds.ts';
import type { Sent } from '../../alerts/contract.ts';
import { silentLogger } from '../../kernel/log.ts';
import { systemClock } from '../../kernel/time/clock.ts';
import { resendAudited } from '../operations/operator-alerts.ts';
import { queueTest } from './channels.ts';
import { createOutbox, followOutbox, listDeliveries, pruneOutbox } from './outbox.ts';

let fresh: FreshDatabase;
let channelId: number;
beforeEach(async () => {
  fresh = await freshDatabase();
  channelId = await channelOf(fresh.database, undefined);
});
afterEach(() => fresh.drop());

const ALL = { accountId: undefined, status: undefined, offset: 0, limit: 100 };
const shown = async () => (await listDeliveries(fresh.database, ALL)).items;
/** All waits are over. */
const later = () => fresh.database.query('update alert_outbox set next_at = now()');

test('a message is sent once, however many nodes look', async () => {
  for (let count = 0; count < 5; count++) await queueTest(fresh.database, undefined, channelId);
  const nodes = [1, 2, 3].map(() => deliverer(fresh.database, () => SENT));
  await Promise.all(nodes.map((node) => node.run()));
  const ids = nodes.flatMap(({ sent }) => sent.map(({ id }) => id));
  expect(ids).toHaveLength(5);
  expect(new Set(ids).size).toBe(5);
  await later();
  await Promise.all(nodes.map((node) => node.run()));
  expect(nodes.flatMap(({ sent }) => sent)).toHaveLength(5);
  expect((await shown()).map(({ status }) => status)).toEqual(Array(5).fill('sent'));
});

test('a node that dies between sending and marking makes another send it again with the same id', async () => {
  await queueTest(fresh.database, undefined, channelId);
  const [taken] = await createOutbox(fresh.database, alertSealer).take(8);
  expect(taken).toMatchObject({
    attempts: 1,
    channel: 'webhook',
    webhookSecret: expect.stringMatching(/^whsec_/),
  });
  expect(await shown()).toMatchObject([{ status: 'waiting', nextAtMs: expect.any(Number) }]);
  const other = deliverer(fresh.database, () => SENT);
  await other.run();
  expect(other.sent, 'not before the time of the first is over').toEqual([]);
  await later();
  await other.run();
  expect(other.sent).toMatchObject([{ id: taken?.messageId }]);
  expect(await shown()).toMatchObject([{ status: 'sent', attempts: 2, nextAtMs: undefined }]);
});

test('a failing receiver is tried again a bounded number of times, and then kept for an operator', async () => {
  await queueTest(fresh.database, undefined, channelId);
  let answer: Sent = { kind: 'failed', reason: 'answered with 500', final: false };
  const node = deliverer(fresh.database, () => answer);
  for (let count = 1; count <= DELIVERY_ATTEMPTS_MAX; count++) {
    await node.run();
    expect(node.sent).toHaveLength(count);
    await node.run();
    expect(node.sent, 'it waits before it is tried again').toHaveLength(count);
    if (count < DELIVERY_ATTEMPTS_MAX) await later();
  }
  expect(await shown()).toMatchObject([{ status: 'dead', lastError: 'answered with 500' }]);
  await later();
  await node.run();
  expect(node.sent).toHaveLength(DELIVERY_ATTEMPTS_MAX);
  answer = SENT;
  const audit = { database: fresh.database, sealer: alertSealer, clock: systemClock, log: silentLogger };
  const actor = { accountId: undefined, address: 'terminal', action: 'test' };
  const id = (await shown())[0]?.id ?? 0;
  expect(await resendAudited(audit, id, actor)).toEqual({ kind: 'changed' });
  await node.run();
  expect(await shown()).toMatchObject([{ status: 'sent' }]);
  expect(new Set(node.sent.map((each) => each.id)).size).toBe(1);
  expect(await resendAudited(audit, id, actor), 'only what could not be sent').toEqual({ kind: 'not-found' });
});

test('a final refusal, a disabled channel and an old message are not tried again', async () => {
  const final = deliverer(fresh.database, () => ({
    kind: 'failed',
    reason: 'answered with 410',
    final: true,
  }));
  await queueTest(fresh.database, undefined, channelId);
  await final.run();
  await queueTest(fresh.database, undefined, channelId);
  await fresh.database.query(
    "update alert_outbox set created_at = now() - interval '4 days' where status = 'waiting'",
  );
  await final.run();
  await queueTest(fresh.database, undefined, channelId);
  await fresh.database.query("update alert_channels set status = 'disabled'");
  await final.run();
  expect(final.sent).toHaveLength(1);
  expect((await shown()).map(({ lastError }) => lastError)).toEqual([
    ...['the channel is disabled', 'the message is too old', 'answered with 410'],
  ]);
});

test('one slow receiver does not hold up the others, and a mail goes to the account', async () => {
  const accountId = await newMember(fresh.database, 'ada@example.com');
  await fresh.database.query(
    `insert into alert_outbox (message_id, account_id, kind, state, key, details)
     values ('msg_mail', $1, 'password-changed', 'mail', 'k', '{"at": "now", "address": "192.0.2.7"}')`,
    [accountId],
  );
  await queueTest(fresh.database, undefined, channelId);
  let release = (): void => undefined;
  const slow = new Promise<Sent>((resolve) => {
    release = () => resolve(SENT);
  });
  const node = deliverer(fresh.database, (what) => ('url' in what ? slow : SENT));
  const running = node.run();
  await expect.poll(async () => (await shown()).map(({ status }) => status)).toEqual(['waiting', 'sent']);
  release();
  await running;
  expect(node.sent.find((what) => 'to' in what)).toMatchObject({ to: 'ada@example.com', id: 'msg_mail' });
});

test('a written message wakes the nodes, and ended ones are forgotten in time', async () => {
  let woken = 0;
  const stop = await followOutbox(fresh.database, () => {
    woken += 1;
  });
  await queueTest(fresh.database, undefined, channelId);
  await expect.poll(() => woken).toBeGreaterThan(0);
  await stop();
  const node = deliverer(fresh.database, () => SENT);
  await node.run();
  await pruneOutbox(fresh.database);
  expect(await shown()).toHaveLength(1);
  await fresh.database.query("update alert_outbox set ended_at = now() - interval '8 days'");
  await pruneOutbox(fresh.database);
  expect(await shown()).toHaveLength(0);
});
