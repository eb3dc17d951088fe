import { afterAll, beforeAll, expect, test } from 'vitest';
import { ACTOR, auditContext } from '../../../test/support/audit.ts';
import { accountWith } from '../../../test/support/calls.ts';
import { type FreshDatabase, freshDatabase } from '../../../test/support/postgres.ts';
import { systemRandom } from '../../kernel/random.ts';
import { systemClock } from '../../kernel/time/clock.ts';
import { createKey } from '../accounts/api-keys.ts';
import { createSessionStore, insertSession } from '../accounts/sessions.ts';
import { type AuditContext, listAudit } from './audit.ts';
import { changeKeyAudited, resetPasswordAudited } from './operator-access.ts';

let fresh: FreshDatabase;
let audit: AuditContext;

beforeAll(async () => {
  fresh = await freshDatabase();
  audit = auditContext(fresh.database);
});
afterAll(() => fresh.drop());

const recorded = async (entity: string, key: number) => {
  const filter = { actorAccountId: undefined, entity, entityKey: String(key), action: undefined };
  const query = { ...filter, accountId: undefined };
  const { items } = await listAudit(fresh.database, { ...query, offset: 0, limit: 10 });
  return items.map(({ before, after }) => ({ before, after }));
};

test('a changed key is recorded before and after, and a refused change not at all', async () => {
  const accountId = await accountWith(fresh.database, {});
  const other = await accountWith(fresh.database, {});
  const wanted = { accountId, name: 'k', policyId: undefined, expiresAtMs: undefined } as const;
  const made = await createKey(fresh.database, { ...wanted, status: 'enabled' }, systemRandom);
  if (made.kind !== 'created') throw new Error(made.kind);
  const keyId = made.key.id;
  const change = (owner: number, patch: Parameters<typeof changeKeyAudited>[2]) =>
    changeKeyAudited(audit, { accountId: owner, keyId }, patch, ACTOR);
  expect(await change(other, { status: 'disabled' })).toEqual({ kind: 'not-found' });
  expect(await change(accountId, { policyId: 99 })).toEqual({ kind: 'unknown-policy' });
  expect(await recorded('api_keys', keyId)).toEqual([]);
  expect(await change(accountId, { status: 'disabled' })).toMatchObject({ key: { status: 'disabled' } });
  expect(await recorded('api_keys', keyId)).toMatchObject([
    { before: { name: 'k', status: 'enabled' }, after: { name: 'k', status: 'disabled' } },
  ]);
});

test('another password ends every login, and the audit log has no hash', async () => {
  const accountId = await accountWith(fresh.database, {});
  const nowMs = systemClock.now();
  await insertSession(fresh.database, {
    ...{
      id: 'one',
      accountId,
      kind: 'cookie',
      secretHash: 'hash',
      address: '',
      addressMark: '',
      userAgent: '',
    },
    ...{ createdAtMs: nowMs, expiresAtMs: nowMs + 86_400_000 },
  });
  const reset = await resetPasswordAudited(audit, accountId, 'CANARY hash', ACTOR);
  expect(reset).toEqual({ kind: 'reset', sessions: 1 });
  expect(await createSessionStore(fresh.database).listSessions(accountId, nowMs)).toEqual([]);
  expect(await recorded('accounts', accountId)).toEqual([
    { before: { sessions: 1 }, after: { password_replaced: true, sessions: 0 } },
  ]);
  expect(await resetPasswordAudited(audit, 999_999, 'hash', ACTOR)).toEqual({ kind: 'not-found' });
});
