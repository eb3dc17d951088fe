import { expect, test } from 'vitest';
import { callOf } from '../../../test/support/calls.ts';
import { silentLogger } from '../../kernel/log.ts';
import { NO_USAGE } from '../../kernel/usage.ts';
import type { CallRecord } from '../../ledger/contract.ts';
import { logCalls } from './call-log-line.ts';

test('a line has every token of the call once, and the next observer gets the call too', () => {
  const lines: object[] = [];
  const heard: CallRecord[] = [];
  const log = { ...silentLogger, debug: (fields: object) => void lines.push(fields) };
  const usage = {
    ...NO_USAGE,
    inputFresh: 1,
    cacheRead: 20,
    cacheWrite: 300,
    outputText: 4,
    outputReasoning: 50,
  };
  const record = callOf({ accountId: 7, usage, status: 499, verdict: 'cut-by-client', estimated: true });
  logCalls({ callEnded: (one) => void heard.push(one) }, log, 'debug').callEnded(record, undefined);
  expect(heard).toEqual([record]);
  expect(lines).toMatchObject([
    {
      requestId: record.callId,
      accountId: 7,
      inputTokens: 321,
      outputTokens: 54,
      status: 499,
      estimated: true,
    },
  ]);
});

test('a line names the trace of its call', () => {
  const lines: object[] = [];
  const log = { ...silentLogger, info: (fields: object) => void lines.push(fields) };
  const ids = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7' };
  const nothing = (): void => {};
  const life = { attemptBegan: nothing, passOn: nothing, answerArrived: nothing, attemptEnded: nothing };
  const trace = { ...ids, isSampled: true, ...life, ended: nothing };
  logCalls({ callEnded: nothing }, log, 'info').callEnded(callOf({ accountId: 7 }), trace);
  expect(lines).toMatchObject([{ trace_id: ids.traceId, span_id: ids.spanId }]);
});
