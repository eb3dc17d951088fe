import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { examine } from '../../src/store/operations/doctor.ts';
import {
  type Answered,
  askCall,
  beginRequest,
  codeOf,
  malformedRefusal,
  objectIn,
} from '../support/endpoints/ask.ts';
import type { Sent } from '../support/endpoints/body.ts';
import { missingOf } from '../support/endpoints/coverage.ts';
import { openPayers, type Payer, standingsOf } from '../support/endpoints/payer.ts';
import { ENDPOINT_CALLS, type EndpointCall, type Form } from '../support/endpoints/table.ts';
import { startEndpointWorld } from '../support/endpoints/world.ts';
import { until } from '../support/processes.ts';
import { SEED } from '../support/property-runs.ts';
import type { World } from '../support/world.ts';
import { eachAtOnce } from '../tenants/ask.ts';
import { shotsAt } from './endpoint-shots.ts';

/** A quarter of what the platform's own rows take, over all endpoints; else it is done after one round. */
const SECONDS = Number(process.env.TEST_FUZZ_SECONDS ?? 0) / 4;
const SHOTS_PER_ROUND = 40;
const SHOTS_AT_ONCE = 4;
/** A model that somebody made up has no upstream: the one 5xx that a strange body may bring about. */
const NO_UPSTREAM = 50201;

let world: World;
let payers: readonly Payer[];
const proved = new Set<string>();
const tally = { shots: 0, served: 0, refused: 0 };

beforeAll(async () => {
  world = await startEndpointWorld();
  payers = await openPayers(world.database, ENDPOINT_CALLS.length);
});
afterAll(() => world?.close());

const shown = ({ headers, body }: Sent): string =>
  `${headers['content-type']} ${body.toString('latin1').slice(0, 300)}`;

/** No failure of ours, and whoever is refused can read why. */
function problemOf(call: EndpointCall, answered: Answered): string | undefined {
  const { status, text } = answered;
  if (status === 0) return 'the connection broke';
  if (status < 400) return undefined;
  const code = codeOf(answered);
  if (status >= 500 && code !== NO_UPSTREAM) return 'a 5xx';
  if (code !== undefined) return malformedRefusal(call, answered);
  const body = objectIn(text);
  return body?.error === undefined && body?.message === undefined ? 'no error of anybody' : undefined;
}

async function fire(call: EndpointCall, form: Form, key: string, sent: Sent): Promise<readonly string[]> {
  const answered = await beginRequest({ url: world.url, key }, call.path(form), sent).ended;
  tally.shots++;
  if (answered.status === 200) tally.served++;
  else tally.refused++;
  const problem = problemOf(call, answered);
  return problem === undefined
    ? []
    : [`${problem}: ${answered.status} ${answered.text.slice(0, 200)} for ${shown(sent)}`];
}

async function round(call: EndpointCall, key: string, seed: number): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const form of call.forms) {
    const shots = fc.sample(shotsAt(call.send('tokens=5', form)), { seed, numRuns: SHOTS_PER_ROUND });
    await eachAtOnce(shots, SHOTS_AT_ONCE, async (sent) => {
      problems.push(...(await fire(call, form, key, sent)));
    });
  }
  return problems;
}

describe.each(ENDPOINT_CALLS.map((call, index) => [call.name, call, index] as const))(
  '%s',
  (name, call, index) => {
    test(
      `strange bodies are refused in words of the client, and nothing is held afterwards (seed ${SEED})`,
      async () => {
        const { key = '' } = payers[index] ?? {};
        const endMs = performance.now() + (SECONDS * 1_000) / ENDPOINT_CALLS.length;
        const problems: string[] = [];
        let rounds = 0;
        do {
          problems.push(...(await round(call, key, SEED + rounds++)));
        } while (performance.now() < endMs && problems.length === 0);
        expect(problems).toEqual([]);
        // The server is well, and so is the endpoint.
        expect((await askCall({ url: world.url, key }, call, 'tokens=5')).status).toBe(200);
        proved.add(name);
      },
      (SECONDS + 120) * 1_000,
    );
  },
);

test('every endpoint and every cloud was tried, no call is open, and no money is held', async () => {
  expect(missingOf(proved)).toEqual([]);
  await world.settled();
  await until(() => world.simulator.stats.open === 0);
  expect(await examine(world.database)).toEqual([]);
  for (const [index, { creditsMicro, freeMicro }] of (await standingsOf(world, payers)).entries()) {
    expect(freeMicro, ENDPOINT_CALLS[index]?.name).toBe(creditsMicro);
  }
  const { shots, served, refused } = tally;
  expect(refused / shots).toBeGreaterThan(0.3);
  const size = `${ENDPOINT_CALLS.length} endpoints and clouds, ${SECONDS} s at least, seed ${SEED}`;
  console.log(`proof | fuzz of every endpoint | ${size} | ${shots} requests, ${served} served, 0 wrong`);
});
