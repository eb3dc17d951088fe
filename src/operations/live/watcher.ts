import type { Clock } from '../../kernel/time/clock.ts';
import type { LoggedCall } from '../../ledger/log.ts';
import type { EventSink, LiveReader } from '../context.ts';
import { type LivePlace, writePlace } from './live-token.ts';

/** One open stream: who reads it, which calls it has, and what it was last told. */
export class Watcher {
  readonly reader: LiveReader;
  readonly #sink: EventSink;
  readonly #clock: Clock;
  readonly #told = new Map<string, string>();
  #floor = 0;
  #known: number[] = [];
  #isKnown = new Set<number>();
  /** Calls that arrive before it is known which ones the reader has; undefined afterwards. */
  #waiting: (() => void)[] | undefined = [];
  #store: 'fresh' | 'stale' = 'fresh';

  constructor(reader: LiveReader, sink: EventSink, clock: Clock) {
    this.reader = reader;
    this.#sink = sink;
    this.#clock = clock;
  }

  get isOfPlatform(): boolean {
    return this.reader.of === 'platform';
  }

  /** The reader has these calls. What has arrived meanwhile follows. */
  begin(place: LivePlace): void {
    this.#floor = place.floor;
    for (const id of place.known) this.#note(id);
    const waiting = this.#waiting ?? [];
    this.#waiting = undefined;
    this.tell('ready', {});
    for (const send of waiting) send();
  }

  /** Sends the call unless the reader has it. */
  call({ id }: Pick<LoggedCall, 'id'>, data: unknown): void {
    if (this.#waiting !== undefined) {
      this.#waiting.push(() => this.call({ id }, data));
      return;
    }
    if (id <= this.#floor || this.#isKnown.has(id)) return;
    this.#note(id);
    this.tell('call', data);
  }

  /** With the place after it, so that the reader can go on from here. */
  tell(name: string, data: unknown): void {
    const id = writePlace({ floor: this.#floor, known: this.#known }, this.#clock.now());
    this.#sink.send({ name, data, id });
  }

  /** Sends what differs from what was sent before. `key` is what is compared. */
  changed(name: string, data: object, key: string): void {
    if (this.#waiting !== undefined || this.#told.get(name) === key) return;
    this.#told.set(name, key);
    this.#sink.send({ name, data });
  }

  /** The store answers, or does not. */
  setStore(state: 'fresh' | 'stale'): void {
    if (this.#store === state) return;
    this.#store = state;
    this.#sink.send({ name: state, data: {} });
  }

  /** No call up to this number arrives any more. */
  raise(floor: number): void {
    if (floor <= this.#floor || this.#waiting !== undefined) return;
    this.#floor = floor;
    this.#known = this.#known.filter((id) => id > floor);
    this.#isKnown = new Set(this.#known);
  }

  end(last?: { readonly name: string; readonly data: unknown }): void {
    if (last !== undefined) this.#sink.send(last);
    this.#sink.end();
  }

  #note(id: number): void {
    if (id <= this.#floor || this.#isKnown.has(id)) return;
    this.#isKnown.add(id);
    const after = this.#known.findLastIndex((one) => one < id);
    this.#known.splice(after + 1, 0, id);
  }
}
