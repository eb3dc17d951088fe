import { appendFileSync, readdirSync } from 'node:fs';
import { mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { StoreUnavailable } from '../../accounts/contract.ts';
import type { SettledCalls } from '../../gate/contract.ts';
import { planFaults } from '../../kernel/fault.ts';
import { silentLogger } from '../../kernel/log.ts';
import { ManualClock } from '../../kernel/time/clock.ts';
import { NO_USAGE } from '../../kernel/usage.ts';
import type { OpenCall } from '../contract.ts';
import { MemoryLedger, SAMPLE_PRICE, sampleEnd, sampleOpen, sampleUsage } from '../suite/sample.ts';
import { type FileJournal, openJournal } from './journal.ts';
import { endAtLastMark, type RecoverReport, recover } from './recover.ts';
import { keepRejected } from './rejected.ts';

let directory: string;
let ledger: MemoryLedger;
let clock: ManualClock;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tollgate-recover-'));
  ledger = new MemoryLedger();
  clock = new ManualClock(sampleOpen('req').createdAtMs);
});

afterEach(async () => {
  await rm(directory, { recursive: true, force: true });
});

/** Writes with a journal that is then left as a killed process leaves it. */
async function write(work: (journal: FileJournal) => void, segmentBytes = 1_800): Promise<void> {
  const journal = await openJournal({ directory, clock, log: silentLogger, segmentBytes });
  work(journal);
  await journal.close();
}

function run(): Promise<RecoverReport> {
  return recover({ directory, store: ledger, creditsPerYuan: 1000, log: silentLogger });
}

const textOfBigint = (_name: string, value: unknown) =>
  typeof value === 'bigint' ? String(value) : (value ?? null);

function withoutWindows<Value extends { readonly windows: unknown }>(call: Value): Omit<Value, 'windows'> {
  const { windows: _windows, ...rest } = call;
  return rest;
}

describe('the recovery', () => {
  it('does nothing for an empty or absent directory', async () => {
    await rm(directory, { recursive: true });
    expect(await run()).toEqual({ segments: 0, ended: 0, cut: 0, rejected: 0, skipped: 0 });
  });

  it('ends open calls at their last mark, settles ended ones unchanged, and cleans up', async () => {
    await write((journal) => {
      journal.open(sampleOpen('req_done'));
      journal.end(sampleEnd('req_done'));
      journal.open(sampleOpen('req_cut'));
      journal.mark('req_cut', sampleUsage(900, 10), 50_000_000n);
      clock.advance(2_500);
      journal.mark('req_cut', sampleUsage(900, 70), 50_000_000n);
      journal.end(sampleEnd('req_refused', { verdict: 'refused', status: 429, chargeMicro: 0n }));
    });
    expect(await run()).toMatchObject({ ended: 2, cut: 1, rejected: 0, skipped: 0 });
    expect(ledger.calls.get('req_done')).toEqual(sampleEnd('req_done'));
    expect(ledger.calls.get('req_cut')).toMatchObject({
      status: 499,
      verdict: 'cut-by-gateway',
      estimated: true,
      usage: sampleUsage(900, 70),
      // 900 × 7 + 70 × 28 yuan per million tokens, in micro-yuan; × 1000 in micro-Credits.
      amountMicro: 8_260n,
      chargeMicro: 8_260_000n,
      freeReason: null,
      durationMs: 2_500,
      errorCode: null,
      price: SAMPLE_PRICE,
    });
    expect(await readdir(directory)).toEqual([]);
  });

  it('has the same result when it runs five times', async () => {
    const work = (journal: FileJournal) => {
      journal.open(sampleOpen('req_1'));
      journal.mark('req_1', sampleUsage(500, 500), 50_000_000n);
      journal.open(sampleOpen('req_2'));
      journal.end(sampleEnd('req_2'));
    };
    await write(work);
    await run();
    const chargedMicro = ledger.chargedMicro;
    expect(chargedMicro).toBe(17_500_000n + 21_000_000n);
    for (let again = 0; again < 4; again++) {
      await write(work);
      await run();
      await run();
    }
    expect(ledger.chargedMicro).toBe(chargedMicro);
    expect(ledger.calls.size).toBe(2);
  });

  it('charges a call of several routes with the price of the last', async () => {
    const dear = { ...SAMPLE_PRICE, prices: { ...SAMPLE_PRICE.prices, outputMicro: 280_000_000n } };
    await write((journal) => {
      journal.open(sampleOpen('req_1'));
      journal.open(sampleOpen('req_1', { routeId: 8, modelUsed: 'm-2', price: dear }));
      journal.mark('req_1', sampleUsage(1_000, 100), 50_000_000n);
    });
    await run();
    expect(ledger.calls.get('req_1')).toMatchObject({
      routeId: 8,
      modelUsed: 'm-2',
      chargeMicro: 35_000_000n,
    });
  });

  it('does not charge the output of a failed route when the next one is asked', async () => {
    await write((journal) => {
      journal.open(sampleOpen('req_1'));
      journal.mark('req_1', sampleUsage(900, 0), 50_000_000n);
      journal.open(sampleOpen('req_1', { routeId: 8 }));
      journal.open(sampleOpen('req_2'));
      journal.mark('req_2', sampleUsage(900, 0), 50_000_000n);
    });
    await run();
    expect(ledger.calls.get('req_1')).toMatchObject({ routeId: 8, chargeMicro: 0n, usage: NO_USAGE });
    // The head of an answer is a mark with the input alone.
    expect(ledger.calls.get('req_2')).toMatchObject({ chargeMicro: 6_300_000n, usage: sampleUsage(900, 0) });
  });

  it('that dies in the middle is repeated and charges nothing twice', async () => {
    await write((journal) => {
      for (let index = 0; index < 2_500; index++) journal.end(sampleEnd(`req_${index}`));
    }, 1_000_000);
    planFaults('recover.after-settle=throw@2');
    await expect(run()).rejects.toThrow('planned fault');
    expect(ledger.calls.size).toBe(2_000);
    expect(readdirSync(directory)).not.toEqual([]);
    expect(await run()).toMatchObject({ ended: 2_500 });
    expect(ledger.calls.size).toBe(2_500);
    expect(await readdir(directory)).toEqual([]);
  });

  it('keeps everything while the store is away', async () => {
    await write((journal) => journal.end(sampleEnd('req_1')));
    ledger.away = true;
    await expect(run()).rejects.toThrow(StoreUnavailable);
    ledger.away = false;
    expect(await run()).toMatchObject({ ended: 1 });
    expect(ledger.calls.size).toBe(1);
  });

  it('keeps calls that the store refuses in the rejected file, and settles the others', async () => {
    await write((journal) => {
      journal.end(sampleEnd('req_bad'));
      journal.end(sampleEnd('req_good'));
    });
    ledger.refused.add('req_bad');
    expect(await run()).toMatchObject({ ended: 2, rejected: 1 });
    expect([...ledger.calls.keys()]).toEqual(['req_good']);
    expect(await readdir(directory)).toEqual(['rejected.log']);
    expect(await run()).toMatchObject({ segments: 0 });
  });

  it('keeps the exact end of a refused call, although a crash left its marks in the journal', async () => {
    const exact = sampleEnd('req_bad', { chargeMicro: 77_000_000n, heldMicro: 80_000_000n });
    await write((journal) => {
      journal.open(sampleOpen('req_bad'));
      journal.mark('req_bad', sampleUsage(500, 500), 50_000_000n);
    });
    await keepRejected(directory, [exact]);
    expect(await run()).toMatchObject({ cut: 0 });
    expect(ledger.calls.size).toBe(0);
    // A person gives it a segment's name while other marks of it are still there.
    await write((journal) => {
      journal.open(sampleOpen('req_bad'));
      journal.mark('req_bad', sampleUsage(500, 500), 50_000_000n);
    });
    await rename(join(directory, 'rejected.log'), join(directory, '000000.log'));
    expect(await run()).toMatchObject({ ended: 1, cut: 0 });
    expect(ledger.calls.get('req_bad')?.chargeMicro).toBe(77_000_000n);
  });

  it('settles calls that cost more than they held behind all others', async () => {
    await write((journal) => {
      journal.end(sampleEnd('req_more', { chargeMicro: 9n, heldMicro: 8n }));
      journal.open(sampleOpen('req_cut'));
      journal.mark('req_cut', sampleUsage(500, 500), 50_000_000n);
      journal.open(sampleOpen('req_cut_more'));
      journal.mark('req_cut_more', sampleUsage(500, 500), 5n);
      journal.end(sampleEnd('req_within', { chargeMicro: 8n, heldMicro: 8n }));
    });
    await run();
    expect(ledger.batches.flat()).toEqual(['req_within', 'req_cut', 'req_more', 'req_cut_more']);
  });

  it('loses only the damaged lines', async () => {
    await write((journal) => journal.end(sampleEnd('req_1')));
    appendFileSync(join(directory, '000001.log'), 'deadbeef {"kind":"end"}\n\u0000\u0000\n');
    await writeFile(join(directory, '000002.log'), Buffer.alloc(300_000, 0x61));
    await write((journal) => journal.end(sampleEnd('req_2')));
    const report = await run();
    expect(report).toMatchObject({ segments: 3, ended: 2 });
    expect(report.skipped).toBeGreaterThanOrEqual(3);
    expect([...ledger.calls.keys()]).toEqual(['req_1', 'req_2']);
  });

  it('reports every call to the gate, also calls that the store knew, and survives a failing gate', async () => {
    const told: SettledCalls[] = [];
    const work = (journal: FileJournal) => {
      journal.end(sampleEnd('req_1', { chargeMicro: 3n }));
      journal.end(sampleEnd('req_2', { accountId: 2, chargeMicro: 4n }));
      journal.open(sampleOpen('req_3'));
      journal.mark('req_3', sampleUsage(500, 500), 50_000_000n);
    };
    const settled = (account: SettledCalls) => void told.push(account);
    await write(work);
    await recover({ directory, store: ledger, creditsPerYuan: 1000, log: silentLogger, settled });
    const first = told.map(({ accountId, calls }) => [accountId, calls.map((call) => call.callId)]);
    expect(first).toEqual([
      [1, ['req_1', 'req_3']],
      [2, ['req_2']],
    ]);
    expect(told[0]).toMatchObject({ funds: ledger.funds(), calls: [{}, { chargeMicro: 17_500_000n }] });
    await write(work);
    const failing = () => Promise.reject(new Error('redis is away'));
    await recover({ directory, store: ledger, creditsPerYuan: 1000, log: silentLogger, settled: failing });
    await write(work);
    told.length = 0;
    await recover({ directory, store: ledger, creditsPerYuan: 1000, log: silentLogger, settled });
    expect(told.map(({ accountId, calls }) => [accountId, calls.map((call) => call.callId)])).toEqual(first);
  });

  it('reads a journal from before windows were written', async () => {
    const old = [
      JSON.stringify({ kind: 'open', call: withoutWindows(sampleOpen('req_open')) }, textOfBigint),
      JSON.stringify({ kind: 'end', call: withoutWindows(sampleEnd('req_end')) }, textOfBigint),
    ];
    expect(old.join()).not.toContain('windows');
    const lines = old.map((json) => `${crc32(json).toString(16).padStart(8, '0')} ${json}\n`);
    await writeFile(join(directory, '000001.log'), lines.join(''));
    expect(await run()).toMatchObject({ ended: 1, cut: 1, skipped: 0 });
    expect(ledger.calls.get('req_end')).toEqual(sampleEnd('req_end'));
    expect(ledger.calls.get('req_open')).toMatchObject({ windows: [] });
  });

  it('settles a duplicate end once', async () => {
    await write((journal) => journal.end(sampleEnd('req_1')));
    await write((journal) => journal.end(sampleEnd('req_1')));
    await run();
    expect(ledger.batches).toEqual([['req_1']]);
  });
});

describe('the end of an interrupted call', () => {
  const recoverEnd = (open: Partial<OpenCall>, outputText: number | undefined, heldMicro?: bigint) => {
    const call = sampleOpen('req_1', open);
    const { callId, createdAtMs: atMs } = call;
    const mark = { callId, usage: sampleUsage(0, outputText ?? 0), atMs, heldMicro };
    return endAtLastMark({ open: call, mark: outputText === undefined ? undefined : mark }, 1000);
  };

  it('before its first mark charges nothing, not even input', () => {
    expect(recoverEnd({ inputTokens: 9_999, images: 3 }, undefined)).toMatchObject({
      usage: NO_USAGE,
      amountMicro: 0n,
      chargeMicro: 0n,
      freeReason: 'nothing-produced',
      durationMs: 0,
    });
  });

  it('names the attempt in progress', () => {
    const tried = { routeId: 3, vendor: 'acme', outcome: 'cut-by-gateway', durationMs: 0 };
    expect(recoverEnd({}, 10).attempts).toEqual([{ ...tried, credential: 'main' }]);
    const byok = recoverEnd({ credential: 'mine', own: true }, 10);
    expect(byok.attempts).toEqual([{ ...tried, credential: 'mine', own: true }]);
  });

  it('with a mark charges the input, estimated where the vendor had not reported it', () => {
    expect(recoverEnd({ inputTokens: 1_000 }, 10)).toMatchObject({
      usage: sampleUsage(1_000, 10),
      chargeMicro: 7_280_000n,
    });
  });

  it('counts in the windows that admitted it: the output, or the request before the first mark', () => {
    const window = { scope: 'key:2', seconds: 60, startedAtMs: 1_767_225_600_000 };
    const windows = (['requests', 'tokens', 'amount', 'images', 'videos'] as const).map((dimension) => ({
      ...window,
      dimension,
    }));
    const used = (outputText: number | undefined) =>
      recoverEnd({ inputTokens: 1_000, images: 2, windows }, outputText).windows.map((each) => each.used);
    expect(used(10)).toEqual([1n, 1_010n, 7_280n, 2n, 0n]);
    expect(used(undefined)).toEqual([1n, 1_000n, 0n, 2n, 0n]);
    expect(recoverEnd({ windows: windows.slice(0, 1) }, 1).windows).toEqual([
      { ...window, dimension: 'requests', used: 1n },
    ]);
  });

  it('has its hold at the last mark, except in older journals', () => {
    expect(recoverEnd({ inputTokens: 1_000, heldMicro: 5_000_000n }, 10, 6_000_000n)).toMatchObject({
      chargeMicro: 7_280_000n,
      heldMicro: 6_000_000n,
    });
    expect(recoverEnd({ inputTokens: 1_000, heldMicro: 5_000_000n }, 10).heldMicro).toBe(7_280_000n);
    expect(recoverEnd({ inputTokens: 1_000, heldMicro: 9_000_000n }, 10).heldMicro).toBe(9_000_000n);
    expect(recoverEnd({ heldMicro: 5_000_000n }, undefined).heldMicro).toBe(5_000_000n);
  });

  it('is settled by the basis of its grant', () => {
    const granted = { month: '2026-12', mayExchange: true, capMicro: 9n, creditsPerYuan: 500 } as const;
    expect(recoverEnd({ ...granted, inputTokens: 1_000 }, 10)).toMatchObject({
      ...granted,
      chargeMicro: 3_640_000n,
    });
    const { month, mayExchange } = recoverEnd({}, 10);
    expect([month, mayExchange]).toEqual([undefined, undefined]);
  });

  it('has its maximum use, except in older journals', () => {
    const expected = { inputTokens: 1_000, outputTokens: 64, images: 2 };
    expect(recoverEnd({ inputTokens: 1_000, outputTokensMax: 64, images: 2 }, 10).expected).toEqual(expected);
    expect(recoverEnd({ inputTokens: 1_000 }, 10).expected).toBeUndefined();
    expect(
      recoverEnd({ inputTokens: 1_000, outputTokensMax: 64, payer: 'byok' }, 10).expected,
    ).toBeUndefined();
  });

  it('of a model without a price has output too', () => {
    const free = { ...SAMPLE_PRICE.prices, inputMicro: 0n, outputMicro: 0n };
    const price = { ...SAMPLE_PRICE, prices: free };
    expect(recoverEnd({ price }, 10)).toMatchObject({ amountMicro: 0n, freeReason: 'below-one-credit' });
  });

  it('charges nothing below one Credit', () => {
    expect(recoverEnd({ inputTokens: 0 }, 35)).toMatchObject({
      amountMicro: 980n,
      chargeMicro: 0n,
      freeReason: 'below-one-credit',
    });
    expect(recoverEnd({ inputTokens: 0 }, 36)).toMatchObject({ chargeMicro: 1_008_000n, freeReason: null });
  });

  it('without Credits charges nothing, and has the amount', () => {
    expect(recoverEnd({ payer: 'byok' }, 500)).toMatchObject({
      amountMicro: 21_000n,
      chargeMicro: 0n,
      freeReason: 'byok',
    });
    expect(recoverEnd({ payer: 'subscription' }, 500)).toMatchObject({
      chargeMicro: 0n,
      freeReason: 'covered',
    });
    expect(recoverEnd({ payer: 'none' }, 500)).toMatchObject({ chargeMicro: 0n });
  });
});
