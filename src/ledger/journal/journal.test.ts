import { readdirSync, readFileSync, writeSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { StoreUnavailable } from '../../accounts/contract.ts';
import { JOURNAL_RECORD_BYTES_MAX } from '../../bounds.ts';
import { silentLogger } from '../../kernel/log.ts';
import { ManualClock } from '../../kernel/time/clock.ts';
import type { CallRecord } from '../contract.ts';
import { sampleEnd, sampleOpen, sampleUsage } from '../suite/sample.ts';
import { type FileJournal, type JournalOptions, type Location, openJournal } from './journal.ts';
import { decodeLine } from './record-reader.ts';
import type { WriteAt } from './segment-files.ts';

let directory: string;
let journal: FileJournal | undefined;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tollgate-journal-'));
});

afterEach(async () => {
  await journal?.close().catch(() => {});
  journal = undefined;
  await rm(directory, { recursive: true, force: true });
});

async function start(parts: Partial<JournalOptions> = {}): Promise<FileJournal> {
  journal = await openJournal({
    directory,
    clock: new ManualClock(),
    log: silentLogger,
    syncMs: 1,
    ...parts,
  });
  return journal;
}

function segments(): string[] {
  return readdirSync(directory).sort();
}

/** What another process would read at this moment: `open req_1`, `end req_1`, … */
function recordsOnDisk(): string[] {
  return segments().flatMap((name) =>
    readFileSync(join(directory, name), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => {
        const record = decodeLine(Buffer.from(line));
        if (record === undefined) return 'garbage';
        return `${record.kind} ${record.kind === 'mark' ? record.callId : record.call.callId}`;
      }),
  );
}

async function segmentsBecome(names: readonly string[]): Promise<void> {
  await vi.waitFor(() => expect(segments()).toEqual(names), { timeout: 60_000, interval: 2 });
}

describe('the journal', () => {
  it('writes the records of a turn together at its end, and opens no call before that', async () => {
    let writes = 0;
    const write: WriteAt = (descriptor, bytes, length, position) => {
      writes += 1;
      return writeSync(descriptor, bytes, 0, length, position);
    };
    const book = await start({ write });
    const places: (Location | undefined)[] = [];
    book.onEnded((_, location) => places.push(location));
    const opened = [book.open(sampleOpen('req_1')), book.open(sampleOpen('req_2'))];
    book.end(sampleEnd('req_3'));
    book.end(sampleEnd('req_2'));
    expect([recordsOnDisk(), places]).toEqual([[], []]);
    await Promise.race(opened);
    expect(recordsOnDisk()).toEqual(['open req_1', 'open req_2', 'end req_3', 'end req_2']);
    expect(places.map((place) => place && book.read(place)?.callId)).toEqual(['req_3', 'req_2']);
    expect(writes).toBe(1);
    expect(book.bytes).toBe(readFileSync(join(directory, '000001.log')).length);
  });

  it('has handed a mark and a flush to the operating system when it returns', async () => {
    const book = await start();
    const opened = book.open(sampleOpen('req_1'));
    book.mark('req_1', sampleUsage(1, 2), 0n);
    expect(recordsOnDisk()).toEqual(['open req_1', 'mark req_1']);
    book.end(sampleEnd('req_1'));
    book.flush();
    expect(recordsOnDisk()).toEqual(['open req_1', 'mark req_1', 'end req_1']);
    await opened;
  });

  it('writes a turn with more records than one write may have in several writes', async () => {
    const book = await start();
    const long = 'x'.repeat(JOURNAL_RECORD_BYTES_MAX / 2);
    for (let index = 0; index < 20; index++) book.end(sampleEnd(`req_${index}`, { keyName: long }));
    book.flush();
    expect(recordsOnDisk()).toEqual(Array.from({ length: 20 }, (_, index) => `end req_${index}`));
  });

  it('delivers every ended call with its place, also calls that ended earlier', async () => {
    const book = await start();
    end(book, sampleEnd('req_1', { status: 403, verdict: 'refused' }));
    const taken: string[] = [];
    book.onEnded((call, location) => {
      taken.push(call.callId);
      expect(location && book.read(location)).toEqual(call);
    });
    await book.open(sampleOpen('req_2'));
    end(book, sampleEnd('req_2'));
    expect(taken).toEqual(['req_1', 'req_2']);
    expect(book.lag).toBe(2);
    book.committed(['req_1', 'req_2']);
    expect(book.lag).toBe(0);
  });

  it('starts a new segment when one is full, and deletes one when all its calls are committed', async () => {
    const book = await start({ segmentBytes: 2_000 });
    for (const name of ['a', 'b', 'c']) {
      await book.open(sampleOpen(`req_${name}`));
      end(book, sampleEnd(`req_${name}`));
    }
    expect(segments()).toEqual(['000001.log', '000002.log', '000003.log']);
    book.committed(['req_b']);
    await segmentsBecome(['000001.log', '000003.log']);
    book.committed(['req_a']);
    await segmentsBecome(['000003.log']);
    book.committed(['req_c']);
    await book.close();
    journal = undefined;
    expect(segments()).toEqual([]);
    expect(book.bytes).toBe(0);
  });

  it('keeps the segments of an open call and its last mark, not of older marks', async () => {
    const book = await start({ segmentBytes: 1_500 });
    await book.open(sampleOpen('req_long'));
    await fill(book, 'x');
    book.mark('req_long', sampleUsage(1, 1), 0n);
    await fill(book, 'y');
    book.mark('req_long', sampleUsage(1, 2), 0n);
    await vi.waitFor(
      () =>
        expect(recordsOnDisk().filter((one) => !one.includes('fill'))).toEqual([
          'open req_long',
          'mark req_long',
        ]),
      { timeout: 60_000 },
    );
  });

  it('carries long calls and their marks into newer segments, so that the old ones can be deleted', async () => {
    const book = await start({ segmentBytes: 10_000 });
    const long = Array.from({ length: 12 }, (_, index) => `req_long_${index}`);
    // Each of them begins in a segment of its own and would keep it.
    for (const callId of long) {
      await book.open(sampleOpen(callId));
      book.mark(callId, sampleUsage(7, 7), 0n);
      for (let round = 0; round < 5; round++) await fill(book, `${callId}_${round}`);
    }
    for (let round = 0; round < 20; round++) await fill(book, `${round}`);
    await vi.waitFor(() => expect(Number.parseInt(segments()[0] ?? '', 10)).toBeGreaterThan(8), {
      timeout: 60_000,
    });
    for (const callId of long) expect(recordsOnDisk()).toContain(`open ${callId}`);
    for (const callId of long) expect(recordsOnDisk()).toContain(`mark ${callId}`);
    for (const callId of long) end(book, sampleEnd(callId));
    book.committed(long);
    await book.close();
    journal = undefined;
    expect(segments()).toEqual([]);
  });

  it('leaves uncommitted calls on the disk when it closes, and continues after them', async () => {
    const first = await start();
    await first.open(sampleOpen('req_1'));
    await first.close();
    const second = await start();
    await second.open(sampleOpen('req_2'));
    expect(segments()).toEqual(['000001.log', '000002.log']);
    expect(recordsOnDisk()).toEqual(['open req_1', 'open req_2']);
  });

  it('takes no new call at its byte bound, but the end of running calls, until there is space', async () => {
    const book = await start({ segmentBytes: 1_500, bytesMax: 3_000 });
    let opened = 0;
    while (book.writable) await book.open(sampleOpen(`req_${opened++}`));
    expect(book.bytes).toBeGreaterThanOrEqual(3_000);
    await expect(book.open(sampleOpen('req_new'))).rejects.toThrow(StoreUnavailable);
    await book.open(sampleOpen('req_0', { routeId: 9 }));
    for (let index = 0; index < opened; index++) end(book, sampleEnd(`req_${index}`));
    expect(book.writable).toBe(false);
    book.committed(Array.from({ length: opened }, (_, index) => `req_${index}`));
    await vi.waitFor(() => expect(book.writable).toBe(true), { timeout: 60_000 });
    await book.open(sampleOpen('req_new'));
  });

  it('leaves refused calls out of the log at its byte bound', async () => {
    const told: [object, string][] = [];
    const note = (fields: object, message: string): void => void told.push([fields, message]);
    const book = await start({
      segmentBytes: 1_500,
      bytesMax: 3_000,
      log: { ...silentLogger, warn: note, error: note },
    });
    const taken: string[] = [];
    book.onEnded((call) => taken.push(call.callId));
    await book.open(sampleOpen('req_paid'));
    for (let index = 0; book.writable; index++) end(book, refused(`req_early_${index}`));
    const early = [...taken];
    const { bytes, lag } = book;
    for (let index = 0; index < 50; index++) end(book, refused(`req_late_${index}`));
    expect([book.bytes, book.lag, taken]).toEqual([bytes, lag, early]);
    // Who was let in is written whatever the bound says.
    end(book, sampleEnd('req_paid'));
    expect(taken.at(-1)).toBe('req_paid');
    book.committed(taken);
    await vi.waitFor(() => expect(book.writable).toBe(true), { timeout: 60_000 });
    await book.open(sampleOpen('req_new'));
    expect(told).toEqual([
      [{}, 'journal is full: refused calls are not logged'],
      [{ calls: 50 }, 'journal has space again: refused calls were not logged'],
    ]);
  });

  it('ends a call exactly once, and marks it only while it is open', async () => {
    const book = await start();
    expect(() => book.mark('req_1', sampleUsage(0, 0), 0n)).toThrow('while it is open');
    await book.open(sampleOpen('req_1'));
    end(book, sampleEnd('req_1'));
    expect(() => book.end(sampleEnd('req_1'))).toThrow('exactly once');
    expect(() => book.mark('req_1', sampleUsage(0, 0), 0n)).toThrow('while it is open');
    await expect(book.open(sampleOpen('req_1'))).rejects.toThrow('after its end');
    expect(() => book.committed(['req_2'])).toThrow('ended before');
  });

  it('writes a record with too many dropped fields without them', async () => {
    const book = await start();
    end(
      book,
      sampleEnd('req_1', { droppedFields: Array.from({ length: 9_000 }, (_, n) => `field.${n}.name`) }),
    );
    expect(recordsOnDisk()).toEqual(['end req_1']);
  });
});

describe('the journal on a full disk', () => {
  /** Takes `room` bytes, then behaves as ext4 does: a short write, then ENOSPC. */
  function disk(room: number) {
    const state = { room };
    const write = (descriptor: number, bytes: Buffer, length: number, position: number): number => {
      const fits = Math.min(length, Math.max(0, state.room));
      if (fits === 0) throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
      state.room -= fits;
      return writeSync(descriptor, bytes, 0, fits, position);
    };
    return { state, write };
  }

  it('refuses the call that it could not write, corrupts nothing, and continues when space returns', async () => {
    const { state, write } = disk(1_000);
    const book = await start({ write, retryMs: 5 });
    await book.open(sampleOpen('req_1'));
    await expect(book.open(sampleOpen('req_2'))).rejects.toThrow(StoreUnavailable);
    expect(book.writable).toBe(false);
    await expect(book.open(sampleOpen('req_3'))).rejects.toThrow(StoreUnavailable);
    expect(recordsOnDisk()).toEqual(['open req_1']);
    state.room = 1_000_000;
    await vi.waitFor(() => expect(book.writable).toBe(true), { timeout: 60_000 });
    await book.open(sampleOpen('req_4'));
    expect(recordsOnDisk()).toEqual(['open req_1', 'open req_4']);
  });

  it('opens no call of a turn that it could not write, and settles the ends from memory', async () => {
    const { state, write } = disk(1_000);
    const book = await start({ write, retryMs: 5 });
    const taken: [string, boolean][] = [];
    book.onEnded((call, location) => taken.push([call.callId, location !== undefined]));
    const opened = [book.open(sampleOpen('req_1')), book.open(sampleOpen('req_2'))];
    book.end(sampleEnd('req_2'));
    for (const result of await Promise.allSettled(opened)) expect(result.status).toBe('rejected');
    expect([recordsOnDisk(), taken]).toEqual([[], [['req_2', false]]]);
    state.room = 1_000_000;
    await vi.waitFor(() => expect(book.writable).toBe(true), { timeout: 60_000 });
    // Nothing is left of the call that never opened: it may be told anew.
    await book.open(sampleOpen('req_1'));
    expect(recordsOnDisk()).toEqual(['end req_2', 'open req_1']);
  });

  it('settles the end it could not write from memory, and writes it when space returns', async () => {
    const { state, write } = disk(1_000);
    const book = await start({ write, retryMs: 5 });
    const taken: [string, boolean][] = [];
    book.onEnded((call, location) => taken.push([call.callId, location !== undefined]));
    await book.open(sampleOpen('req_1'));
    book.mark('req_1', sampleUsage(1, 1), 0n);
    end(book, sampleEnd('req_1'));
    end(book, sampleEnd('req_2'));
    expect(taken).toEqual([
      ['req_1', false],
      ['req_2', false],
    ]);
    book.committed(['req_2']);
    state.room = 1_000_000;
    await vi.waitFor(() => expect(book.writable).toBe(true), { timeout: 60_000 });
    expect(recordsOnDisk().at(-1)).toBe('end req_1');
    expect(recordsOnDisk()).not.toContain('end req_2');
    book.committed(['req_1']);
    await book.close();
    journal = undefined;
    expect(segments()).toEqual([]);
  });

  it('is not filled again by the refused calls of the meantime, which owe nothing', async () => {
    const { state, write } = disk(1_000);
    const book = await start({ write, retryMs: 5 });
    const taken: string[] = [];
    book.onEnded((call) => taken.push(call.callId));
    await book.open(sampleOpen('req_1'));
    await expect(book.open(sampleOpen('req_2'))).rejects.toThrow(StoreUnavailable);
    const names = Array.from({ length: 1_000 }, (_, index) => `req_refused_${index}`);
    for (const name of names) book.end(refused(name));
    book.end(sampleEnd('req_1'));
    state.room = 100_000;
    await vi.waitFor(() => expect(recordsOnDisk()).toEqual(['end req_1']), { timeout: 60_000 });
    expect(book.writable).toBe(true);
    expect(taken).toEqual([...names, 'req_1']);
  });

  it('covers a torn record that cannot be removed with the next one', async () => {
    let torn = true;
    const write = (descriptor: number, bytes: Buffer, length: number, position: number): number => {
      if (position === 0 || !torn) return writeSync(descriptor, bytes, 0, length, position);
      torn = false;
      writeSync(descriptor, bytes, 0, length - 20, position);
      throw Object.assign(new Error('input/output error'), { code: 'EIO' });
    };
    const book = await start({ write, retryMs: 5 });
    await book.open(sampleOpen('req_1'));
    await expect(book.open(sampleOpen('req_2'))).rejects.toThrow(StoreUnavailable);
    await vi.waitFor(() => expect(book.writable).toBe(true), { timeout: 60_000 });
    await book.open(sampleOpen('req_3'));
    expect(recordsOnDisk()).toEqual(['open req_1', 'open req_3']);
  });
});

function refused(callId: string): CallRecord {
  return sampleEnd(callId, { status: 503, verdict: 'refused', amountMicro: 0n, chargeMicro: 0n });
}

/** The end of a call that nothing shares its turn with. */
function end(book: FileJournal, call: CallRecord): void {
  book.end(call);
  book.flush();
}

/** One short call that is committed at once. */
async function fill(book: FileJournal, name: string): Promise<void> {
  await book.open(sampleOpen(`req_fill_${name}`));
  end(book, sampleEnd(`req_fill_${name}`));
  book.committed([`req_fill_${name}`]);
}
