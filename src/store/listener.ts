import pg from 'pg';
import { StoreUnavailable } from '../accounts/contract.ts';
import { LISTEN_PROBE_MS, LISTEN_RETRY_MS, LISTEN_RETRY_MS_MAX } from '../bounds.ts';
import type { Logger } from '../kernel/log.ts';
import { PgClient } from './pg-client.ts';

/** `heardBy` is the session that brought the notice; undefined if it comes from this process itself. */
export type NoticeHandler = (payload: string, heardBy: number | undefined) => void | Promise<void>;

interface Subscription {
  readonly channel: string;
  readonly handler: NoticeHandler;
  readonly onReconnect: (() => void) | undefined;
}

/** The part of the driver's client that is not in its typings. */
interface Wire {
  readonly connection: { readonly stream: { destroy(): void } };
}

/**
 * One connection that hears the notices of all channels. It is made at the first subscription and made again
 * whenever it is lost; a probe finds a connection that died without a word.
 */
export class Listener {
  readonly #config: pg.ClientConfig;
  readonly #log: Logger;
  readonly #probeMs: number;
  readonly #subscriptions = new Set<Subscription>();
  /** Channels that the present connection subscribes to; done when it hears them. */
  readonly #heard = new Map<string, Promise<void>>();
  #client: pg.Client | undefined;
  /** Done when the last statement of the present connection is. */
  #asked: Promise<unknown> = Promise.resolve();
  #connecting: Promise<void> | undefined;
  #retry: NodeJS.Timeout | undefined;
  #probe: NodeJS.Timeout | undefined;
  /** A connection was lost, and the handlers do not know yet. */
  #missed = false;
  #closed = false;

  constructor(config: pg.ClientConfig, log: Logger, probeMs: number = LISTEN_PROBE_MS) {
    this.#config = config;
    this.#log = log;
    this.#probeMs = probeMs;
  }

  async listen(
    channel: string,
    handler: NoticeHandler,
    onReconnect?: () => void,
  ): Promise<() => Promise<void>> {
    if (this.#closed) throw new StoreUnavailable('the database is closed');
    const subscription: Subscription = { channel, handler, onReconnect };
    this.#subscriptions.add(subscription);
    try {
      this.#connecting ??= this.#connect();
      await this.#connecting;
      if (this.#client !== undefined) await this.#hear(this.#client, channel);
    } catch (error) {
      this.#subscriptions.delete(subscription);
      throw new StoreUnavailable('the database did not take the subscription', { cause: error });
    }
    return () => this.#unsubscribe(subscription);
  }

  /** Done when the handlers are. */
  async deliver(channel: string, payload: string, heardBy?: number): Promise<void> {
    const those = [...this.#subscriptions].filter((each) => each.channel === channel);
    await Promise.all(those.map(({ handler }) => handler(payload, heardBy)));
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#retry);
    clearTimeout(this.#probe);
    this.#subscriptions.clear();
    await this.#connecting?.catch(() => undefined);
    await this.#client?.end();
  }

  async #unsubscribe(subscription: Subscription): Promise<void> {
    this.#subscriptions.delete(subscription);
    for (const other of this.#subscriptions) if (other.channel === subscription.channel) return;
    // If the connection is lost just now, there is nothing to unsubscribe from.
    if (this.#client !== undefined) {
      await this.#unhear(this.#client, subscription.channel).catch(() => undefined);
    }
  }

  async #connect(): Promise<void> {
    const client = new PgClient(this.#config);
    this.#heard.clear();
    this.#asked = Promise.resolve();
    client.on('error', (error) =>
      this.#log.warn({ err: error }, 'the connection for change notices was lost and is opened again'),
    );
    try {
      await client.connect();
      await client.query(END_WHEN_SILENT, [String(PROBES_MISSED_MAX * this.#probeMs)]);
      // Read from the server, because a pooler in between has other numbers.
      const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
      client.on('notification', ({ channel, payload }) => {
        void this.deliver(channel, payload ?? '', rows[0]?.pid);
      });
      for (const channel of new Set([...this.#subscriptions].map((each) => each.channel))) {
        await this.#hear(client, channel);
      }
    } catch (error) {
      this.#connecting = undefined;
      void client.end().catch(() => undefined);
      throw error;
    }
    this.#client = client;
    this.#missed = false;
    client.once('end', () => this.#lost());
    this.#prove(client);
  }

  /** A subscription that fails is made again by the next subscriber. */
  #hear(client: pg.Client, channel: string): Promise<void> {
    const known = this.#heard.get(channel);
    if (known !== undefined) return known;
    const hearing = this.#subscribe(client, channel);
    this.#heard.set(channel, hearing);
    hearing.catch(() => {
      if (this.#heard.get(channel) === hearing) this.#heard.delete(channel);
    });
    return hearing;
  }

  /** It also holds a shared lock named after the channel, so that others can count the listeners. */
  async #subscribe(client: pg.Client, channel: string): Promise<void> {
    await this.#ask(client, `listen ${pg.escapeIdentifier(channel)}`);
    // Missed notices are reported before this connection is relied on.
    for (const each of this.#subscriptions) {
      if (this.#missed && each.channel === channel) each.onReconnect?.();
    }
    await this.#ask(client, 'select pg_advisory_lock_shared($1, hashtext($2))', [LISTENING, channel]);
  }

  async #unhear(client: pg.Client, channel: string): Promise<void> {
    this.#heard.delete(channel);
    await this.#ask(client, `unlisten ${pg.escapeIdentifier(channel)}`);
    await this.#ask(client, 'select pg_advisory_unlock_shared($1, hashtext($2))', [LISTENING, channel]);
  }

  /** One statement at a time: the driver no longer wants to queue them. */
  #ask(client: pg.Client, text: string, values: readonly unknown[] = []): Promise<unknown> {
    const answer = this.#asked.then(() => client.query(text, [...values]));
    this.#asked = answer.catch(() => undefined);
    return answer;
  }

  /** A probe that is not answered before the next is due ends the connection; the end brings a new one. */
  #prove(client: pg.Client): void {
    const drop = (): void => (client as unknown as Wire).connection.stream.destroy();
    clearTimeout(this.#probe);
    this.#probe = setTimeout(() => {
      // Not the time that statements get: until it is over, this process decides by what it knew.
      this.#probe = setTimeout(drop, this.#probeMs).unref();
      this.#ask(client, 'select 1').then(() => {
        if (this.#client === client) this.#prove(client);
      }, drop);
    }, this.#probeMs).unref();
  }

  #lost(): void {
    clearTimeout(this.#probe);
    this.#client = undefined;
    this.#connecting = undefined;
    this.#missed = true;
    if (!this.#closed) this.#comeBack(LISTEN_RETRY_MS);
  }

  #comeBack(waitMs: number): void {
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => {
      this.#connecting ??= this.#connect();
      this.#connecting.catch(() => {
        if (!this.#closed) this.#comeBack(Math.min(waitMs * 2, LISTEN_RETRY_MS_MAX));
      });
    }, waitMs).unref();
  }
}

/** Probes that may be missing before the server ends the session. */
const PROBES_MISSED_MAX = 5;

/**
 * A machine that vanished or stands still says no farewell; its session must not be waited for until TCP
 * gives up on it, which takes hours. Servers before PostgreSQL 14 do not know the setting.
 */
const END_WHEN_SILENT = `
  select set_config(name, $1, false) from pg_settings where name = 'idle_session_timeout'`;

/** Namespace of the advisory locks of listeners; any constant. */
const LISTENING = 741_451;

/** The sessions, of any process, that listen to the channel now. */
export const FIND_LISTENERS = `
  select pid from pg_locks
  where locktype = 'advisory' and granted and classid = ${LISTENING} and objsubid = 2
    and objid = (hashtext($1)::bigint & 4294967295)::oid
    and database = (select oid from pg_database where datname = current_database())`;
