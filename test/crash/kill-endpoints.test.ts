import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TruthCall } from '../../sim/truth.ts';
import { examine } from '../../src/store/operations/doctor.ts';
import { type Answered, askCall } from '../support/endpoints/ask.ts';
import { endpointCatalog } from '../support/endpoints/catalog.ts';
import { missingOf } from '../support/endpoints/coverage.ts';
import { ENDPOINT_CALLS, type EndpointCall, type Form, worthMicro } from '../support/endpoints/table.ts';
import { sleep, until } from '../support/processes.ts';
import { SEED } from '../support/property-runs.ts';
import { seeded } from './load.ts';
import { openScene, type Scene } from './trial/scene.ts';
import { KILLS, patienceMs } from './trial/size.ts';

/** Of kills under the load of the other proof, so many under this one. */
const DEATHS = Math.max(4, Math.ceil(KILLS / 3));
const ALIVE_MS_MIN = 500;
const ALIVE_MS_SPREAD = 2_000;
/** What a crash leaves is a mark, and its input an estimate by bytes: twice the truth, and the frame. */
const ESTIMATE = { times: 2, frameTokens: 20 };

/** One call as its client saw it. */
interface Seen extends Answered {
  readonly call: EndpointCall;
  readonly form: Form;
  readonly tag: string;
}

let scene: Scene;
const seen: Seen[] = [];
const random = seeded(SEED);
let made = 0;

beforeAll(async () => {
  scene = await openScene({ catalog: endpointCatalog({ vertex: 'workload' }) });
}, 300_000);
afterAll(() => scene?.close());

/** One client for each endpoint and form, which asks again as soon as it is answered. */
async function keepAsking(call: EndpointCall, form: Form): Promise<void> {
  for (;;) {
    const tag = `k${++made}`;
    const pacing = form === 'stream' ? 'pace=25' : `delay=${Math.floor(random() * 400)}`;
    const words = `tag=${tag} tokens=${10 + Math.floor(random() * 40)} ${pacing}`;
    const answered = await askCall({ url: scene.server.url, key: scene.key }, call, words, form);
    seen.push({ ...answered, call, form, tag });
    // Nobody listens any more, or it died in the answer.
    if (answered.status === 0 || !answered.isWhole) return;
  }
}

const finishedNames = (): ReadonlySet<string> =>
  new Set(seen.filter(({ isWhole }) => isWhole).map(({ call }) => call.name));

/** A busy machine gets more time: the proof is about every endpoint. */
async function dieUnderLoad(): Promise<void> {
  const { server } = scene;
  const clients = ENDPOINT_CALLS.flatMap((call) => call.forms.map((form) => keepAsking(call, form)));
  await sleep(ALIVE_MS_MIN + random() * ALIVE_MS_SPREAD);
  await until(() => missingOf(finishedNames()).length === 0);
  server.kill('SIGKILL');
  await Promise.all([...clients, server.exited]);
  await scene.start();
  expect(await examine(scene.database)).toEqual([]);
}

interface Row {
  readonly call_id: string;
  readonly model_asked: string;
  readonly amount_micro: bigint;
  readonly charge_micro: bigint;
  readonly held_micro: bigint;
  readonly taken: bigint | null;
  readonly shortfall: bigint | null;
  readonly entries: bigint;
}

const ROWS = `
  select c.call_id, c.model_asked, c.amount_micro, c.charge_micro, c.held_micro, s.credits_micro as taken,
    s.shortfall_micro as shortfall,
    (select count(*) from ledger_entries e
     where e.ref = c.call_id and e.kind = 'consumption' and e.account_id is not null) as entries
  from calls c left join consumptions s using (created_at, call_id)`;

const DOUBLED = `
  select call_id from calls group by call_id having count(*) > 1
  union all select call_id from consumptions group by call_id having count(*) > 1`;

/** A call that the client saw whole costs what the vendor made; one that was cut, never more. */
function judge(one: Seen, row: Row | undefined, truly: TruthCall | undefined): readonly string[] {
  if (row === undefined || truly === undefined) return ['it is not in the books, or not with the vendor'];
  const { call } = one;
  const used = call.used(truly);
  const worth = worthMicro(call, used);
  const most = worthMicro(call, {
    ...used,
    input: (used.input ?? 0) * ESTIMATE.times + ESTIMATE.frameTokens,
  });
  const problems: string[] = [];
  if (one.isWhole && row.amount_micro !== worth) problems.push(`costs ${row.amount_micro}, not ${worth}`);
  if (row.amount_micro > most) problems.push(`costs ${row.amount_micro}, more than ${most}`);
  if (row.charge_micro > row.held_micro)
    problems.push(`charged ${row.charge_micro} of ${row.held_micro} held`);
  if ((row.taken ?? 0n) !== row.charge_micro) problems.push(`took ${row.taken} of ${row.charge_micro}`);
  if ((row.shortfall ?? 0n) !== 0n) problems.push(`short of ${row.shortfall}`);
  const entries = row.charge_micro > 0n ? 1n : 0n;
  if (row.entries !== entries) problems.push(`${row.entries} ledger entries`);
  return problems;
}

test(
  `no charge of any endpoint is lost or doubled when the server is killed under calls of all (seed ${SEED})`,
  async () => {
    for (let death = 0; death < DEATHS; death++) await dieUnderLoad();
    await scene.settled();
    const rows = await scene.database.query<Row & Record<string, unknown>>(ROWS);
    const byId = new Map(rows.map((row) => [row.call_id, row]));
    const truth = await scene.simulator.truth();
    const byTag = new Map(truth.map((one) => [one.tag, one]));
    const answered = seen.filter(({ headers }) => headers['x-request-id'] !== undefined);
    const problems = answered.flatMap((one) => {
      const found = judge(one, byId.get(String(one.headers['x-request-id'])), byTag.get(one.tag));
      return found.map((problem) => `${one.tag} ${one.call.name} ${one.form}: ${problem}`);
    });
    expect(problems).toEqual([]);
    expect(await scene.database.query(DOUBLED)).toEqual([]);
    const heard = truth.filter(({ tag }) => tag !== '');
    // Before a vendor hears of a call it is in the journal; and no row is without a call (rule M-20).
    for (const { model } of ENDPOINT_CALLS) {
      const asked = seen.filter(({ call }) => call.model === model);
      const tags = new Set(asked.map(({ tag }) => tag));
      const booked = rows.filter((row) => row.model_asked === model).length;
      expect(booked, model).toBeGreaterThanOrEqual(heard.filter(({ tag }) => tags.has(tag)).length);
      expect(booked, model).toBeLessThanOrEqual(asked.length);
    }
    const whole = answered.filter(({ isWhole }) => isWhole);
    const proved = finishedNames();
    expect(missingOf(proved)).toEqual([]);
    const result = `${whole.length} finished, ${seen.length - whole.length} cut, 0 lost, 0 doubled`;
    console.log(`proof | crash, every endpoint | ${DEATHS} kills, ${seen.length} calls | ${result}`);
  },
  patienceMs,
);

test('who is rich is served by every endpoint afterwards, and nothing is held any more', async () => {
  for (const call of ENDPOINT_CALLS) {
    const { status } = await askCall({ url: scene.server.url, key: scene.key }, call, 'tokens=10');
    expect([call.name, status]).toEqual([call.name, 200]);
  }
  await scene.settled();
  await until(async () => (await scene.simulator.stats()).open === 0);
  expect(await examine(scene.database)).toEqual([]);
});
