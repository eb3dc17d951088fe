import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { SHAPES } from '../../../src/cli/demo/demo-shapes.ts';
import { findLogin } from '../../../src/store/accounts/accounts.ts';
import { announceAndWait } from '../../../src/store/changes.ts';
import { postMovement } from '../../../src/store/ledger/movement.ts';
import { examine } from '../../../src/store/operations/doctor.ts';
import { demoCatalog } from '../../support/demo-catalog.ts';
import { tollgate } from '../../support/processes.ts';
import { startWorld, type World } from '../../support/world.ts';

const DAY_MS = 86_400_000;
const DAYS = 365;
/** Of the year; every one of them costs time. */
const STEP_DAYS = 5;
const USER = 'user@example.com';

let world: World;
let offsetMs = -DAYS * DAY_MS;

beforeAll(async () => {
  const trueNow = Date.now.bind(Date);
  vi.spyOn(Date, 'now').mockImplementation(() => trueNow() + offsetMs);
  const { catalog, environment } = await demoCatalog(Date.now());
  world = await startWorld({ catalog: catalog.replace('limit: 600', 'limit: 60000'), environment });
});

afterAll(async () => {
  vi.restoreAllMocks();
  await world?.close();
});

/** The five calls of the demo, side by side, and five more with longer answers. */
async function aDay(): Promise<number[]> {
  const asked = SHAPES.flatMap(({ path, headers, body }) => [
    world.post(path, body, headers),
    world.post(path, JSON.stringify(body).replace('Hello', '[[sim tokens=120 thinking=40]]'), headers),
  ]);
  return Promise.all(
    asked.map(async (asking) => {
      const response = await asking;
      await response.arrayBuffer().catch(() => undefined);
      return response.status;
    }),
  );
}

/** Less than a month of it costs: the account runs out of Credits again and again. */
async function topUp(): Promise<void> {
  const { database } = world;
  const login = await findLogin(database, USER);
  const movement = {
    accountId: login?.accountId ?? 0,
    kind: 'top_up',
    pool: 'credits',
    ref: 'monthly',
  } as const;
  await database.transaction((transaction) =>
    postMovement(transaction, { ...movement, changeMicro: 3_000_000_000n }),
  );
  await announceAndWait(database);
}

test('the doctor finds nothing after a year of demo calls that run out of Credits every month', async () => {
  const statuses = new Map<number, number>();
  for (let day = 0; day < DAYS; day += STEP_DAYS) {
    if (day % 30 < STEP_DAYS && day > 0) await topUp();
    for (const status of await aDay()) statuses.set(status, (statuses.get(status) ?? 0) + 1);
    offsetMs += STEP_DAYS * DAY_MS;
  }
  await world.settled();
  // Served, and refused for want of Credits; nothing else.
  expect([...statuses.keys()].sort()).toEqual([200, 403]);
  console.log(`a year of the demo | ${statuses.get(200)} served, ${statuses.get(403)} refused`);
  const short = await world.database.query('select 1 from consumptions where shortfall_micro > 0');
  expect(short).toEqual([]);
  expect(await examine(world.database)).toEqual([]);
  const environment = {
    DATABASE_URL: world.config.databaseUrl ?? '',
    TOLLGATE_DATA: world.config.dataDirectory,
  };
  const { code, stdout, stderr } = await tollgate(['doctor'], environment);
  expect([code, stdout, stderr]).toEqual([0, expect.stringContaining('correct'), '']);
}, 300_000);
