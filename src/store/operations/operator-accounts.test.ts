import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ACTOR, auditContext } from '../../../test/support/audit.ts';
import { accountWith } from '../../../test/support/calls.ts';
import { type FreshDatabase, freshDatabase } from '../../../test/support/postgres.ts';
import { decideVerification, listVerifications } from '../accounts/verification-decision.ts';
import { submitVerification } from '../accounts/verifications.ts';
import type { AuditContext } from './audit.ts';
import {
  changeAccountAudited,
  createAccountAudited,
  endSessionsAudited,
  findAccountDetail,
} from './operator-accounts.ts';
import { cancelAudited, grantAudited, moveAudited } from './operator-money.ts';

let fresh: FreshDatabase;
let audit: AuditContext;

beforeAll(async () => {
  fresh = await freshDatabase();
  audit = auditContext(fresh.database);
  await fresh.database.query(
    'update catalog_settings set grant_personal_micro = 7, grant_enterprise_micro = 11',
  );
});
afterAll(() => fresh.drop());

const FIELDS = { name: 'Ada', documentNumber: 'X1234567', contact: undefined };

async function submit(accountId: number, kind: 'personal' | 'enterprise'): Promise<number> {
  const done = await submitVerification(fresh.database, { accountId, kind }, FIELDS, audit.sealer);
  if (done.kind !== 'submitted') throw new Error(done.kind);
  return done.verification.id;
}

const readState = async (accountId: number) => {
  const [row] = await fresh.database.query(
    'select user_type, credits_micro, version from accounts where id = $1',
    [accountId],
  );
  return row as { user_type: number; credits_micro: bigint; version: bigint };
};
const lines = async () =>
  (await fresh.database.query<{ count: number }>('select count(*)::int as count from audit_log'))[0]?.count;

describe('an approval', () => {
  test('of each kind grants its own Credits once', async () => {
    const accountId = await accountWith(fresh.database, { creditsMicro: 100n });
    await fresh.database.query('update accounts set user_type = 0 where id = $1', [accountId]);
    for (const [kind, credits, level] of [
      ['personal', 107n, 1],
      ['enterprise', 118n, 2],
    ] as const) {
      await decideVerification(audit, await submit(accountId, kind), { kind: 'approve' }, ACTOR);
      expect(await readState(accountId)).toMatchObject({ user_type: level, credits_micro: credits });
    }
    await fresh.database.query('update accounts set user_type = 0 where id = $1', [accountId]);
    await decideVerification(audit, await submit(accountId, 'personal'), { kind: 'approve' }, ACTOR);
    expect(await readState(accountId)).toMatchObject({ user_type: 1, credits_micro: 118n });
  });

  test('of twenty simultaneous ones counts once, whatever the others decide', async () => {
    const accountId = await accountWith(fresh.database, { creditsMicro: 100n });
    await fresh.database.query('update accounts set user_type = 0 where id = $1', [accountId]);
    const id = await submit(accountId, 'personal');
    const decisions = Array.from({ length: 20 }, (_, turn) =>
      decideVerification(
        audit,
        id,
        turn % 2 === 0 ? { kind: 'approve' } : { kind: 'refuse', reason: 'no' },
        ACTOR,
      ),
    );
    const kinds = (await Promise.all(decisions)).map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === 'decided')).toHaveLength(1);
    expect(kinds.filter((kind) => kind === 'decided-before')).toHaveLength(19);
    const wanted = { status: undefined, accountId, offset: 0, limit: 10 };
    const { items } = await listVerifications(fresh.database, wanted, audit.sealer);
    const { user_type: userType, credits_micro: credits } = await readState(accountId);
    const isApproved = items[0]?.status === 'approved';
    expect([userType, credits]).toEqual(isApproved ? [1, 107n] : [0, 100n]);
  });
});

describe('a refused write', () => {
  test('leaves the account, its version and the audit log unchanged', async () => {
    const accountId = await accountWith(fresh.database, { creditsMicro: 100n });
    const before = [await readState(accountId), await lines()];
    const move = { kind: 'adjustment', pool: 'credits', changeMicro: -101n, reason: 'r' } as const;
    expect(await moveAudited(audit, accountId, move, ACTOR)).toEqual({ kind: 'insufficient' });
    const tooMuch = { ...move, changeMicro: 10n ** 18n };
    expect(await moveAudited(audit, accountId, tooMuch, ACTOR)).toEqual({ kind: 'too-much' });
    expect(await changeAccountAudited(audit, accountId, { fallbackModel: 'none' }, ACTOR)).toEqual({
      kind: 'unknown-model',
    });
    expect(await cancelAudited(audit, { accountId, subscriptionId: 1 }, ACTOR)).toEqual({
      kind: 'not-found',
    });
    expect([await readState(accountId), await lines()]).toEqual(before);
  });

  test('of an unknown account is not found', async () => {
    const nobody = 999_999;
    const move = { kind: 'adjustment', pool: 'credits', changeMicro: 1n, reason: 'r' } as const;
    const grant = { accountId: nobody, planCode: 'none', days: 1, start: 'now' } as const;
    expect(await moveAudited(audit, nobody, move, ACTOR)).toEqual({ kind: 'not-found' });
    expect(await changeAccountAudited(audit, nobody, { status: 'disabled' }, ACTOR)).toEqual({
      kind: 'not-found',
    });
    expect(await endSessionsAudited(audit, nobody, ACTOR)).toEqual({ kind: 'not-found' });
    expect(await decideVerification(audit, nobody, { kind: 'approve' }, ACTOR)).toEqual({
      kind: 'not-found',
    });
    expect(await findAccountDetail(audit, nobody)).toBeUndefined();
    expect(await grantAudited(audit, grant, ACTOR)).toEqual({ kind: 'unknown-plan' });
  });
});

test('the audit log has the changed fields of an account, and nothing of a password', async () => {
  const wanted = {
    email: 'made@example.com',
    passwordHash: 'CANARY hash',
    role: 'user',
    userType: 0,
  } as const;
  const created = await createAccountAudited(audit, { ...wanted, balanceMicro: 0n, creditsMicro: 0n }, ACTOR);
  if (created.kind !== 'created') throw new Error(created.kind);
  await changeAccountAudited(
    audit,
    created.accountId,
    { status: 'disabled', userRateMicro: 50_000_000n },
    ACTOR,
  );
  const [row] = await fresh.database.query('select before, after from audit_log order by id desc limit 1');
  expect(row).toEqual({
    before: { status: 'enabled', user_rate: '100' },
    after: { status: 'disabled', user_rate: '50' },
  });
  const all = await fresh.database.query('select audit_log::text from audit_log');
  expect(JSON.stringify(all)).not.toContain('CANARY');
});
