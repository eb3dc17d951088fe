import { mkdir } from 'node:fs/promises';
import { StoreUnavailable } from '../../accounts/contract.ts';
import {
  JOURNAL_BYTES_MAX,
  JOURNAL_CARRY_SEGMENTS,
  JOURNAL_RETRY_MS,
  JOURNAL_SEGMENT_BYTES,
  JOURNAL_SYNC_MS,
  JOURNAL_UNWRITTEN_MAX,
} from '../../bounds.ts';
import { assert } from '../../kernel/assert.ts';
import { fault } from '../../kernel/fault.ts';
import type { Logger } from '../../kernel/log.ts';
import type { Clock } from '../../kernel/time/clock.ts';
import type { Usage } from '../../kernel/usage.ts';
import type { CallRecord, Journal, OpenCall } from '../contract.ts';
import {
  encodeEnd,
  encodeMark,
  encodeOpen,
  FRAME_BYTES_MAX,
  type Mark,
  withoutDroppedFields,
} from './record.ts';
import { decodeLine } from './record-reader.ts';
import { listSegments } from './segment.ts';
import { type Location, type Segment, SegmentFiles, type WriteAt } from './segment-files.ts';
import { type OnWritten, Turn } from './turn.ts';

export type { Location } from './segment-files.ts';

export interface JournalOptions {
  readonly directory: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly segmentBytes?: number;
  readonly bytesMax?: number;
  readonly syncMs?: number;
  readonly retryMs?: number;
  readonly write?: WriteAt;
}

/** Called for every ended call, with its location; without a location if the disk did not take it. */
export type TakeEnded = (call: CallRecord, location: Location | undefined) => void;

export interface FileJournal extends Journal {
  readonly directory: string;
  /** Sets the consumer of ended calls. Those that ended before are passed on now. */
  onEnded(take: TakeEnded): void;
  /** The ended call at this location; undefined if the file no longer has it. */
  read(location: Location): CallRecord | undefined;
  /** These calls are committed to the store: their records are no longer needed. */
  committed(callIds: readonly string[]): void;
}

/** Begins a new segment. recover.ts handles what a dead process left, and runs before this. */
export async function openJournal(options: JournalOptions): Promise<FileJournal> {
  await mkdir(options.directory, { recursive: true, mode: 0o700 });
  const numbers = await listSegments(options.directory);
  return new SegmentedJournal(options, (numbers.at(-1) ?? 0) + 1);
}

/** The journal's state of a call that is not committed yet: which segments its records pin, and why. */
interface CallState {
  /** Kept while the call is open, so that its records can be written again. */
  open: OpenCall | undefined;
  mark: Mark | undefined;
  openIn: Segment | undefined;
  markIn: Segment | undefined;
  endIn: Segment | undefined;
  ended: boolean;
}

class SegmentedJournal implements FileJournal {
  readonly #options: JournalOptions;
  readonly #files: SegmentFiles;
  readonly #bytesMax: number;
  readonly #turn = new Turn();
  readonly #calls = new Map<string, CallState>();
  /** Open calls by the segment of their open record. The first key is the oldest such segment. */
  readonly #openBySegment = new Map<Segment, Set<CallState>>();
  /** Ends that the disk did not take. No call begins meanwhile; ends of refused calls are bounded. */
  readonly #unwritten = new Map<string, CallRecord>();
  #waiting: [CallRecord, Location | undefined][] = [];
  #take: TakeEnded | undefined;
  #lag = 0;
  #leftOut = 0;
  #failing = false;
  #closed = false;
  #flushTimer: NodeJS.Immediate | undefined;
  /** Callers that opened a call in this turn and wait for the write. */
  #opening: PromiseWithResolvers<void> | undefined;
  #toCarry = 0;
  #retryTimer: NodeJS.Timeout | undefined;

  constructor(options: JournalOptions, firstNumber: number) {
    this.#options = options;
    this.#bytesMax = options.bytesMax ?? JOURNAL_BYTES_MAX;
    this.#files = new SegmentFiles({
      directory: options.directory,
      firstNumber,
      segmentBytes: options.segmentBytes ?? JOURNAL_SEGMENT_BYTES,
      syncMs: options.syncMs ?? JOURNAL_SYNC_MS,
      log: options.log,
      write: options.write,
      onSyncError: (error) => this.#fail(error, 'journal could not be synced to the disk'),
    });
  }

  get directory(): string {
    return this.#options.directory;
  }

  get writable(): boolean {
    return !this.#failing && !this.#closed && this.#files.bytes < this.#bytesMax;
  }

  get lag(): number {
    return this.#lag;
  }

  get bytes(): number {
    return this.#files.bytes;
  }

  async open(call: OpenCall): Promise<void> {
    const known = this.#calls.get(call.callId);
    assert(known?.ended !== true, `call ${call.callId} does not open after its end`);
    // A running call that tries its next route may exceed the bound; its end will free space soon.
    if (this.#failing || this.#closed || (known === undefined && !this.writable)) {
      throw new StoreUnavailable('the journal takes no calls');
    }
    const state = known ?? this.#remember(call.callId);
    if (known === undefined) this.#tellLeftOut();
    this.#put(encodeOpen(call), (location) => this.#opened(state, call, location));
    this.#opening ??= Promise.withResolvers();
    await this.#opening.promise;
  }

  mark(callId: string, usage: Usage, heldMicro: bigint): void {
    const state = this.#calls.get(callId);
    assert(state !== undefined && !state.ended, `call ${callId} is marked while it is open`);
    // A lost mark costs accuracy after a crash, not the call.
    if (this.#failing) return;
    const mark = { callId, usage, heldMicro, atMs: this.#options.clock.now() };
    this.#put(encodeMark(mark), (location) => {
      if (location === undefined) return;
      state.mark = mark;
      this.#moveMark(state, location.segment);
    });
    this.flush();
    fault('journal.after-mark');
  }

  end(call: CallRecord): void {
    const known = this.#calls.get(call.callId);
    if (known === undefined && call.chargeMicro === 0n && this.#isFull()) {
      this.#leaveOut();
      return;
    }
    const state = known ?? this.#remember(call.callId);
    assert(!state.ended, `call ${call.callId} ends exactly once`);
    fault('journal.before-end');
    state.ended = true;
    this.#lag += 1;
    if (this.#failing) this.#ended(state, call, undefined);
    else this.#putEnd(call, (location) => this.#ended(state, call, location));
  }

  flush(): void {
    clearImmediate(this.#flushTimer);
    this.#flushTimer = undefined;
    if (this.#turn.length > 0) this.#writeTurn();
    for (; this.#toCarry > 0; this.#toCarry--) this.#carryOne();
  }

  onEnded(take: TakeEnded): void {
    assert(this.#take === undefined, 'there is one consumer');
    this.#take = take;
    for (const [call, location] of this.#waiting) take(call, location);
    this.#waiting = [];
  }

  read(location: Location): CallRecord | undefined {
    const bytes = this.#files.read(location);
    const record = decodeLine(bytes.subarray(0, -1));
    return record?.kind === 'end' ? record.call : undefined;
  }

  committed(callIds: readonly string[]): void {
    for (const callId of callIds) {
      const state = this.#calls.get(callId);
      assert(state?.ended === true, `call ${callId} ended before it was committed`);
      this.#calls.delete(callId);
      this.#unwritten.delete(callId);
      this.#lag -= 1;
      this.#moveOpen(state, undefined);
      this.#moveMark(state, undefined);
      if (state.endIn !== undefined) this.#files.unpin(state.endIn);
    }
    assert(this.#lag >= 0, 'no more calls are committed than ended');
  }

  async close(): Promise<void> {
    assert(!this.#closed, 'a journal is closed once');
    this.flush();
    if (this.#failing) this.#retry();
    this.#closed = true;
    clearTimeout(this.#retryTimer);
    await this.#files.close();
  }

  #remember(callId: string): CallState {
    const state: CallState = {
      open: undefined,
      mark: undefined,
      openIn: undefined,
      markIn: undefined,
      endIn: undefined,
      ended: false,
    };
    this.#calls.set(callId, state);
    return state;
  }

  #isFull(): boolean {
    return this.#files.bytes >= this.#bytesMax || this.#unwritten.size >= JOURNAL_UNWRITTEN_MAX;
  }

  /**
   * A refused call was never open and owes nothing. While the store is unreachable such calls come without
   * end: the bound is kept, and only their rows in the call log are lost.
   */
  #leaveOut(): void {
    this.#leftOut += 1;
    if (this.#leftOut === 1) this.#options.log.error({}, 'journal is full: refused calls are not logged');
  }

  #tellLeftOut(): void {
    if (this.#leftOut === 0) return;
    this.#options.log.warn(
      { calls: this.#leftOut },
      'journal has space again: refused calls were not logged',
    );
    this.#leftOut = 0;
  }

  #putEnd(call: CallRecord, onWritten: OnWritten): void {
    this.#makeRoom();
    if (!this.#turn.add(encodeEnd(call), onWritten)) {
      this.#put(encodeEnd(withoutDroppedFields(call)), onWritten);
    }
  }

  #put(json: string, onWritten: OnWritten): void {
    this.#makeRoom();
    const fits = this.#turn.add(json, onWritten);
    assert(fits, 'a record fits into its bound');
  }

  /** A record is written by the end of this turn. */
  #makeRoom(): void {
    assert(!this.#closed, 'a closed journal is not written');
    if (this.#turn.isFull) this.flush();
    this.#flushTimer ??= setImmediate(() => this.flush());
  }

  #writeTurn(): void {
    const opening = this.#opening;
    this.#opening = undefined;
    const place = this.#failing ? undefined : this.#append();
    this.#turn.end(place);
    if (place === undefined) opening?.reject(new StoreUnavailable('the journal could not be written'));
    else opening?.resolve();
  }

  #append(): Location | undefined {
    try {
      return this.#files.append(this.#turn.bytes, this.#turn.length);
    } catch (error) {
      this.#fail(error, 'journal could not be written: new calls are refused');
      return undefined;
    }
  }

  #opened(state: CallState, call: OpenCall, location: Location | undefined): void {
    if (location === undefined) {
      // A call whose first record was not written is forgotten, unless it has ended in the meantime.
      if (state.open === undefined && !state.ended) this.#calls.delete(call.callId);
      return;
    }
    // Marks of an earlier attempt are void: its route has failed.
    state.open = call;
    state.mark = undefined;
    this.#moveMark(state, undefined);
    this.#moveOpen(state, location.segment);
    this.#toCarry += 1;
    fault('journal.after-open');
  }

  #ended(state: CallState, call: CallRecord, location: Location | undefined): void {
    if (location === undefined) this.#unwritten.set(call.callId, call);
    else this.#moveToEnd(state, location.segment);
    fault('journal.after-end');
    if (this.#take === undefined) this.#waiting.push([call, location]);
    else this.#take(call, location);
  }

  /**
   * A long stream pins the segment it began in, and some dozens of them would fill the journal. So each new
   * call moves one old open call into the current segment.
   */
  #carryOne(): void {
    const [oldest] = this.#openBySegment;
    if (oldest === undefined) return;
    const [segment, states] = oldest;
    if (this.#files.current.number - segment.number < JOURNAL_CARRY_SEGMENTS) return;
    const [state] = states;
    assert(state?.open !== undefined, 'an open call remembers how it was opened');
    // One write for both: the old records are released only when the new ones are written.
    this.#put(encodeOpen(state.open), (location) => location && this.#moveOpen(state, location.segment));
    if (state.mark !== undefined) {
      const mark = encodeMark({ ...state.mark, atMs: this.#options.clock.now() });
      this.#put(mark, (location) => location && this.#moveMark(state, location.segment));
    }
    this.#writeTurn();
  }

  #moveOpen(state: CallState, to: Segment | undefined): void {
    const from = state.openIn;
    if (from === to) return;
    if (to !== undefined) {
      this.#files.pin(to);
      const states = this.#openBySegment.get(to) ?? new Set();
      this.#openBySegment.set(to, states.add(state));
    }
    if (from !== undefined) {
      const states = this.#openBySegment.get(from);
      states?.delete(state);
      if (states?.size === 0) this.#openBySegment.delete(from);
      this.#files.unpin(from);
    }
    state.openIn = to;
  }

  #moveMark(state: CallState, to: Segment | undefined): void {
    const from = state.markIn;
    if (from === to) return;
    if (to !== undefined) this.#files.pin(to);
    if (from !== undefined) this.#files.unpin(from);
    state.markIn = to;
  }

  /** An end record is complete: the records before it are no longer needed. */
  #moveToEnd(state: CallState, segment: Segment): void {
    this.#files.pin(segment);
    state.endIn = segment;
    state.open = undefined;
    state.mark = undefined;
    this.#moveOpen(state, undefined);
    this.#moveMark(state, undefined);
  }

  #rewritten(state: CallState, callId: string, location: Location): void {
    this.#unwritten.delete(callId);
    this.#moveToEnd(state, location.segment);
  }

  #fail(error: unknown, message: string): void {
    if (!this.#failing) this.#options.log.error({ err: error }, message);
    this.#failing = true;
    if (this.#closed || this.#retryTimer !== undefined) return;
    this.#retryTimer = setTimeout(() => {
      this.#retryTimer = undefined;
      this.#retry();
    }, this.#options.retryMs ?? JOURNAL_RETRY_MS);
  }

  /** In a new segment, because the state of the old one on the disk is unknown. */
  #retry(): void {
    try {
      if (this.#files.current.bytes > 0) this.#files.rotate();
      this.#files.probe(this.#turn.bytes.subarray(0, FRAME_BYTES_MAX));
    } catch (error) {
      this.#fail(error, 'journal still cannot be written: new calls are refused');
      return;
    }
    this.#failing = false;
    for (const [callId, call] of this.#unwritten) {
      const state = this.#calls.get(callId);
      assert(state !== undefined, 'an unwritten end belongs to a call');
      // Refused calls owe nothing, and may be so many that they fill the disk again. The settler has them.
      if (call.chargeMicro === 0n && state.openIn === undefined) continue;
      this.#putEnd(call, (location) => location && this.#rewritten(state, callId, location));
    }
    this.flush();
    if (this.#failing) return;
    this.#options.log.info({}, 'journal can be written again');
  }
}
