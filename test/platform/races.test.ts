import { afterAll, beforeAll, expect, test } from 'vitest';
import { KEYS_PER_ACCOUNT_MAX } from '../../src/bounds.ts';
import { systemRandom } from '../../src/kernel/random.ts';
import { createKey } from '../../src/store/accounts/api-keys.ts';
import { newMember } from '../support/logins.ts';
import { codeOf, type Member, MemberWorld, newKey } from './members.ts';

let world: MemberWorld;
beforeAll(async () => {
  world = await MemberWorld.start();
});
afterAll(() => world.close());

const times = <Result>(count: number, work: (index: number) => Promise<Result>): Promise<Result[]> =>
  Promise.all(Array.from({ length: count }, (_each, index) => work(index)));

const codesOf = (answers: readonly { readonly body: { readonly code: number } }[]): number[] =>
  answers.map(({ body }) => body.code);

const counted = (codes: readonly number[], code: number): number =>
  codes.filter((each) => each === code).length;

async function operatorToken(): Promise<string> {
  const email = `operator-${systemRandom.bytes(4).toString('hex')}@example.com`;
  await newMember(world.world.database, email, 'operator');
  return world.world.login(email);
}

test('100 simultaneous exchanges of one balance take exactly what is there, beside calls that spend it', async () => {
  const member = await world.member({ yuan: 25n, credits: 1_000n, patch: { autoExchange: false } });
  const { api_key: key } = await newKey(member);
  const calls = times(20, () => world.call(key));
  const codes = codesOf(await times(100, () => member.ask('POST', '/points/exchange', { amount: '0.5' })));
  await calls;
  await world.world.settled();
  const done = counted(codes, 0);
  expect(done + counted(codes, 1007) + counted(codes, 1006)).toBe(100);
  expect(done).toBe(50 - (await left(member)));
  const [sums] = await world.world.database.query<Record<'balance' | 'credits' | 'stray', string>>(
    `select sum(change_micro) filter (where pool = 'balance')::text as balance,
       sum(change_micro) filter (where pool = 'credits')::text as credits,
       (select (balance_micro + credits_micro)::text from accounts where id = $1) as stray
     from ledger_entries where account_id = $1`,
    [member.id],
  );
  expect(BigInt(sums?.balance ?? -1) + BigInt(sums?.credits ?? -1)).toBe(BigInt(sums?.stray ?? -2));
});

/** Halves of a yuan. */
async function left(member: Member): Promise<number> {
  const { body } = await member.ask('GET', '/ext');
  return Number(body.data.balance) * 2;
}

test('100 simultaneous decisions of two operators on one verification count once, with one grant at most', async () => {
  const { api, database } = world.world;
  const tokens = [await operatorToken(), await operatorToken()];
  await api('PUT', '/api/v1/admin/settings', {
    token: tokens[0] ?? '',
    body: { verification_grants: { personal: '700', enterprise: '900' } },
  });
  const member = await world.member();
  const body = { kind: 'personal', name: 'Ada Lovelace', document_number: 'X1234567' };
  const { body: submitted } = await member.ask('POST', '/verification', body);
  const path = `/api/v1/admin/verifications/${submitted.data.id}/decision`;
  const answers = await times(100, (index) => {
    const decision = index % 3 === 0 ? { decision: 'refuse', reason: 'blurred' } : { decision: 'approve' };
    return api('POST', path, { token: tokens[index % 2] ?? '', body: decision });
  });
  const codes = codesOf(answers);
  expect(counted(codes, 0)).toBe(1);
  expect(codes.filter((code) => ![0, 1005, 1006].includes(code))).toEqual([]);
  const [row] = await database.query<Record<'status' | 'credits' | 'type' | 'grants' | 'audits', unknown>>(
    `select v.status, a.credits_micro::text as credits, a.user_type as type,
       (select count(*)::int from ledger_entries e where e.account_id = a.id and e.kind = 'grant') as grants,
       (select count(*)::int from audit_log l where l.action = 'verifications.decide'
          and l.entity_key = v.id::text) as audits
     from verifications v join accounts a on a.id = v.account_id where v.account_id = $1`,
    [member.id],
  );
  const approved = { status: 'approved', credits: '700000000', type: 1, grants: 1, audits: 1 };
  const refused = { status: 'refused', credits: '0', type: 0, grants: 0, audits: 1 };
  expect(row).toEqual(row?.status === 'approved' ? approved : refused);
});

test('a key that is deleted during 200 calls serves none after the answer', async () => {
  const member = await world.member({ credits: 100_000n });
  const key = await newKey(member);
  let acknowledged = false;
  const after: number[] = [];
  const before: number[] = [];
  const calling = times(20, async () => {
    for (let number = 0; number < 10; number++) {
      const isAfter = acknowledged;
      const response = await world.call(key.api_key, 'gpt', 'tokens=3');
      (isAfter ? after : before).push(response.status === 200 ? 200 : await codeOf(response));
    }
  });
  while (before.length < 30) await new Promise((resolve) => setTimeout(resolve, 1));
  const deletions = await times(5, () => member.ask('DELETE', `/api-key?ids=${key.id}`).then(acknowledge));
  await calling;
  expect(codesOf(deletions).sort()).toEqual([0, 1004, 1004, 1004, 1004]);
  expect(before).toContain(200);
  expect(new Set(after)).toEqual(new Set([40101]));
  expect(await codeOf(await world.call(key.api_key))).toBe(40101);

  function acknowledge<Answer>(answer: Answer): Answer {
    acknowledged = true;
    return answer;
  }
});

test('one refresh token used 30 times at once succeeds once, and the session ends', async () => {
  const { api, database } = world.world;
  const email = 'refreshed@example.com';
  await newMember(database, email);
  const { body } = await api('POST', '/api/v1/user/auth/login', {
    body: { email, password: 'a test password' },
  });
  const refresh = { refresh_token: body.data.refresh_token };
  const answers = await times(30, () => api('POST', '/api/v1/user/auth/refresh', { body: refresh }));
  expect(counted(codesOf(answers), 0)).toBe(1);
  expect(counted(codesOf(answers), 1002)).toBe(29);
  const winner = answers.find((answer) => answer.body.code === 0);
  for (const token of [body.data.access_token, winner?.body.data.access_token]) {
    expect((await api('GET', '/profile', { token })).body.code).toBe(1002);
  }
});

test('40 simultaneous new keys, three below the limit, create three', async () => {
  const member = await world.member();
  const { database } = world.world;
  const wanted = { accountId: member.id, name: 'one of many', policyId: undefined, expiresAtMs: undefined };
  for (let made = 0; made < KEYS_PER_ACCOUNT_MAX - 3; made++) {
    await createKey(database, { ...wanted, status: 'enabled' }, systemRandom);
  }
  const codes = codesOf(await times(40, () => member.ask('POST', '/api-key', { name: 'the last' })));
  expect([counted(codes, 0), counted(codes, 1005)]).toEqual([3, 37]);
  const { body } = await member.ask('GET', '/api-key/page?size=1');
  expect(body.total).toBe(KEYS_PER_ACCOUNT_MAX);
});

test('an account that is disabled during its own requests gets nothing after the answer', async () => {
  const member = await world.member({ credits: 1_000n });
  const key = await newKey(member);
  const token = await operatorToken();
  let acknowledged = false;
  const after: number[] = [];
  const asking = times(10, async () => {
    for (let number = 0; number < 15; number++) {
      const isAfter = acknowledged;
      const { body } = await member.ask('PUT', '/api-billing', { enabled: number % 2 === 0 });
      if (isAfter) after.push(body.code);
    }
  });
  const path = `/api/v1/admin/accounts/${member.id}`;
  const disabled = await world.world.api('PUT', path, { token, body: { status: 'disabled' } });
  acknowledged = true;
  const called = await codeOf(await world.call(key.api_key));
  await asking;
  after.push((await member.ask('GET', '/profile')).body.code);
  expect([disabled.body.code, called]).toEqual([0, 40101]);
  expect(new Set(after)).toEqual(new Set([1002]));
});
