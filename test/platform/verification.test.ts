import { afterAll, beforeAll, expect, test } from 'vitest';
import { MemberWorld } from './members.ts';

let world: MemberWorld;
beforeAll(async () => {
  world = await MemberWorld.start();
});
afterAll(() => world.close());

const PERSON = { kind: 'personal', name: 'Ada Lovelace', document_number: 'X1234567' };

test('an account submits its verification once and sees its state, and only the end of the document number', async () => {
  const member = await world.member();
  expect((await member.ask('GET', '/verification')).body.data).toEqual({ verification: null });
  const { body } = await member.ask('POST', '/verification', { ...PERSON, contact: 'ada@example.com' });
  expect(body.data).toMatchObject({
    kind: 'personal',
    name: 'Ada Lovelace',
    document_number: '…4567',
    contact: 'ada@example.com',
    status: 'pending',
    reason: null,
    decided_at: null,
  });
  expect((await member.ask('GET', '/verification')).body.data).toEqual({ verification: body.data });
  const again = await member.ask('POST', '/verification', PERSON);
  expect([again.status, again.body.code]).toEqual([409, 1005]);
  expect((await (await world.member()).ask('GET', '/verification')).body.data.verification).toBeNull();
});

test('one of many simultaneous submissions is accepted', async () => {
  const member = await world.member();
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => member.ask('POST', '/verification', PERSON)),
  );
  expect(answers.filter(({ body }) => body.code === 0)).toHaveLength(1);
  const rows = await world.world.database.query('select 1 from verifications where account_id = $1', [
    member.id,
  ]);
  expect(rows).toHaveLength(1);
});

test('a refused verification shows its reason and can be submitted again', async () => {
  const member = await world.member();
  await member.ask('POST', '/verification', PERSON);
  await world.world.database.query(
    `update verifications set status = 'refused', reason = 'unreadable', decided_at = now() where account_id = $1`,
    [member.id],
  );
  expect((await member.ask('GET', '/verification')).body.data.verification).toMatchObject({
    status: 'refused',
    reason: 'unreadable',
  });
  const again = await member.ask('POST', '/verification', { ...PERSON, kind: 'enterprise' });
  expect(again.body.data).toMatchObject({ kind: 'enterprise', status: 'pending' });
});

test('an account that has the level cannot submit it again; the next level is open', async () => {
  const member = await world.member({ patch: { userType: 1 } });
  expect((await member.ask('POST', '/verification', PERSON)).body.code).toBe(1005);
  expect((await member.ask('POST', '/verification', { ...PERSON, kind: 'enterprise' })).body.code).toBe(0);
});

test.each([
  {},
  { ...PERSON, kind: 'admin' },
  { ...PERSON, name: '' },
  { ...PERSON, name: 'x'.repeat(101) },
  { ...PERSON, document_number: '12' },
  { ...PERSON, document_number: "1'; drop table accounts" },
  { ...PERSON, status: undefined, document_number: ['X1234567'] },
])('an invalid verification is refused: %j', async (body) => {
  const member = await world.member();
  const answer = await member.ask('POST', '/verification', body);
  expect([answer.status, answer.body.code]).toEqual([400, 1001]);
});

test('operators cannot approve their own verification', async () => {
  const member = await world.member();
  for (const more of [{ status: 'approved' }, { user_type: 2 }, { granted_micro: 5 }, { account_id: 1 }]) {
    const answer = await member.ask('POST', '/verification', { ...PERSON, ...more });
    expect([answer.status, answer.body.code]).toEqual([400, 1001]);
  }
  expect((await member.ask('POST', '/verification', PERSON)).body.data.status).toBe('pending');
  expect((await member.ask('GET', '/profile')).body.data.user_type).toBe(0);
});
