import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { examine } from '../../src/store/operations/doctor.ts';
import { type Answered, type Asking, beginCall } from '../support/endpoints/ask.ts';
import { missingOf } from '../support/endpoints/coverage.ts';
import {
  openPayers,
  type Payer,
  PROBED_MICRO,
  type Standing,
  standingsOf,
} from '../support/endpoints/payer.ts';
import { ENDPOINT_CALLS, type EndpointCall, type Form } from '../support/endpoints/table.ts';
import { startEndpointWorld } from '../support/endpoints/world.ts';
import { until } from '../support/processes.ts';
import type { World } from '../support/world.ts';
import { type Booked, placeOf, readBooks } from './books.ts';
import { ENDPOINT_ENDINGS, type EndpointEnding, type EndpointLeave, rangeOf } from './endpoint-endings.ts';
import { seeds } from './seeds.ts';
import { inTurns } from './world.ts';

/** One call: who asks for what, how it ends, and whose money it moves. */
interface Run {
  readonly call: EndpointCall;
  readonly form: Form;
  readonly ending: EndpointEnding;
  readonly tag: string;
}

const runsOf = (calls: readonly EndpointCall[]): readonly Run[] =>
  calls
    .flatMap((call) =>
      call.forms.flatMap((form) => ENDPOINT_ENDINGS[form].map((ending) => ({ call, form, ending }))),
    )
    .map((run, index) => ({ ...run, tag: `end-${index}` }));

const RUNS = runsOf(ENDPOINT_CALLS);
/** A part of what the matrix of dialects is run for: here every round costs the same. */
const ROUNDS = Math.max(1, Math.ceil(seeds / 4));
const AT_ONCE = 12;
/** What a fault of a vendor needs to reach the gateway. */
const PASSAGE_MS = 500;

interface Told extends Run {
  readonly seen: Answered;
  readonly booked: readonly Booked[];
  readonly standing: Standing;
}

let world: World;
let payers: readonly Payer[];
const told: Told[] = [];
const proved = new Set<string>();

beforeAll(async () => {
  world = await startEndpointWorld();
  payers = await openPayers(world.database, RUNS.length);
  for (let round = 0; round < ROUNDS; round++) await play(round);
}, 120_000 * ROUNDS);
afterAll(() => world?.close());

const tagOf = ({ tag }: Run, round: number): string => `${tag}-${round}`;

async function play(round: number): Promise<void> {
  const seen = await inTurns(RUNS, (run) => ask(run, round), AT_ONCE);
  await world.settled();
  const books = await readBooks(
    world,
    ENDPOINT_CALLS.map(({ model }) => model),
  );
  const standings = await standingsOf(world, payers);
  for (const [index, run] of RUNS.entries()) {
    const booked = books.get(placeOf(run.call.model, payers[index]?.accountId ?? 0)) ?? [];
    const standing = standings[index] ?? { creditsMicro: 0n, freeMicro: undefined };
    const answered = seen[index] ?? { status: 0, headers: {}, text: '', isWhole: false };
    // One call of each run in every round: the rows of earlier rounds stand before this one's.
    told.push({ ...run, tag: tagOf(run, round), seen: answered, booked: booked.slice(round), standing });
  }
}

async function ask(run: Run, round: number): Promise<Answered> {
  const { call, form, ending } = run;
  const key = payers[RUNS.indexOf(run)]?.key ?? '';
  const words = typeof ending.words === 'string' ? ending.words : ending.words(call);
  const tag = tagOf(run, round);
  const asking = beginCall({ url: world.url, key }, call, `tag=${tag} tokens=40 ${words}`, form);
  if (ending.leave === 'never') return asking.ended;
  await until(() => isTime(ending.leave, tag, asking));
  asking.leave();
  return asking.ended;
}

function isTime(leave: EndpointLeave, tag: string, asking: Asking): boolean {
  const made = world.simulator.truth.find(tag);
  const askedMs = Date.now() - (made?.startedAtMs ?? Date.now());
  switch (leave) {
    case 'never':
      return false;
    case 'vendor-at-work':
      return (made?.responseId ?? '') !== '' && askedMs > PASSAGE_MS;
    case 'answering':
      return made?.status === 200 && askedMs > PASSAGE_MS;
    case 'first-byte':
      return asking.bytes() > 0;
  }
}

/** Everything that is wrong with a call; each line has both figures. */
function judge({ call, ending, tag, booked, standing }: Told, spentMicro: bigint): readonly string[] {
  const [row, ...others] = booked;
  const [made, ...again] = world.simulator.truth.list(tag);
  if (row === undefined) return ['no row in the call log'];
  if (made === undefined) return ['the vendor never saw the call'];
  const [least, most] = rangeOf(call, ending.rule, made);
  const problems: string[] = [];
  const same = (what: string, got: unknown, wanted: unknown): void => {
    if (got !== wanted) problems.push(`${what}: ${String(got)}, not ${String(wanted)}`);
  };
  same('rows', 1 + others.length, 1);
  same('calls at the vendor', 1 + again.length, 1);
  same('verdict', row.verdict, ending.verdict);
  same('protocol', row.protocol_in, call.protocol);
  if (ending.rule === 'exact') same('estimated', row.estimated, call.isCounted === true);
  if (row.amount_micro < least || row.amount_micro > most) {
    problems.push(`amount: ${row.amount_micro}, not ${least} to ${most}`);
  }
  const chargeMicro = row.amount_micro * 1_000n;
  same('charge', row.charge_micro, chargeMicro < 1_000_000n ? 0n : chargeMicro);
  same('paid', row.paid_micro ?? 0n, row.charge_micro);
  same('shortfall', row.shortfall_micro ?? 0n, 0n);
  same('ledger entries', row.entries, row.charge_micro === 0n ? 0 : 1);
  same('ledger', row.changed_micro, -row.charge_micro);
  same('Credits gone', PROBED_MICRO - standing.creditsMicro, spentMicro);
  same('free afterwards', standing.freeMicro, standing.creditsMicro);
  return problems;
}

/** What all calls of one run have been charged, up to and with this one. */
function spentBy(one: Told): bigint {
  const [tag = ''] = one.tag.match(/^end-\d+/) ?? [];
  const upTo = told.slice(0, told.indexOf(one) + 1).filter((other) => other.tag.startsWith(`${tag}-`));
  return upTo.reduce((sum, { booked: [row] }) => sum + (row?.charge_micro ?? 0n), 0n);
}

describe.each(ENDPOINT_CALLS.map((call) => [call.name, call] as const))('%s', (name, call) => {
  test('is charged what its vendor made, however the call ends', () => {
    const own = told.filter((one) => one.call === call);
    const problems = own.flatMap((one) =>
      judge(one, spentBy(one)).map((problem) => `${one.form}, ${one.ending.name}: ${problem}`),
    );
    expect(problems).toEqual([]);
    expect(own.some(({ booked: [row] }) => (row?.charge_micro ?? 0n) > 0n)).toBe(true);
    proved.add(name);
  });
});

test('every endpoint and every cloud was judged, the books are sound, and nothing is open', async () => {
  expect(missingOf(proved)).toEqual([]);
  expect(await examine(world.database)).toEqual([]);
  await until(() => world.simulator.stats.open === 0);
  const [sums] = await world.database.query<{ charged: bigint; gone: bigint }>(
    `select (select sum(charge_micro)::bigint from calls where account_id = any($1)) as charged,
       (select sum($2::bigint - credits_micro)::bigint from accounts where id = any($1)) as gone`,
    [payers.map(({ accountId }) => accountId), PROBED_MICRO],
  );
  expect(sums?.gone).toBe(sums?.charged);
  const size = `${ENDPOINT_CALLS.length} endpoints and clouds, ${RUNS.length} endings x ${ROUNDS}`;
  console.log(`proof | billing truth of every endpoint | ${size} | ${told.length} calls, 0 wrong`);
});
