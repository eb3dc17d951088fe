import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sampleAccount, sampleKey, sampleModel, sampleRoute } from '../../../test/support/samples.ts';
import type { Gate, Lease, LeasedWindow } from '../../gate/contract.ts';
import { Tasks } from '../../kernel/async/task.ts';
import { silentLogger } from '../../kernel/log.ts';
import { systemClock } from '../../kernel/time/clock.ts';
import { NO_USAGE } from '../../kernel/usage.ts';
import type { CallRecord, Verdict } from '../../ledger/contract.ts';
import { openJournal } from '../../ledger/journal/journal.ts';
import { priceSnapshot } from '../admit/quote.ts';
import { type Call, newCall } from '../call.ts';
import { type Settlement, settleCall, settleInTurn } from './settle.ts';

const USAGE = { ...NO_USAGE, inputFresh: 100, outputText: 50, images: 1 };
/** 100 × 10 + 50 × 30 micro-yuan and a picture of 0.3 yuan. */
const AMOUNT = 302_500n;
const CHARGE = AMOUNT * 1000n;

interface Stage {
  readonly payer?: Call['payer'];
  readonly windows?: readonly LeasedWindow[];
  readonly gateIsShared?: boolean;
  readonly leaving?: () => void;
  readonly journal?: Settlement['journal'];
}

function stage(set: Stage = {}) {
  const { payer = 'credits', windows = [], gateIsShared = false, leaving = () => undefined } = set;
  const said: string[] = [];
  const records: CallRecord[] = [];
  const lease = {
    callId: 'c',
    accountId: 7,
    payer,
    heldMicro: 1n,
    shortOf: undefined,
    capMicro: 5n,
    windows,
  } as unknown as Lease;
  const gate = {
    leave: () => {
      said.push('leave');
      leaving();
    },
  } as unknown as Gate;
  const journal =
    set.journal ??
    ({
      end: (record: CallRecord) => {
        said.push(`end ${record.heldMicro}`);
        records.push(record);
      },
      flush: () => void said.push('flush'),
    } as unknown as Settlement['journal']);
  const observer = { callEnded: () => void said.push('told') };
  const tasks = new Tasks(silentLogger);
  const gates = { gate, gateIsShared };
  const settlement: Settlement = {
    journal,
    ...gates,
    observer,
    clock: systemClock,
    creditsPerYuan: 1000,
    tasks,
  };
  const endpoint = {
    protocol: 'chat',
    path: undefined,
    edit: false,
    query: '',
  } as unknown as Call['endpoint'];
  const caller = { account: sampleAccount(), key: sampleKey(), readAtMs: 0 };
  const call = newCall({ id: 'c', createdAtMs: 0, startedAt: 0, endpoint, caller });
  const model = sampleModel();
  const catalog = { nodes: [], systemRateMicro: 100_000_000n } as never;
  call.price = priceSnapshot(sampleRoute(), { catalog, model, account: caller.account, nodeName: 'n' });
  call.lease = lease;
  call.payer = payer;
  call.images = 3;
  call.expected = { inputTokens: 80, outputTokens: 40, images: 3 };
  const outcome = (verdict: Verdict) =>
    ({ status: 200, errorCode: null, verdict, usage: USAGE, estimated: false }) as const;
  const end = (verdict: Verdict) => settleCall(call, outcome(verdict), settlement);
  const endInTurn = (verdict: Verdict) => settleInTurn(call, outcome(verdict), settlement);
  return { said, records, end, endInTurn, tasks };
}

test('a call that came to more than it held ends at once: its record has both, and the books take the rest', () => {
  const { said, records, end } = stage();
  expect(end('complete')).toBeUndefined();
  expect(said).toEqual(['leave', 'end 1', 'told', 'flush']);
  const expected = { inputTokens: 80, outputTokens: 40, images: 3 };
  expect(records).toMatchObject([{ chargeMicro: CHARGE, heldMicro: 1n, capMicro: 5n, expected }]);
});

test('a shared gate gets an end that can no longer be lost', async () => {
  const { said, end, tasks } = stage({ payer: 'byok', gateIsShared: true });
  end('complete');
  expect(said).toEqual(['end 1', 'told', 'flush']);
  expect(await tasks.settled(60_000)).toBe(true);
  expect(said).toEqual(['end 1', 'told', 'flush', 'leave']);
});

test('a shared gate gets an end that a turn has written at its end', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'tollgate-settle-'));
  const journal = await openJournal({ directory, clock: systemClock, log: silentLogger });
  const isWritten = (): boolean =>
    readdirSync(directory).some((name) => readFileSync(join(directory, name), 'utf8').includes('"end"'));
  const seen: boolean[] = [];
  const leaving = (): void => void seen.push(isWritten());
  const { endInTurn, tasks } = stage({ gateIsShared: true, journal, leaving });
  try {
    endInTurn('complete');
    expect(await tasks.settled(60_000)).toBe(true);
    expect(seen).toEqual([true]);
  } finally {
    await journal.close();
    await rm(directory, { recursive: true });
  }
});

test('a cut call ends in the same order as a complete one', () => {
  const { said, end } = stage();
  end('cut-by-client');
  expect(said).toEqual(['leave', 'end 1', 'told', 'flush']);
});

test.each([
  ['byok', 'byok'],
  ['subscription', 'covered'],
] as const)('a call that %s pays is requested from no wallet and charged to none', (payer, freeReason) => {
  const { said, records, end } = stage({ payer });
  end('complete');
  expect(said).toEqual(['leave', 'end 1', 'told', 'flush']);
  expect(records).toMatchObject([{ payer, freeReason, chargeMicro: 0n, amountMicro: AMOUNT }]);
});

test('each window that counts the call is stored with its use', () => {
  const dimensions = ['requests', 'tokens', 'images', 'videos', 'amount'] as const;
  const of = (dimension: LeasedWindow['dimension']) => ({
    scope: 'key:1',
    dimension,
    seconds: 60,
    startedAtMs: 5,
  });
  const { records, end } = stage({ windows: dimensions.map(of) });
  end('complete');
  // Three pictures were asked for and count, though one was made.
  const used = [1n, 150n, 3n, 0n, AMOUNT];
  expect(records[0]?.windows).toEqual(dimensions.map((one, place) => ({ ...of(one), used: used[place] })));
});

test('a window that begins with the output of the call is stored too', () => {
  const windows: LeasedWindow[] = [];
  const begun = { scope: 'key:1', dimension: 'images', seconds: 60, startedAtMs: 5 } as const;
  const { records, end } = stage({ windows, leaving: () => windows.push(begun) });
  end('complete');
  expect(records[0]?.windows).toEqual([{ ...begun, used: 3n }]);
});

test('a fault of the gate keeps no record from the journal', async () => {
  const leaving = (): never => {
    throw new Error('a fault');
  };
  const own = stage({ leaving });
  expect(() => own.end('complete')).toThrow('a fault');
  expect(own.records).toHaveLength(1);
  const shared = stage({ gateIsShared: true, leaving });
  shared.end('complete');
  expect(shared.records).toHaveLength(1);
  expect(await shared.tasks.settled(60_000)).toBe(true);
});
