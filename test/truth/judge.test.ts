import { describe, expect, it } from 'vitest';
import type { TruthCall } from '../../sim/truth.ts';
import type { Booked } from './books.ts';
import { CELLS, type Cell, drawRun } from './cells.ts';
import { ENDINGS } from './endings.ts';
import { amountOf, judge, type Told } from './judge.ts';
import { summaryOf } from './summary.ts';

const BEFORE_MICRO = 9_000_000_000n;

/** A run of this cell in which all is as it should be. */
function goodRun(ending: string, vendor: Cell['vendor']): Told {
  const cell = CELLS.find((one) => one.ending === ending && one.vendor === vendor && one.form === 'stream');
  if (cell === undefined) throw new Error(`no cell ${ending}`);
  const run = drawRun(cell, 0);
  const { rule, verdict, leave, status } = cell.course;
  const free = rule === 'nothing';
  const told = rule === 'received' ? 'early' : 'whole';
  const outputTokens = free ? 0 : told === 'early' ? run.at : run.tokens;
  const made = {
    inputTokens: 70,
    cacheRead: 20,
    cacheWrite: 0,
    outputTokens,
    reasoningTokens: 0,
    finished: verdict === 'cut-by-client' ? 'aborted-by-client' : 'complete',
  } as TruthCall;
  const counted = { input_fresh: free ? 0 : 70, cache_read: 0 };
  const row = {
    model_used: cell.model,
    protocol_in: cell.client,
    protocol_out: vendor,
    stream: true,
    status: status[0] ?? 0,
    verdict,
    payer: 'credits',
    free_reason: free ? 'nothing-produced' : null,
    estimated: rule === 'counted' || rule === 'received',
    ...(rule === 'reported' ? { input_fresh: 50, cache_read: 20 } : counted),
    cache_write: 0,
    output_text: outputTokens,
    output_reasoning: 0,
    images: 0,
  } as Booked;
  const left = leave !== 'never';
  const seen = { status: row.status === 499 ? 0 : row.status, delivered: outputTokens, left };
  return withMoney({ run, seen, truth: [made], booked: [row], creditsMicro: [0n, 0n], freeMicro: 0n });
}

/** The same with books that agree with themselves: only a look at the vendor's truth can tell. */
function withMoney(told: Told): Told {
  const booked = told.booked.map((row) => {
    const amount_micro = amountOf(row);
    const charge_micro = amount_micro * 1000n;
    const paid = charge_micro === 0n ? null : charge_micro;
    const entries = charge_micro === 0n ? 0 : 1;
    const changed_micro = -charge_micro;
    return {
      ...row,
      amount_micro,
      charge_micro,
      paid_micro: paid,
      shortfall_micro: 0n,
      entries,
      changed_micro,
    };
  });
  const afterMicro = BEFORE_MICRO - (booked[0]?.charge_micro ?? 0n);
  return { ...told, booked, creditsMicro: [BEFORE_MICRO, afterMicro], freeMicro: afterMicro };
}

function booking(told: Told, change: (row: Booked) => Partial<Booked>): Told {
  return { ...told, booked: told.booked.map((row) => ({ ...row, ...change(row) })) };
}

const OK = goodRun('ok', 'chat');
const COUNTED = goodRun('no usage', 'responses');
const CUT = goodRun('upstream cut in the middle', 'chat');
const FREE = goodRun('upstream 500 before tokens', 'gemini');

describe('the judge', () => {
  it('finds nothing wrong with correct calls', () => {
    for (const told of [OK, COUNTED, CUT, FREE]) expect(judge(told)).toEqual([]);
  });

  const wrong: readonly (readonly [name: string, told: Told, problem: RegExp])[] = [
    ['a call without a row', { ...OK, booked: [] }, /no row/],
    [
      'a call with two rows',
      { ...OK, booked: [...OK.booked, ...OK.booked] },
      /rows in the call log: 2, not 1/,
    ],
    ['a call the vendor got twice', { ...OK, truth: [...OK.truth, ...OK.truth] }, /calls at the vendor: 2/],
    ['another verdict', booking(OK, () => ({ verdict: 'cut-by-client' })), /verdict: cut-by-client, not/],
    ['another payer', booking(OK, () => ({ payer: 'none' })), /payer: none, not credits/],
    ['a count that passes for a report', booking(CUT, () => ({ estimated: false })), /estimated: false/],
    ['a token too many', withMoney(booking(OK, (row) => ({ output_text: row.output_text + 1 }))), /text: /],
    [
      'cached input at the full price',
      withMoney(booking(OK, () => ({ input_fresh: 70, cache_read: 0 }))),
      /fresh/,
    ],
    [
      'reasoning as text',
      booking(OK, (row) => ({ output_text: 0, output_reasoning: row.output_text })),
      /text: 0/,
    ],
    [
      'a count off by one',
      withMoney(booking(COUNTED, (row) => ({ output_text: row.output_text - 1 }))),
      /output/,
    ],
    [
      'a prompt not counted',
      withMoney(booking(COUNTED, () => ({ input_fresh: 0 }))),
      /input: 0, not 5\d to /,
    ],
    ['a cut stream for nothing', withMoney(booking(CUT, () => ({ output_text: 0 }))), /output: 0, not/],
    ['a cut stream as a whole one', withMoney(booking(CUT, () => ({ output_text: 99 }))), /output: 99, not/],
    [
      'a charge for nothing',
      withMoney(booking(FREE, () => ({ input_fresh: 70 }))),
      /input charged: 70, not 0/,
    ],
    ['a wrong amount', booking(OK, (row) => ({ amount_micro: row.amount_micro + 1n })), /amount: /],
    ['a charge that nobody paid', booking(OK, () => ({ paid_micro: null, entries: 0 })), /paid: 0, not/],
    ['a charge in two entries', booking(OK, () => ({ entries: 2 })), /ledger entries: 2, not 1/],
    [
      'Credits that went elsewhere',
      { ...OK, creditsMicro: [BEFORE_MICRO, 0n] },
      /Credits gone: 9000000000, not/,
    ],
    ['a hold that stays', { ...OK, freeMicro: (OK.freeMicro ?? 0n) - 1n }, /free afterwards: /],
    ['a slot that stays', { ...OK, freeMicro: undefined }, /free afterwards: undefined/],
    ['a client that missed its moment', { ...OK, seen: { ...OK.seen, left: true } }, /the client left: true/],
    ['text that was lost', { ...OK, seen: { ...OK.seen, delivered: 1 } }, /the client read: 1, not/],
  ];
  for (const [name, told, problem] of wrong) {
    it(`finds ${name}`, () => expect(judge(told).join('\n')).toMatch(problem));
  }
});

describe('the summary', () => {
  it('has a line for each ending and form, with the worst differences', () => {
    const off = withMoney(booking(COUNTED, () => ({ input_fresh: 75 })));
    const lines = summaryOf([OK, COUNTED, off, FREE]).split('\n');
    expect(lines.length).toBe(2 + 2 * ENDINGS.length);
    expect(lines).toContain('| ok, stream | 1 | 1 | 0 | 0 | 0 | 0 |');
    expect(lines).toContain('| no usage, stream | 2 | 0 | 2 | 0 | 0 to 5 | 0 |');
    expect(lines).toContain('| upstream 500 before tokens, stream | 1 | 0 | 0 | 1 | – | – |');
  });
});
