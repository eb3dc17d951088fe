import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FAULT_NAMES } from '../../sim/faults.ts';
import { STANDARD_CATALOG, startWorld, type World } from '../support/world.ts';
import {
  type Cell,
  type CellResult,
  cellsOf,
  type Expected,
  type FaultRow,
  modelsOf,
  runCells,
} from './cells.ts';

const COMPLETE: Expected = { kind: 'complete' };
const CUT: Expected = { kind: 'cut' };
const BROKEN: Expected = { kind: 'refused', status: 502, code: 50202 };
const LATE: Expected = { kind: 'refused', status: 504, code: 50401 };
const vendor = (status: number): Expected => ({ kind: 'refused', status });
const both = (expected: Expected): Pick<FaultRow, 'stream' | 'plain'> => ({
  stream: expected,
  plain: expected,
});

const SSE = ['chat', 'responses', 'messages', 'gemini'] as const;
const CONCLUDED = ['chat', 'responses', 'messages'] as const;
const STATUSES = [400, 404, 408, 409, 413, 422, 500, 501, 502, 503, 504, 520, 529];
const WAITS = ['retry-after=10', 'retry-after=date', 'retry-after=-5', 'retry-after=1000000000'];

const ROWS: readonly FaultRow[] = [
  // In place of the answer.
  { directive: 'fault=no-headers', ...both(LATE) },
  { directive: 'fault=headers-then-silence', ...both(LATE) },
  { directive: 'fault=close', ...both(BROKEN) },
  { directive: 'fault=reset-early', ...both(BROKEN) },
  { directive: 'fault=html', ...both(BROKEN) },
  { directive: 'fault=empty-200', ...both(BROKEN) },
  { directive: 'fault=error-200', ...both(vendor(500)) },
  { directive: 'fault=json-not-sse', stream: BROKEN },
  { directive: 'fault=bad-length', ...both(BROKEN) },
  { directive: 'fault=redirect@301', ...both(BROKEN) },
  { directive: 'fault=redirect@307', ...both(BROKEN) },
  { directive: 'fault=redirect@308', ...both(BROKEN) },
  { directive: 'fault=gzip-bomb@16', ...both(BROKEN) },
  { directive: 'fault=huge-body@2', plain: COMPLETE },
  { directive: 'fault=status@204', ...both(BROKEN) },
  { directive: 'fault=status@401', ...both(BROKEN) },
  { directive: 'fault=status@403', ...both(BROKEN) },
  ...STATUSES.map((status) => ({ directive: `fault=status@${status}`, ...both(vendor(status)) })),
  ...WAITS.map((wait) => ({ directive: `fault=status@429:${wait}`, ...both(vendor(429)) })),
  { directive: 'fault=status@429', ...both(vendor(429)) },
  // Between events.
  { directive: 'fault=reset@0', stream: BROKEN },
  { directive: 'fault=fin@0', stream: BROKEN },
  { directive: 'fault=end@0', stream: BROKEN },
  { directive: 'fault=stall@0', stream: LATE },
  { directive: 'fault=error-event@0', stream: vendor(500), only: ['chat', 'responses'] },
  { directive: 'fault=error-event@0', stream: vendor(529), only: ['messages'] },
  { directive: 'fault=error-event@0', stream: vendor(503), only: ['gemini', 'gemini-array'] },
  { directive: 'fault=reset@1', stream: CUT, plain: BROKEN },
  { directive: 'fault=reset@6', stream: CUT },
  { directive: 'fault=fin@1', stream: CUT, plain: BROKEN },
  { directive: 'fault=fin@6', stream: CUT },
  { directive: 'fault=end@1', stream: CUT },
  { directive: 'fault=end@6', stream: CUT },
  { directive: 'fault=stall@6', stream: CUT, plain: LATE },
  { directive: 'fault=error-event@6', stream: CUT },
  // Paced, so that the answer has begun: before, the call fails whole.
  { directive: 'pace=5 fault=second-start@6', stream: CUT, only: ['messages'] },
  // Behind the terminator nothing can go wrong any more.
  ...['reset@999', 'fin@999', 'stall@999'].map((fault) => ({
    directive: `fault=${fault}`,
    stream: COMPLETE,
    only: CONCLUDED,
  })),
  { directive: 'cut=5', stream: CUT, plain: BROKEN },
  { directive: 'fault=pause@6:300', ...both(COMPLETE) },
  { directive: 'fault=late-usage@0:50', stream: COMPLETE },
  { directive: 'fault=late-end@0:50', stream: COMPLETE },
  { directive: 'fault=bad-json@6', stream: COMPLETE, plain: BROKEN, only: SSE },
  { directive: 'fault=unknown-event@6', stream: COMPLETE },
  { directive: 'fault=empty-event@6', stream: COMPLETE },
  { directive: 'fault=null-fields@6', stream: COMPLETE },
  { directive: 'fault=duplicate@6', stream: COMPLETE },
  { directive: 'fault=broken-order@6', stream: COMPLETE },
  { directive: 'fault=terminator-twice', stream: COMPLETE },
  // Chat Completions says in two ways that it ends, and the first is enough; the others say it once.
  { directive: 'fault=no-terminator', stream: COMPLETE, only: ['chat'] },
  {
    directive: 'fault=no-terminator',
    stream: CUT,
    only: ['responses', 'messages', 'gemini', 'gemini-array'],
  },
  { directive: 'fault=data-after-terminator', stream: COMPLETE },
  { directive: 'fault=comments@2000', stream: COMPLETE, only: SSE },
  { directive: 'fault=huge-line@2', stream: COMPLETE },
  { directive: 'fault=tiny-events@2000', stream: COMPLETE },
  // Bytes and sockets.
  ...['crlf', 'cr', 'mixed', 'bom', 'split'].map((name) => ({
    directive: `fault=${name}`,
    stream: COMPLETE,
  })),
  { directive: 'fault=gzip-sse', ...both(COMPLETE) },
  { directive: 'tokens=1 fault=slow-bytes@1', stream: COMPLETE, only: ['chat', 'gemini'] },
  { directive: 'fault=trailers', stream: COMPLETE },
  ...['keepalive-close', 'early-hints'].map((name) => ({
    directive: `fault=${name}`,
    ...both(COMPLETE),
  })),
  // Figures.
  ...['none', 'null', 'wrong-type', 'negative', 'huge'].map((usage) => ({
    directive: `usage=${usage}`,
    ...both(COMPLETE),
    figures: 'estimated' as const,
  })),
  ...['repeated', 'late', 'corrected'].map((usage) => ({ directive: `usage=${usage}`, stream: COMPLETE })),
];

const CELLS = cellsOf(ROWS);
/** Input and output of every model here, micro-yuan a token. */
const INPUT_MICRO = 10n;
const OUTPUT_MICRO = 30n;
/** Longer than a healthy answer takes while two dozen others are made on a busy machine. */
const FIRST_BYTE_MS = 20_000;
const IDLE_MS = 20_000;
/** A busy machine is slow; a client that waits for ever is something else. */
const LIMIT_MS = 120_000;

let world: World;
let results: ReadonlyMap<Cell, CellResult>;
const unhandled: unknown[] = [];
const onUnhandled = (reason: unknown): void => void unhandled.push(reason);

beforeAll(async () => {
  process.on('unhandledRejection', onUnhandled);
  world = await startWorld({
    catalog: STANDARD_CATALOG.replace('models:\n', `models:\n${modelsOf(CELLS)}`),
    environment: {
      TOLLGATE_FIRST_BYTE_TIMEOUT_MS: String(FIRST_BYTE_MS),
      TOLLGATE_PLAIN_TIMEOUT_MS: String(FIRST_BYTE_MS),
      TOLLGATE_IDLE_TIMEOUT_MS: String(IDLE_MS),
    },
  });
  results = await runCells(world, CELLS);
}, 300_000);

afterAll(async () => {
  process.off('unhandledRejection', onUnhandled);
  await world.close();
});

describe('a bad vendor', () => {
  for (const row of ROWS) {
    test(`${row.directive}: ${describeExpected(row)}`, () => {
      for (const cell of CELLS.filter((one) => one.row === row)) {
        const result = results.get(cell);
        expect(result).toBeDefined();
        if (result !== undefined) check(cell, result);
      }
    });
  }

  test('has every fault of the simulator in this table', () => {
    const directives = ROWS.map(({ directive }) => directive).join(' ');
    const missing = FAULT_NAMES.filter((name) => !new RegExp(`[=,]${name}(@|$| )`).test(directives));
    expect(missing).toEqual([]);
    console.info(`vendor faults: ${ROWS.length} scripts, ${CELLS.length} cells`);
  });

  test('leaves no slot taken, no stream open and no rejection unhandled', async () => {
    const figures = await world.figures();
    expect(figures).toMatch(/^tollgate_active_calls 0$/m);
    expect(figures).toMatch(/^tollgate_active_streams 0$/m);
    expect(world.simulator.stats.open).toBe(0);
    expect(unhandled).toEqual([]);
  });
});

function describeExpected({ stream, plain }: FaultRow): string {
  const told = (expected: Expected | undefined, form: string): string[] => {
    if (expected === undefined) return [];
    return [`${form} ${expected.kind}${expected.kind === 'refused' ? ` with ${expected.status}` : ''}`];
  };
  return [...told(stream, 'streamed'), ...told(plain, 'plain')].join(', ');
}

function check(cell: Cell, result: CellResult): void {
  const { surface, form, expected } = cell;
  const where = `${surface.name} ${form}`;
  const { received, calls } = result;
  expect(received.durationMs, where).toBeLessThan(LIMIT_MS);
  expect(calls.length, `${where}: one row in the call log`).toBe(1);
  if (expected.kind === 'refused') checkRefused(where, expected, result);
  else if (expected.kind === 'cut') checkCut(where, result);
  else checkComplete(where, cell, result);
}

function checkRefused(
  where: string,
  { status, code }: Extract<Expected, { kind: 'refused' }>,
  { received, calls, truth }: CellResult,
): void {
  const [call] = calls;
  expect(`${received.status} ${received.ending}`, where).toBe(`${status} whole`);
  const body = errorOf(received.text);
  expect(body.error.message, where).toBeTypeOf('string');
  // Ours has a code; a vendor's own error is passed on as it is.
  expect(body.code, where).toBe(code);
  if (status === 429) expect(received.headers['retry-after'], where).toBeDefined();
  expect(call, where).toMatchObject({ verdict: 'failed', status, error_code: code ?? null });
  expect(call?.amount_micro, `${where}: nothing for nothing`).toBe(0n);
  // A vendor that closes a reused connection at once is asked again on a new one.
  expect(truth.length, where).toBeLessThanOrEqual(2);
}

function checkCut(where: string, { received, reading, calls, truth }: CellResult): void {
  const [call] = calls;
  expect(`${received.status} ${received.ending}`, where).toBe('200 reset');
  expect(reading, where).toMatchObject({ errors: 1, endsWithError: true, terminators: 0 });
  expect(call, where).toMatchObject({ verdict: 'cut-by-upstream', status: 200 });
  expect(truth.length, `${where}: never asked again`).toBe(1);
  expect(call?.output, `${where}: delivered ≤ charged`).toBeGreaterThanOrEqual(reading?.tokens ?? 0);
  const produced = truth[0]?.outputTokens ?? 0;
  expect(call?.output, `${where}: charged ≤ produced`).toBeLessThanOrEqual(produced);
  expect(call?.amount_micro, where).toBe(priceOf(call?.input ?? 0, call?.output ?? 0));
}

function checkComplete(
  where: string,
  { row, form }: Cell,
  { received, reading, calls, truth }: CellResult,
): void {
  const [call] = calls;
  const [made] = truth;
  expect(`${received.status} ${received.ending}`, where).toBe('200 whole');
  if (form === 'stream') expect(reading, where).toMatchObject({ errors: 0 });
  if (form === 'stream') expect(reading?.terminators, where).toBeGreaterThan(0);
  expect(call, where).toMatchObject({ verdict: 'complete', status: 200, error_code: null });
  expect(truth.length, where).toBe(1);
  const produced = made?.plannedOutputTokens ?? 0;
  expect(call?.output, `${where}: charged what was produced`).toBe(produced);
  if (row.figures === undefined) expect(call?.input, where).toBe(made?.inputTokens);
  expect(call?.amount_micro, where).toBe(priceOf(call?.input ?? 0, call?.output ?? 0));
}

/** Google puts the error of a stream without `alt=sse` into an array. */
function errorOf(text: string): { readonly code?: number; readonly error: { readonly message: string } } {
  const body = JSON.parse(text);
  return Array.isArray(body) ? body[0] : body;
}

function priceOf(inputTokens: number, outputTokens: number): bigint {
  return BigInt(inputTokens) * INPUT_MICRO + BigInt(outputTokens) * OUTPUT_MICRO;
}
