import { afterAll, beforeAll, expect, test } from 'vitest';
import { ACTOR, auditContext } from '../../../test/support/audit.ts';
import { accountWith } from '../../../test/support/calls.ts';
import { type FreshDatabase, freshDatabase } from '../../../test/support/postgres.ts';
import { systemRandom } from '../../kernel/random.ts';
import type { AuditContext } from './audit.ts';
import { exchangeFunds, makeKey, revokeKeyAudited } from './operator-holdings.ts';

let fresh: FreshDatabase;
let audit: AuditContext;

beforeAll(async () => {
  fresh = await freshDatabase();
  audit = auditContext(fresh.database);
});
afterAll(() => fresh.drop());

interface Line {
  readonly before: Record<string, unknown> | null;
  readonly after: Record<string, unknown> | null;
}

const readAuditLines = (entity: string, key: number): Promise<Line[]> =>
  fresh.database.query<Line>(
    'select before, after from audit_log where entity = $1 and entity_key = $2 order by id',
    [entity, String(key)],
  );

test('each of ten simultaneous exchanges begins where another one ended', async () => {
  const accountId = await accountWith(fresh.database, { creditsMicro: 0n, balanceMicro: 10_000_000n });
  const wanted = { accountId, amountMicro: 1_000_000n, creditsPerYuan: 1000, ref: 'why' };
  await Promise.all(Array.from({ length: 10 }, () => exchangeFunds(audit, wanted, ACTOR)));
  const lines = await readAuditLines('funds', accountId);
  const balances = (side: keyof Line): unknown[] =>
    lines.map((line) => Number(line[side]?.balance)).sort((one, other) => one - other);
  expect(balances('before')).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  expect(balances('after')).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  expect(await exchangeFunds(audit, wanted, ACTOR)).toEqual({ kind: 'insufficient' });
  expect(await readAuditLines('funds', accountId)).toHaveLength(10);
});

test('a key that is revoked twice at once is recorded once, and a key of another account is not found', async () => {
  const accountId = await accountWith(fresh.database, {});
  const other = await accountWith(fresh.database, {});
  const wanted = {
    accountId,
    name: 'k',
    policyId: undefined,
    expiresAtMs: undefined,
    status: 'enabled',
  } as const;
  const made = await makeKey(audit, wanted, { random: systemRandom, actor: ACTOR });
  if (made.kind !== 'created') throw new Error(made.kind);
  const keyId = made.key.id;
  expect(await revokeKeyAudited(audit, { accountId: other, keyId }, ACTOR)).toEqual({ kind: 'not-found' });
  const revoke = () => revokeKeyAudited(audit, { accountId, keyId }, ACTOR);
  const done = await Promise.all([revoke(), revoke(), revoke()]);
  expect(done.map(({ kind }) => kind).sort()).toEqual(['not-found', 'not-found', 'revoked']);
  const lines = await readAuditLines('api_keys', keyId);
  expect(lines).toMatchObject([
    { before: null, after: { account_id: accountId, name: 'k', prefix: made.key.prefix } },
    { before: { name: 'k' }, after: null },
  ]);
  expect(JSON.stringify(lines)).not.toContain(made.text);
});
