import { expect, test } from 'vitest';
import { Exemplars, splitExemplar } from './exemplars.ts';

const CALL = { callId: 'req_01abc', traceId: '', endedAtMs: 1_763_000_000_123 };
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';

test('a bucket shows its last call, with its trace if it has one', () => {
  const exemplars = new Exemplars(2);
  expect(exemplars.render(0)).toBe('');
  exemplars.note(0, 0.25, CALL);
  exemplars.note(0, 0.5, { ...CALL, callId: 'req_02def', traceId: TRACE });
  expect(exemplars.render(0)).toBe(` # {request_id="req_02def",trace_id="${TRACE}"} 0.5 1763000000.123`);
  expect(exemplars.render(1)).toBe('');
});

test('a call without a trace does not replace one with a trace for a minute', () => {
  const exemplars = new Exemplars(1);
  exemplars.note(0, 1, { ...CALL, traceId: TRACE });
  exemplars.note(0, 2, { ...CALL, endedAtMs: CALL.endedAtMs + 59_999 });
  expect(exemplars.render(0)).toContain(TRACE);
  exemplars.note(0, 2, { ...CALL, endedAtMs: CALL.endedAtMs + 60_000 });
  expect(exemplars.render(0)).toBe(' # {request_id="req_01abc"} 2 1763000060.123');
});

test('a line is split before its exemplar, whatever its labels contain', () => {
  const sample = 'a_bucket{model="x # {request_id=\\"y\\"} 1 2",le="1"} 4';
  const exemplar = ' # {request_id="req_01abc"} 0.5 12.5';
  expect(splitExemplar(sample + exemplar)).toEqual({ sample, exemplar, exemplarAtSeconds: 12.5 });
  expect(splitExemplar(sample)).toEqual({ sample, exemplar: '', exemplarAtSeconds: 0 });
});

test('the labels of an exemplar fit into what OpenMetrics allows', () => {
  const exemplars = new Exemplars(1);
  exemplars.note(0, 1, { ...CALL, callId: `req_${'0'.repeat(26)}`, traceId: TRACE });
  const labels = /\{(.*)\}/.exec(exemplars.render(0))?.[1] ?? '';
  const characters = labels.replaceAll(/[=",]/g, '');
  expect(characters.length).toBe(80);
});
