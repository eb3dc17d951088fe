import type { Duplex } from 'node:stream';
import pg from 'pg';

/** The part of the driver's connection that is not in its typings. */
interface Wire {
  attachListeners(stream: Duplex): void;
}

/**
 * The driver's client, but a server that says what the driver cannot read loses its connection and nothing
 * else: pg 8.23 lets its parser throw in the socket's listener, as when GSS or Kerberos is asked for.
 */
export class PgClient extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super(config);
    const { connection } = this as unknown as { readonly connection: Wire };
    const attach = connection.attachListeners.bind(connection);
    connection.attachListeners = (stream) => {
      attach(stream);
      for (const read of stream.listeners('data') as Array<(bytes: Buffer) => void>) {
        stream.off('data', read).on('data', (bytes: Buffer) => {
          try {
            read(bytes);
          } catch (error) {
            stream.destroy(error instanceof Error ? error : new Error(String(error)));
          }
        });
      }
    };
  }
}
