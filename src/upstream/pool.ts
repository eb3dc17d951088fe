import { type buildConnector, Client, type Dispatcher } from 'undici';
import { UPSTREAM_CONNECTIONS_MAX, UPSTREAM_HEADER_BYTES_MAX, UPSTREAM_KEEP_ALIVE_MS } from '../bounds.ts';

/** An exchange, which learns the connection that carries it. */
export interface ConnectionUser extends Dispatcher.DispatchHandler {
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
}

/**
 * The connections to one vendor address, one call on each at a time. Who is called next is the one that was
 * free last: the others may close in peace. undici's own pool would look through all of them for every call.
 */
export class OriginPool {
  readonly connectMs: number;
  readonly #origin: string;
  readonly #options: Client.Options;
  readonly #connections = new Set<Connection>();
  readonly #free: Connection[] = [];
  readonly #singles = new Set<Connection>();
  /** Calls on their way. */
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
  }

  get full(): boolean {
    return this.active >= UPSTREAM_CONNECTIONS_MAX;
  }

  dispatch(options: Dispatcher.DispatchOptions, user: ConnectionUser): void {
    const connection = this.#free.pop() ?? this.#connect();
    user.connection = connection;
    connection.dispatch(options, user);
  }

  /** The call that had it is over; exactly once. A socket that broke is replaced at the next call. */
  release(connection: Connection): void {
    if (this.#connections.has(connection)) this.#free.push(connection);
  }

  /** On a connection nobody used before and nobody will use after. */
  dispatchAlone(options: Dispatcher.DispatchOptions, user: ConnectionUser): void {
    const single = new Connection(this.#origin, this.#options);
    this.#singles.add(single);
    user.connection = single;
    single.dispatch({ ...options, reset: true }, user);
    // A graceful close: it resolves when the one exchange has ended.
    single.close(() => this.#singles.delete(single));
  }

  /** No new calls; running exchanges end in peace. */
  retire(whenEmpty: () => void): void {
    void Promise.all([...this.#connections].map((connection) => connection.close())).then(whenEmpty);
  }

  async destroy(): Promise<void> {
    await Promise.all([...this.#singles, ...this.#connections].map((connection) => connection.destroy()));
  }

  #connect(): Connection {
    const connection = new Connection(this.#origin, this.#options);
    this.#connections.add(connection);
    return connection;
  }
}
