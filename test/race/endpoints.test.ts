import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { examine } from '../../src/store/operations/doctor.ts';
import { type Answered, askCall, codeOf } from '../support/endpoints/ask.ts';
import { missingOf } from '../support/endpoints/coverage.ts';
import { ENDPOINT_CALLS, type EndpointCall, type Form, worthMicro } from '../support/endpoints/table.ts';
import { startEndpointWorld } from '../support/endpoints/world.ts';
import type { World } from '../support/world.ts';
import { PATIENCE_MS, ROUNDS } from './sizes.ts';
import { ledgerSums, MICRO, openWallet, paidBy, parallel, type Wallet } from './wallet.ts';

let world: World;
const proved = new Set<string>();
const sum = { calls: 0, served: 0 };

beforeAll(async () => {
  world = await startEndpointWorld();
});
afterAll(() => world?.close());

const AT_ONCE = 10;
const WAVES_MAX = 60;
/** The wallet pays for so many holds, and half a Credit. */
const HOLDS = 3n;
/** Of a wallet with nothing in it the account is told before the gate is asked. */
const REFUSED = [40201, 40202];

interface Contest {
  readonly call: EndpointCall;
  readonly form: Form;
  readonly words: string;
}

function ask({ call, form, words }: Contest, { key }: Wallet): Promise<Answered> {
  return askCall({ url: world.url, key }, call, words, form);
}

/** What one such call holds, as its row says. */
async function holdOf(contest: Contest): Promise<bigint> {
  const rich = await openWallet(world, { credits: 1_000_000 });
  expect((await ask(contest, rich)).status).toBe(200);
  await world.settled();
  const [row] = await world.database.query<{ held: bigint }>(
    'select held_micro as held from calls where account_id = $1',
    [rich.accountId],
  );
  return row?.held ?? 0n;
}

/** Waves of calls at once, until the wallet lets nothing in. */
async function spend(contest: Contest, wallet: Wallet): Promise<number> {
  let served = 0;
  for (let wave = 0, empty = 0; empty < 2; wave++) {
    expect(wave, 'the wallet is empty at some time').toBeLessThan(WAVES_MAX);
    const answers = await parallel(AT_ONCE, () => ask(contest, wallet));
    const passed = answers.filter(({ status }) => status === 200).length;
    for (const one of answers) if (one.status !== 200) expect(REFUSED, one.text).toContain(codeOf(one));
    if (wave === 0) expect(passed).toBeGreaterThanOrEqual(Number(HOLDS));
    await world.settled();
    served += passed;
    sum.calls += AT_ONCE;
    empty = passed === 0 ? empty + 1 : 0;
  }
  return served;
}

async function race(call: EndpointCall, form: Form, round: number): Promise<void> {
  const tag = `race-${form}-${round}-${call.model}`;
  const contest = { call, form, words: `tag=${tag} tokens=20 delay=150` };
  const heldMicro = await holdOf(contest);
  const opening = Number(HOLDS * heldMicro) / Number(MICRO) + 0.5;
  const wallet = await openWallet(world, { credits: opening });
  const before = await wallet.funds();
  const heard = world.simulator.truth.list(tag).length;
  const served = await spend(contest, wallet);
  sum.served += served;
  const made = world.simulator.truth.list(tag).slice(heard);
  // Nobody was served whom the vendor did not serve, and whoever was refused it never heard of.
  expect(made.length).toBe(served);
  const worth = made.reduce((all, one) => all + worthMicro(call, call.used(one)), 0n);
  const [paid, ...others] = await paidBy(world, wallet.accountId);
  expect(others).toEqual([]);
  expect(paid).toMatchObject({ payer: 'credits', calls: BigInt(served), shortfall: 0n });
  expect(paid?.taken).toBe(paid?.charge);
  // A stream is stopped where its money ends: it may have been made longer than it is paid for.
  if (form === 'plain') expect(paid?.amount).toBe(worth);
  else expect(paid?.amount).toBeLessThanOrEqual(worth);
  const funds = await wallet.funds();
  expect(funds.credits).toBe(before.credits - (paid?.taken ?? 0n));
  expect(funds.credits).toBeGreaterThanOrEqual(0n);
  expect(await ledgerSums(world, wallet.accountId)).toMatchObject({ credits: funds.credits });
}

describe.each(ENDPOINT_CALLS.map((call) => [call.name, call] as const))('%s', (name, call) => {
  test.each(call.forms)(
    'calls at once at the edge of the money never cost more than there is: %s',
    async (form) => {
      for (let round = 0; round < ROUNDS; round++) await race(call, form, round);
      proved.add(name);
    },
    PATIENCE_MS * 2,
  );
});

test('every endpoint and every cloud was raced for, and the books are sound', async () => {
  expect(missingOf(proved)).toEqual([]);
  expect(await examine(world.database)).toEqual([]);
  const size = `${ENDPOINT_CALLS.length} endpoints and clouds x ${ROUNDS}`;
  console.log(
    `proof | races of every endpoint | ${size} | ${sum.calls} calls, ${sum.served} served, 0 short`,
  );
});
