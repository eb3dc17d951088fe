import { expect, test } from 'vitest';
import { NO_USAGE } from '../kernel/usage.ts';
import { computeBill, endRecord, findFreeReason, jobRecord, voidRecord } from './end-record.ts';
import { SAMPLE_PRICE, sampleEnd, sampleOpen, sampleUsage } from './suite/sample.ts';

const SOME = { ...NO_USAGE, inputFresh: 1 };

test.each([
  ['byok', 0n, SOME, 'byok'],
  ['byok', 0n, NO_USAGE, 'byok'],
  ['subscription', 0n, SOME, 'covered'],
  ['subscription', 0n, NO_USAGE, 'covered'],
  ['credits', 1_000_000n, SOME, null],
  ['credits', 0n, SOME, 'below-one-credit'],
  ['credits', 0n, { ...NO_USAGE, images: 1 }, 'below-one-credit'],
  ['credits', 0n, { ...NO_USAGE, videos: 1 }, 'below-one-credit'],
  ['credits', 0n, NO_USAGE, 'nothing-produced'],
  ['none', 0n, NO_USAGE, 'nothing-produced'],
] as const)('paid by %s with a charge of %d', (payer, chargeMicro, usage, reason) => {
  expect(findFreeReason({ payer, chargeMicro, usage })).toBe(reason);
});

test('a record has the terms that the call was opened with, and what became of it', () => {
  const window = { scope: 'key:2', dimension: 'tokens', seconds: 60, startedAtMs: 5 } as const;
  const { credential: _, inputTokens, images, ...terms } = sampleOpen('req_1', { windows: [window] });
  const { status, errorCode, verdict, usage, estimated, ...end } = sampleEnd('req_1');
  const outcome = { status, errorCode, verdict, usage, estimated };
  const { attempts, ttfbMs, durationMs, droppedFields } = end;
  const bill = computeBill(terms, usage, 1000);
  const expected = { inputTokens, outputTokens: 500, images };
  const course = { attempts, ttfbMs, durationMs, droppedFields, expected };
  const counted = { tokens: 1_500, images };
  const windows = [{ ...window, used: 1_500n }];
  expect(endRecord(terms, outcome, { ...course, bill, counted })).toEqual({
    ...sampleEnd('req_1'),
    expected,
    windows,
  });
  const byok = { ...terms, payer: 'byok' } as const;
  expect(endRecord(byok, outcome, { ...course, bill, counted }).expected).toBeUndefined();
});

test('a call for a video counts in its windows, whatever becomes of it', () => {
  const window = { scope: 'key:2', dimension: 'videos', seconds: 60, startedAtMs: 5 } as const;
  const { credential: _, ...terms } = sampleOpen('req_1', { windows: [window], protocolIn: 'videos' });
  const end = { ...sampleEnd('req_1'), usage: NO_USAGE };
  const bill = { amountMicro: 0n, chargeMicro: 0n };
  const record = endRecord(terms, end, { ...end, bill, counted: { tokens: 0, images: 0 } });
  expect(record.windows).toEqual([{ ...window, used: 1n }]);
});

test('only Credits are charged, and a call without a route costs nothing', () => {
  const usage = sampleUsage(1_000, 500);
  const priced = { amountMicro: 21_000n, chargeMicro: 21_000_000n };
  expect(computeBill({ price: SAMPLE_PRICE, payer: 'credits' }, usage, 1000)).toEqual(priced);
  expect(computeBill({ price: SAMPLE_PRICE, payer: 'byok' }, usage, 1000)).toEqual({
    ...priced,
    chargeMicro: 0n,
  });
  const nothing = { amountMicro: 0n, chargeMicro: 0n };
  expect(computeBill({ price: null, payer: 'credits' }, usage, 1000)).toEqual(nothing);
});

test('the record of a job that is void has produced nothing, says why, and counts in no window again', () => {
  const job = { kind: 'video', objectId: 'video_1' } as const;
  const windows = [{ scope: 'key:2', dimension: 'videos', seconds: 60, startedAtMs: 5, used: 1n }] as const;
  const usage = { ...NO_USAGE, videos: 1 };
  const call = sampleEnd('req_1', { job, windows, usage });
  const gone = voidRecord(call, 'missing');
  expect(gone).toMatchObject({
    ...{ callId: 'req_1', status: 502, errorCode: null, verdict: 'failed', usage: NO_USAGE, windows: [] },
    ...{ amountMicro: 0n, chargeMicro: 0n, freeReason: 'nothing-produced', price: SAMPLE_PRICE },
    refusal: { message: expect.stringContaining('does not know it') },
  });
  expect(voidRecord({ ...call, payer: 'byok' }, 'failed').freeReason).toBe('byok');
});

test('the record of a call that created a job names it', () => {
  const job = { kind: 'video', objectId: 'video_1' } as const;
  const { credential: _, inputTokens: _1, images: _2, ...terms } = sampleOpen('req_1');
  const { status, errorCode, verdict, usage, estimated, ...end } = sampleEnd('req_1', { job });
  const outcome = { status, errorCode, verdict, usage, estimated };
  const bill = computeBill(terms, usage, 1000);
  const counted = { tokens: 0, images: 0 };
  expect(endRecord(terms, outcome, { ...end, bill, counted }).job).toEqual(job);
});

test('the record of a batch that ended has what its items used, and counts in no window again', () => {
  const job = { kind: 'batch', objectId: 'batch_1' } as const;
  const windows = [{ scope: 'key:2', dimension: 'tokens', seconds: 60, startedAtMs: 5, used: 1n }] as const;
  const usage = { ...NO_USAGE, inputFresh: 900, outputText: 9_000 };
  const call = sampleEnd('req_1', { job, windows, usage });
  const result = { usage: { ...NO_USAGE, inputFresh: 500, outputText: 700 }, estimated: true };
  const ended = jobRecord(call, { state: 'complete', result }, 1000);
  const bill = computeBill(call, result.usage, call.creditsPerYuan ?? 1000);
  expect(ended).toMatchObject({ ...result, ...bill, windows: [], status: call.status, freeReason: null });
  expect(bill.chargeMicro).toBeGreaterThan(0n);
  const nothing = { state: 'complete', result: { usage: NO_USAGE, estimated: false } } as const;
  expect(jobRecord(call, nothing, 1000)).toMatchObject({ chargeMicro: 0n, freeReason: 'nothing-produced' });
  expect(jobRecord(call, { state: 'complete' }, 1000)).toEqual({ ...call, windows: [] });
});
