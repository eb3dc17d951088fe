import { useEffect } from 'react';
import {
  connection,
  type Data,
  endSession,
  queryKey,
  type Row,
  sessionEnded,
  sessionMark,
} from '../api/api.ts';
import { queries } from '../api/queries.ts';
import { probe } from './connection.ts';

const ADDRESSES = { user: '/api/v1/user/user/live', operator: '/api/v1/admin/live' };

/** What arrives without being asked for, by the name of the event. */
export interface LiveEvents {
  readonly call: Row<'listCalls'>;
  readonly limits: Data<'getLimits'>;
  readonly account: Partial<Data<'getBalanceAndSwitches'>>;
  /** As far as it is shown anywhere. */
  readonly health: { readonly credentials: readonly { readonly suspect: boolean }[] };
  /** From now on no call is missed. */
  readonly ready: unknown;
  /** More was missed than is sent again: lists must be read anew. */
  readonly reset: unknown;
  /** The database does not answer, or does again. */
  readonly stale: unknown;
  readonly fresh: unknown;
}

type Listener<Name extends keyof LiveEvents> = (event: LiveEvents[Name]) => void;
const listeners = new Map<keyof LiveEvents, Set<Listener<never>>>();

function tell<Name extends keyof LiveEvents>(name: Name, event: LiveEvents[Name]): void {
  for (const listener of listeners.get(name) ?? []) (listener as Listener<Name>)(event);
}

/** Calls the listener for each event of the name. A listener that changes with each render is wasteful. */
export function useLive<Name extends keyof LiveEvents>(name: Name, listener: Listener<Name>): void {
  useEffect(() => {
    const own = listeners.get(name) ?? new Set();
    listeners.set(name, own);
    own.add(listener as Listener<never>);
    return () => void own.delete(listener as Listener<never>);
  }, [name, listener]);
}

const HANDLERS: { readonly [Name in keyof LiveEvents]: Listener<Name> } = {
  call: () => {},
  limits: (data) => queries.setQueryData(queryKey('getLimits', {}), { data }),
  account: (changed) =>
    queries.setQueryData<{ readonly data: object }>(queryKey('getBalanceAndSwitches', {}), (known) =>
      known === undefined ? undefined : { ...known, data: { ...known.data, ...changed } },
    ),
  health: () => {},
  // A call that ended after a list was read and before the stream began is in neither.
  ready: () => void queries.invalidateQueries({ queryKey: ['browseCalls'] }),
  reset: () => void queries.invalidateQueries(),
  stale: () => connection.write('unavailable'),
  fresh: () => void probe(),
};

const REOPEN_MS = 3_000;

/**
 * One stream of events for the whole page, while it is visible: a browser allows few connections to one
 * server, and a hidden page reads what it missed when it is shown again.
 */
class LiveStream {
  readonly #address: string;
  #source: EventSource | undefined;
  #lastId = '';
  #timer: number | undefined;

  constructor(address: string) {
    this.#address = address;
  }

  readonly follow = (): void => {
    if (document.visibilityState === 'visible' && !sessionEnded.read()) this.#open();
    else this.close();
  };

  close(): void {
    window.clearTimeout(this.#timer);
    this.#source?.close();
    this.#source = undefined;
  }

  #open(): void {
    if (this.#source !== undefined) return;
    const after = this.#lastId === '' ? '' : `?after=${encodeURIComponent(this.#lastId)}`;
    const source = new EventSource(this.#address + after);
    this.#source = source;
    const mark = sessionMark();
    for (const name of Object.keys(HANDLERS) as (keyof LiveEvents)[]) {
      source.addEventListener(name, (message) => this.#take(name, message as MessageEvent<string>));
    }
    source.addEventListener('session-ended', () => {
      this.close();
      endSession(mark);
      // Another page of this browser may have signed in again already.
      this.follow();
    });
    source.onerror = () => {
      // The stream does not say why: the server is away, or the session has ended.
      void probe();
      // A refusal ends the source for good; a break is resumed by the browser itself.
      if (source.readyState !== EventSource.CLOSED) return;
      this.close();
      this.#timer = window.setTimeout(this.follow, REOPEN_MS);
    };
  }

  #take(name: keyof LiveEvents, message: MessageEvent<string>): void {
    if (message.lastEventId !== '') this.#lastId = message.lastEventId;
    const event = JSON.parse(message.data) as never;
    HANDLERS[name](event);
    tell(name, event);
  }
}

export function useLiveUpdates(role: 'user' | 'operator'): void {
  useEffect(() => {
    const stream = new LiveStream(ADDRESSES[role]);
    stream.follow();
    document.addEventListener('visibilitychange', stream.follow);
    // After a sign-in over the open page the events go on.
    const leave = sessionEnded.subscribe(stream.follow);
    return () => {
      leave();
      document.removeEventListener('visibilitychange', stream.follow);
      stream.close();
    };
  }, [role]);
}
