import { afterAll, beforeAll, expect, test } from 'vitest';
import { examine } from '../../../src/store/operations/doctor.ts';
import { startWorld, type World } from '../../support/world.ts';
import { accountIdOf, type Operator, operatorOf } from './operator.ts';

let world: World;
let operator: Operator;
let accountId: number;

beforeAll(async () => {
  world = await startWorld();
  operator = await operatorOf(world);
  accountId = await accountIdOf(operator, 'user@example.com');
  // Somebody wrote 200 for 100, and for a while every call cost twice as much.
  await operator.write('PUT', '/settings', { system_rate: '200' });
  for (const model of ['gpt-5', 'gpt-5', 'gpt-5', 'claude-sonnet-5']) await callWith(model);
  await world.settled();
});
afterAll(() => world?.close());

async function callWith(model: string): Promise<string> {
  const messages = [{ role: 'user', content: 'Tell me something long and interesting. '.repeat(50) }];
  const answer = await world.post('/v1/chat/completions', { model, messages });
  expect(answer.status).toBe(200);
  return answer.headers.get('x-request-id') ?? '';
}

interface Answer {
  readonly read_calls: number;
  readonly dry_run: boolean;
  readonly truncated: boolean;
  readonly total: {
    readonly calls: number;
    readonly refunded: string;
    readonly extra: string;
    readonly left: string;
  };
  readonly accounts: readonly {
    readonly account_id: number;
    readonly email: string;
    readonly refunded: string;
  }[];
}

const FROM = `${new Date(Date.now() - 86_400_000).getUTCFullYear()}-01-01 00:00:00`;
const reprice = (more: object = {}) =>
  operator.write<Answer>('POST', '/catalog/reprice', {
    model_id: 'gpt-5',
    from: FROM,
    reason: 'wrong rate',
    ...more,
  });

async function money(): Promise<{ credits: bigint; taken: bigint }> {
  const [row] = await world.database.query<{ credits: bigint; taken: bigint }>(
    `select credits_micro as credits, (select sum(s.credits_micro) from consumptions s join calls c using (created_at, call_id)
       where s.account_id = $1 and c.model_used = 'gpt-5')::bigint as taken from accounts where id = $1`,
    [accountId],
  );
  if (row === undefined) throw new Error('the account is there');
  return row;
}

const NOTHING = { calls: 0, refunded: '0', extra: '0', left: '0' };

test('with the price that was applied nothing is wrong', async () => {
  expect(await reprice()).toMatchObject({ read_calls: 3, total: NOTHING, accounts: [] });
});

test('a dry run tells what each account would get back, and changes nothing', async () => {
  await operator.write('PUT', '/settings', { system_rate: '100' });
  const before = await money();
  const told = await reprice({ dry_run: true });
  expect(told).toMatchObject({ dry_run: true, truncated: false, total: { calls: 3, extra: '0', left: '0' } });
  expect(told.accounts).toMatchObject([{ account_id: accountId, email: 'user@example.com' }]);
  expect(await money()).toEqual(before);
  const done = await reprice();
  expect(done).toMatchObject({ dry_run: false, total: told.total });
  const after = await money();
  // Twice the price: half of what was taken comes back, to the last millionth or so for what was cut.
  const backMicro = after.credits - before.credits;
  expect(Number(backMicro) / Number(before.taken)).toBeCloseTo(0.5, 3);
  expect(BigInt(Math.round(Number(done.total.refunded) * 1_000_000))).toBe(backMicro);
});

test('a second run corrects nothing, other models are untouched, and the ledger is correct', async () => {
  const before = await money();
  expect((await reprice()).total).toEqual(NOTHING);
  expect(await money()).toEqual(before);
  expect(await examine(world.database)).toEqual([]);
  const [call] = await world.database.query<{ call_id: string }>(
    "select call_id from calls where model_used = 'gpt-5' limit 1",
  );
  const { receipt } = await operator.get<{ receipt: { entries: { kind: string; change: string }[] } }>(
    `/calls/${call?.call_id}`,
  );
  expect(receipt.entries.map(({ kind }) => kind)).toEqual(['consumption', 'adjustment']);
});

test('money that came back can be spent at once', async () => {
  const before = await money();
  await callWith('gpt-5');
  await world.settled();
  expect((await money()).credits).toBeLessThan(before.credits);
  expect(await examine(world.database)).toEqual([]);
});

test('what calls should have cost more is told, and taken only when asked', async () => {
  await operator.write('PUT', '/settings', { system_rate: '120' });
  const before = await money();
  const told = await reprice();
  expect(told.total).toMatchObject({ calls: 0, refunded: '0', extra: '0' });
  expect(Number(told.total.left)).toBeGreaterThan(0);
  expect(await money()).toEqual(before);
  const taken = await reprice({ extra: 'take' });
  expect(taken.total).toMatchObject({ calls: 4, refunded: '0', extra: told.total.left, left: '0' });
  expect((await reprice({ extra: 'take' })).total).toEqual(NOTHING);
  expect((await money()).credits).toBeLessThan(before.credits);
  expect(await examine(world.database)).toEqual([]);
});

test('a wrong period is refused', async () => {
  const wrong = await operator.ask('POST', '/catalog/reprice', { model_id: 'gpt-5', from: 'x', reason: 'r' });
  expect(wrong.body.code).toBe(1001);
});
