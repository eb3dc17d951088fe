import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { toBatch } from '../../src/clickhouse/batch.ts';
import { Receiver } from '../../src/clickhouse/receiver.ts';
import { Sink } from '../../src/clickhouse/sink.ts';
import { COLUMNS, createDatabase, createTable } from '../../src/clickhouse/statements.ts';
import { silentLogger } from '../../src/kernel/log.ts';
import { createCalendar } from '../../src/kernel/time/calendar.ts';
import { systemClock } from '../../src/kernel/time/clock.ts';
import { createLedgerStore } from '../../src/store/ledger/ledger.ts';
import { createSinkStore } from '../../src/store/logs/log-sink.ts';
import { createUpstreamClient } from '../../src/upstream/http/client.ts';
import { CLICKHOUSE, needs } from '../needs.ts';
import { chdbPython } from '../prerequisites.ts';
import { accountWith, CREDITS_PER_YUAN, callOf } from '../support/calls.ts';
import { type FreshDatabase, freshDatabase } from '../support/postgres.ts';
import { until } from '../support/processes.ts';
import { type Engine, startEngine } from './engine.ts';

const NAMES = { database: 'tollgate', table: 'calls' };

describe('the engine of ClickHouse', needs(CLICKHOUSE), () => {
  let engine: Engine;
  let fresh: FreshDatabase;
  let receiver: Receiver;
  const client = createUpstreamClient();

  beforeAll(async () => {
    fresh = await freshDatabase();
    engine = await startEngine(chdbPython ?? '');
    receiver = new Receiver({ client, url: engine.url, user: 'default', password: undefined, ...NAMES });
    console.log(`ClickHouse ${engine.version}`);
  }, 120_000);
  afterAll(async () => {
    await client.close();
    await engine?.close();
    await fresh?.drop();
  });

  const count = async (suffix = ''): Promise<number> => {
    const statement = `select toUInt32(count()) as rows from tollgate.calls ${suffix}`;
    return (await engine.ask<{ rows: number }>(statement))[0]?.rows ?? -1;
  };

  test('says that the table does not exist until the statements have run, which can be repeated', async () => {
    const batch = toBatch({ after: 0, to: 1 }, [{ number: 1, json: '{}' }]);
    expect(await receiver.insert(batch)).toMatchObject({ kind: 'failed', code: expect.any(Number) });
    for (let times = 0; times < 2; times++) {
      expect(await receiver.execute(createDatabase(NAMES))).toEqual({ kind: 'done' });
      expect(await receiver.execute(createTable(NAMES))).toEqual({ kind: 'done' });
    }
  });

  test('has every column of every call as PostgreSQL has it', async () => {
    const { database } = fresh;
    const calendar = createCalendar('UTC');
    const ledger = createLedgerStore({ database, creditsPerYuan: CREDITS_PER_YUAN, calendar });
    const accountId = await accountWith(database, { creditsMicro: 100_000_000_000n });
    const strange = { keyName: '"quoted" \\ \n 日本語 \u0001', droppedFields: ['a', '"b"'] };
    const free = { payer: 'none', chargeMicro: 0n, price: null, vendor: null, routeId: null } as const;
    await ledger.settle([
      ...Array.from({ length: 500 }, () => callOf({ accountId })),
      { ...callOf({ accountId, createdAtMs: Date.UTC(2026, 11, 31, 23, 59, 59, 999) }), ...strange },
      { ...callOf({ accountId }), ...free, status: 429, errorCode: 42_901, ttfbMs: null },
    ]);
    const store = createSinkStore(database);
    await store.register();
    const parts = { store, receiver, clock: systemClock, log: silentLogger };
    const sink = new Sink({ ...parts, holder: 'test', roundMs: 5 });
    sink.start();
    await until(async () => (await store.report())?.sentCalls === 502);
    await sink.stop();
    const lines = await store.read({ after: 0, to: 1_000 }, 1_000);
    const wanted = lines.map(({ json }) => JSON.parse(json) as object);
    const stored = await engine.ask(
      `select ${Object.keys(COLUMNS).join(', ')} from tollgate.calls order by number`,
    );
    expect(stored).toEqual(wanted);
  });

  test('takes a batch with the same token once, and one row of a call whose batch was another', async () => {
    const lines = await createSinkStore(fresh.database).read({ after: 0, to: 100 }, 100);
    const again = toBatch({ after: 0, to: 100 }, lines);
    for (let times = 0; times < 3; times++) expect(await receiver.insert(again)).toEqual({ kind: 'done' });
    expect(await count()).toBe(502 + lines.length);
    expect(await count('final')).toBe(502);
    await engine.ask('optimize table tollgate.calls final');
    expect(await count()).toBe(502);
  });

  test('refuses a row with a column that the table lacks, as a whole', async () => {
    const [line] = await createSinkStore(fresh.database).read({ after: 0, to: 1 }, 1);
    const wrong = `${line?.json.slice(0, -1)},"unknown_column":1}`;
    const batch = toBatch({ after: 0, to: 2 }, [line, { number: 2, json: wrong }].filter(Boolean) as never);
    expect(await receiver.insert(batch)).toMatchObject({ kind: 'failed', code: 117 });
    expect(await count('final')).toBe(502);
  });
});
