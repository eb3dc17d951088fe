import { afterAll, beforeAll, expect, it } from 'vitest';
import { accountIdOf, type Operator, operatorOf } from '../platform/admin/operator.ts';
import { startWorld, type World } from '../support/world.ts';

const TWO_A_MINUTE = 3;
const EMAIL = 'user@example.com';
const BODY = { model: 'gpt-5', messages: [{ role: 'user', content: '[[sim tokens=2]]' }] };

let world: World;
let operator: Operator;
let account: string;
beforeAll(async () => {
  world = await startWorld();
  operator = await operatorOf(world);
  account = `/accounts/${await accountIdOf(operator, EMAIL)}`;
});
afterAll(() => world?.close());

async function call(key: string): Promise<string> {
  const response = await world.post('/v1/chat/completions', BODY, world.headers(key));
  await response.text();
  const limit = response.headers.get('x-tollgate-limit');
  return limit === null ? String(response.status) : `${response.status} ${limit.split('; ').at(-1)}`;
}

it('an account’s own policy is in force at once, for all its keys', async () => {
  const keys = [await world.newKey(EMAIL), await world.newKey(EMAIL), await world.newKey(EMAIL)];
  expect(await Promise.all(keys.map(call))).toEqual(['200', '200', '200']);
  const changed = await operator.write('PUT', account, { policy_id: TWO_A_MINUTE });
  expect(changed).toMatchObject({ policy_id: TWO_A_MINUTE });
  expect(await operator.lastRecord()).toMatchObject({
    before: { policy_id: null },
    after: { policy_id: TWO_A_MINUTE },
  });
  const after = [];
  for (const key of keys) after.push(await call(key));
  expect(after).toContain('429 scope=account');
  await operator.write('PUT', account, { policy_id: null });
  expect(await call(keys[0] ?? '')).toBe('200');
});

it('a key’s policy does not lift those of its account', async () => {
  await operator.write('PUT', account, { policy_id: TWO_A_MINUTE });
  // A thousand times as much, and nothing of it reaches beyond the account.
  const wide = await world.newKey(EMAIL, { policyId: 1 });
  const answers = [];
  for (let calls = 0; calls < 3; calls++) answers.push(await call(wide));
  expect(answers).toContain('429 scope=account');
  await operator.write('PUT', account, { policy_id: null });
});

it('a key’s policy tightens, and counts for that key alone', async () => {
  const [one, other] = [
    await world.newKey(EMAIL, { policyId: TWO_A_MINUTE }),
    await world.newKey(EMAIL, { policyId: TWO_A_MINUTE }),
  ];
  expect([await call(one), await call(one), await call(one)]).toEqual(['200', '200', '429 scope=key']);
  expect(await call(other)).toBe('200');
});

it('an unknown policy is refused, and one in use is not removed', async () => {
  const refused = await operator.ask('PUT', account, { policy_id: 999 });
  expect(refused.body).toMatchObject({ code: 1001, message: expect.stringContaining('policy_id') });
  await operator.write('PUT', account, { policy_id: TWO_A_MINUTE });
  const removed = await operator.ask('DELETE', `/policies/${TWO_A_MINUTE}`);
  expect(removed.body.code).not.toBe(0);
  await operator.write('PUT', account, { policy_id: null });
});
