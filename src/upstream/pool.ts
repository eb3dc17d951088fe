import { type buildConnector, Client, type Dispatcher, Pool } from 'undici';
import { UPSTREAM_CONNECTIONS_MAX, UPSTREAM_HEADER_BYTES_MAX, UPSTREAM_KEEP_ALIVE_MS } from '../bounds.ts';

/** The side of an exchange that learns which connection carries it. */
export interface ConnectionUser {
  connection: Connection | undefined;
}

/** One socket at a time. It counts what the present socket has answered, so that "reused" is a fact. */
export class Connection extends Client {
  answered = 0;

  constructor(origin: string | URL, options: Client.Options) {
    super(origin, options);
    this.on('connect', () => {
      this.answered = 0;
    });
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    (handler as ConnectionUser).connection = this;
    return super.dispatch(options, handler);
  }
}

/** The connections to one vendor address. */
export class OriginPool {
  readonly connectMs: number;
  readonly #origin: string;
  readonly #options: Client.Options;
  readonly #pool: Pool;
  readonly #singles = new Set<Connection>();
  /** Calls on their way, our own count: undici's would queue the next one without a limit. */
  active = 0;
  /** The client's use counter at the last call: the smallest makes room for a new address. */
  usedAt = 0;

  constructor(origin: string, connectMs: number, connect?: buildConnector.connector) {
    this.connectMs = connectMs;
    this.#origin = origin;
    this.#options = {
      connectTimeout: connectMs,
      ...(connect === undefined ? {} : { connect }),
      keepAliveTimeout: UPSTREAM_KEEP_ALIVE_MS,
      keepAliveMaxTimeout: UPSTREAM_KEEP_ALIVE_MS,
      maxHeaderSize: UPSTREAM_HEADER_BYTES_MAX,
      pipelining: 1,
      // One call per socket: a slow reader must not hold up others, and abort means closing the socket.
      allowH2: false,
      useMilo: false,
    };
    this.#pool = new Pool(origin, {
      ...this.#options,
      connections: UPSTREAM_CONNECTIONS_MAX,
      factory: (url: URL, options: object) => new Connection(url, options),
    });
  }

  get full(): boolean {
    return this.active >= UPSTREAM_CONNECTIONS_MAX;
  }

  dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void {
    this.#pool.dispatch(options, handler);
  }

  /** On a connection nobody used before and nobody will use after. */
  dispatchAlone(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void {
    const single = new Connection(this.#origin, this.#options);
    this.#singles.add(single);
    single.dispatch({ ...options, reset: true }, handler);
    // A graceful close: it resolves when the one exchange has ended.
    single.close(() => this.#singles.delete(single));
  }

  /** No new calls; running exchanges end in peace. */
  retire(whenEmpty: () => void): void {
    this.#pool.close(whenEmpty);
  }

  async destroy(): Promise<void> {
    await Promise.all([...this.#singles].map((single) => single.destroy()));
    await this.#pool.destroy();
  }
}
