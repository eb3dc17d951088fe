import { expect, it } from 'vitest';
import { exampleCell } from '../../../test/support/bench-results.ts';
import { scenarios } from '../../scenario.ts';
import { differenceOf, parseInfo } from './counters.ts';
import { rowsOf, windowFrom } from './measure.ts';

const INFO = [
  '$400\r\n# Stats',
  'total_commands_processed:900',
  'total_net_input_bytes:5000',
  'total_net_output_bytes:700',
  'used_memory:1000',
  'cmdstat_evalsha:calls=30,usec=600,usec_per_call=20.00,rejected_calls=0',
].join('\r\n');

it('reads what Redis counted', () => {
  expect(parseInfo(INFO)).toEqual({
    ...{ redisBytesIn: 5000, redisBytesOut: 700, redisCommands: 900 },
    ...{ redisScripts: 30, redisScriptUs: 600, redisMemoryBytes: 1000 },
  });
  expect(parseInfo('')).toMatchObject({ redisScripts: 0, redisCommands: 0 });
});

it('takes one reading from the other, and what is new from nothing', () => {
  expect(differenceOf({ a: 1, b: 2 }, { a: 5, c: 3 })).toEqual({ a: 4, b: -2, c: 3 });
});

it('adds inserted and changed rows of a table, and leaves out what no call touches', () => {
  const counters = {
    'inserted calls': 100,
    'updated calls': 0,
    'inserted accounts': 0,
    'updated accounts': 50,
  };
  expect(rowsOf({ ...counters, 'inserted nodes': 0, 'bytes calls': 9 }, 100)).toEqual({
    calls: 1,
    accounts: 0.5,
  });
});

it('makes costs of a call from all that an order spent', () => {
  const [scenario] = scenarios('full');
  if (scenario === undefined) throw new Error('there is traffic');
  const usage = { cpuMs: 550, memoryPeakBytes: 0, residentBytes: 0 };
  const measured = exampleCell('tollgate', 0, { cpuMs: 500 });
  const counters = {
    ...parseInfo(INFO),
    'bytes calls': 11_000,
    'bytes accounts': 1_100,
    postgresWalBytes: 2_200,
  };
  const allIn = { gateway: usage, databases: { redis: { ...usage, cpuMs: 110 } } };
  expect(windowFrom({ scenario, measured, allIn, counters, batches: 11 })).toMatchObject({
    ...{ name: 'json-small', ratePerSecond: 0, calls: 1100, nodeMs: 0.5, redisMs: 0.1, postgresMs: 0 },
    ...{ batches: 0.01, walBytes: 2, tableBytes: 11, events: 0, servedPerSecond: 500, vendorMs: 0.4 },
  });
});
