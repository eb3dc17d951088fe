import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  FAKE_PASSWORD,
  FAKE_USER,
  type FakeClickhouse,
  startFakeClickhouse,
} from '../../test/support/servers/fake-clickhouse.ts';
import { createUpstreamClient } from '../upstream/http/client.ts';
import { toBatch } from './batch.ts';
import { Receiver } from './receiver.ts';
import { COLUMNS } from './statements.ts';

let fake: FakeClickhouse;
const client = createUpstreamClient();
beforeAll(async () => {
  fake = await startFakeClickhouse();
});
afterAll(async () => {
  await client.close();
  await fake.close();
});

const connect = (password: string | undefined = FAKE_PASSWORD, url = fake.url): Receiver =>
  new Receiver({
    ...{ client, url, user: FAKE_USER, password, database: 'tollgate', table: 'calls' },
    timeoutMs: 500,
  });

const row = JSON.stringify(
  Object.fromEntries(Object.keys(COLUMNS).map((name) => [name, name === 'call_id' ? 'req_1' : 1])),
);
const batch = toBatch({ after: 0, to: 1 }, [{ number: 1, json: row }]);

test('rows are inserted once, however often their batch is sent', async () => {
  expect(await connect().insert(batch)).toEqual({ kind: 'done' });
  expect(await connect().insert(batch)).toEqual({ kind: 'done' });
  expect(fake.rows()).toEqual(new Map([['req_1', 1]]));
  expect(fake.inserts.map(({ outcome }) => outcome)).toEqual(['taken', 'repeated']);
});

test('an answer is a success only if ClickHouse has said that all is written', async () => {
  const cases = [
    ['lost', 'error 1000, status 500'],
    ['error-after', 'error 1000, status 500'],
    ['late-error', 'error 241, it has no memory left'],
    ['half-head', 'no answer (protocol)'],
    ['half-body', 'no answer (reset)'],
    ['silent-after', 'no answer (timeout)'],
  ] as const;
  for (const [misfortune, reason] of cases) {
    fake.misfortunes.push(misfortune);
    const received = await connect().insert(batch);
    expect(received.kind, misfortune).toBe('failed');
    expect(received.kind === 'failed' && received.reason.replace(/\((?:reset|protocol)\)/, '(cut)')).toBe(
      reason.replace(/\((?:reset|protocol)\)/, '(cut)'),
    );
  }
  expect(await connect().insert(batch)).toEqual({ kind: 'done' });
  expect(fake.rows()).toEqual(new Map([['req_1', 1]]));
});

test('a wrong password is named by what it means, and no reason contains it', async () => {
  const received = await connect('wrong-secret').insert(batch);
  expect(received).toEqual({ kind: 'failed', code: 516, reason: 'error 516, user or password are wrong' });
  fake.away = true;
  const away = await connect().insert(batch);
  fake.away = false;
  expect(away.kind).toBe('failed');
  expect(JSON.stringify([received, away])).not.toMatch(/wrong-secret|pa\$\$w0rd/);
});

test('a statement is the body of its request', async () => {
  expect(await connect().execute('create database x')).toEqual({ kind: 'done' });
  expect(fake.statements).toEqual(['create database x']);
});
