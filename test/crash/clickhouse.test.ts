import { afterAll, beforeAll, expect, test } from 'vitest';
import { examine } from '../../src/store/operations/doctor.ts';
import { tollgate, until } from '../support/processes.ts';
import {
  FAKE_PASSWORD,
  FAKE_USER,
  type FakeClickhouse,
  startFakeClickhouse,
} from '../support/servers/fake-clickhouse.ts';
import { Load, seeded } from './load.ts';
import { openScene, type Scene } from './trial/scene.ts';

const SIZE = { streams: 8, plains: 8, images: 1, paceMs: 5 };
const POINTS = ['sink.before-insert', 'sink.after-insert', 'sink.after-advance'] as const;

let fake: FakeClickhouse;
let scene: Scene;

beforeAll(async () => {
  fake = await startFakeClickhouse();
  scene = await openScene({
    environment: {
      TOLLGATE_CLICKHOUSE_URL: fake.url,
      TOLLGATE_CLICKHOUSE_USER: FAKE_USER,
      TOLLGATE_CLICKHOUSE_PASSWORD: FAKE_PASSWORD,
      TOLLGATE_LOG_LEVEL: 'debug',
    },
  });
}, 300_000);
afterAll(async () => {
  await scene?.close();
  await fake?.close();
});

const settled = async (): Promise<readonly string[]> =>
  (await scene.database.query<{ call_id: string }>('select call_id from calls')).map((row) => row.call_id);

const metric = async (name: string): Promise<number> => {
  const figures = await (await fetch(`${scene.server.opsUrl}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(figures)?.[1]);
};

test('every call is in ClickHouse once, wherever the server died and whatever befell its inserts', async () => {
  const said: string[] = [];
  let number = 0;
  for (const point of POINTS) {
    scene.server.kill('SIGKILL');
    await scene.server.exited;
    await scene.start({ TOLLGATE_FAULTS: `${point}=kill@2` });
    fake.misfortunes.push('error-after');
    const load = new Load(SIZE, seeded(7), `${++number}-`);
    load.start({ url: scene.server.url, key: scene.key });
    const { signal } = await scene.server.exited;
    expect(signal).toBe('SIGKILL');
    said.push(scene.server.stdout(), scene.server.stderr());
    await load.end();
  }
  await scene.start();
  await scene.settled();
  const ids = await settled();
  expect(ids.length).toBeGreaterThan(20);
  await until(() => fake.rows().size === ids.length);
  expect(fake.rows()).toEqual(new Map(ids.map((id) => [id, 1])));
  expect(fake.inserts.some(({ outcome }) => outcome === 'repeated')).toBe(true);
  await until(async () => (await metric('tollgate_clickhouse_lag_calls')) === 0);
  expect(await metric('tollgate_clickhouse_up')).toBe(1);
  expect(await examine(scene.database)).toEqual([]);
  said.push(scene.server.stdout(), scene.server.stderr());
  expect(said.join('')).not.toContain(FAKE_PASSWORD);
}, 600_000);

test('the commands print and apply the table, and show how far it is', async () => {
  const printed = await tollgate(['clickhouse', 'table'], scene.environment);
  expect(printed.stdout).toContain('create table if not exists tollgate.calls');
  expect(await tollgate(['clickhouse', 'table', '--apply'], scene.environment)).toEqual({
    ...{ code: 0, stderr: '', stdout: 'the table tollgate.calls is there\n' },
  });
  const [database = '', table = ''] = fake.statements;
  expect(printed.stdout).toBe(`${database};\n${table};\n`);
  const status = await tollgate(['clickhouse', 'status', '--json'], scene.environment);
  expect(JSON.parse(status.stdout)).toMatchObject({ lagCalls: 0, sentCalls: (await settled()).length });
  const wrong = { ...scene.environment, TOLLGATE_CLICKHOUSE_PASSWORD: 'wrong' };
  expect(await tollgate(['clickhouse', 'table', '--apply'], wrong)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('user or password are wrong'),
  });
}, 120_000);
