import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket, type TcpNetConnectOpts } from 'node:net';

/** A way to PostgreSQL that a test can break. */
export interface Wire {
  /** A PostgreSQL URL that leads through it. */
  readonly connection: string;
  /** Sessions that listen stay open on both sides, and not a byte passes any more. */
  deafen(): void;
  close(): void;
}

interface Session {
  readonly ends: readonly [Socket, Socket];
  listens: boolean;
  dead: boolean;
}

export async function openWire(connection: string): Promise<Wire> {
  const sessions = new Set<Session>();
  const server = createServer((near) => {
    join(near, connect(addressOf(connection)), sessions);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    connection: through(connection, (server.address() as AddressInfo).port),
    deafen: () => {
      for (const session of sessions) session.dead ||= session.listens;
    },
    close: () => {
      for (const { ends } of sessions) for (const socket of ends) socket.destroy();
      server.close();
    },
  };
}

function join(near: Socket, far: Socket, sessions: Set<Session>): void {
  const session: Session = { ends: [near, far], listens: false, dead: false };
  sessions.add(session);
  near.on('data', (bytes) => {
    session.listens ||= bytes.includes('listen "');
    if (!session.dead) far.write(bytes);
  });
  far.on('data', (bytes) => {
    if (!session.dead) near.write(bytes);
  });
  for (const [one, other] of [session.ends, session.ends.toReversed()] as Array<[Socket, Socket]>) {
    one.on('error', () => {});
    // A dead one hides even that the other end is gone.
    one.on('close', () => session.dead || other.destroy());
  }
}

function addressOf(connection: string): TcpNetConnectOpts | { readonly path: string } {
  const { hostname, port, searchParams } = new URL(connection);
  const folder = searchParams.get('host');
  if (folder === null) return { host: hostname, port: Number(port) };
  return { path: `${folder}/.s.PGSQL.${searchParams.get('port') ?? '5432'}` };
}

function through(connection: string, port: number): string {
  const url = new URL(connection);
  url.searchParams.delete('host');
  url.searchParams.delete('port');
  url.hostname = '127.0.0.1';
  url.port = String(port);
  return url.href;
}
