import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, type TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Simulator, startSimulator } from '../../sim/server.ts';
import { systemRandom } from '../../src/kernel/random.ts';
import { findLogin } from '../../src/store/accounts/accounts.ts';
import { createKey } from '../../src/store/accounts/api-keys.ts';
import { needs, OPENSSL } from '../needs.ts';
import { type FreshDatabase, freshDatabase } from '../support/postgres.ts';
import { makePlace, type Place, startServerProcess } from '../support/processes.ts';
import { certificateOf } from '../support/servers/certificate.ts';
import { STANDARD_CATALOG } from '../support/world.ts';

/** A vendor whose certificate is of an authority that the machine does not know. */
const SECRET = 'one root secret for both of the servers';

let simulator: Simulator;
let fresh: FreshDatabase;
let folder: string;
let vendor: { readonly url: string; close(): void };

describe('a vendor behind a certificate of our own authority', needs(OPENSSL), () => {
  beforeAll(async () => {
    simulator = await startSimulator();
    fresh = await freshDatabase();
    folder = mkdtempSync(join(tmpdir(), 'tollgate-authorities-'));
    const { key, cert } = certificateOf('localhost');
    writeFileSync(join(folder, 'authority.pem'), cert);
    vendor = await listenSecurely({ key, cert }, Number(new URL(simulator.url).port));
  });
  afterAll(async () => {
    vendor?.close();
    await simulator?.close();
    await fresh?.drop();
    rmSync(folder, { recursive: true, force: true });
  });

  test('is called with NODE_EXTRA_CA_CERTS', async () => {
    const { status } = await callWith({ NODE_EXTRA_CA_CERTS: join(folder, 'authority.pem') });
    expect(status).toBe(200);
  });

  test('is not called without it, and the log says why', async () => {
    const { status, log } = await callWith({});
    expect(status).toBe(502);
    expect(log).toMatch(/self-signed certificate/);
  });
});

/** One call through a server of its own, and what that server logged. */
async function callWith(extra: Readonly<Record<string, string>>) {
  const place: Place = await makePlace(STANDARD_CATALOG, vendor.url);
  const server = await startServerProcess({
    ...place.environment,
    ...{ DATABASE_URL: fresh.connection, TOLLGATE_SECRET: SECRET, ...extra },
  });
  try {
    const response = await fetch(`${server.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${await newKey()}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'gpt-5', messages: [{ role: 'user', content: 'Hello' }] }),
    });
    await response.text();
    return { status: response.status, log: server.stdout() };
  } finally {
    server.kill('SIGTERM');
    await server.exited;
    await place.remove();
  }
}

async function newKey(): Promise<string> {
  const login = await findLogin(fresh.database, 'user@example.com');
  const place = { accountId: login?.accountId ?? 0, name: 'test', status: 'enabled' } as const;
  const options = { ...place, policyId: undefined, expiresAtMs: undefined };
  const created = await createKey(fresh.database, options, systemRandom);
  if (created.kind !== 'created') throw new Error(created.kind);
  return created.text;
}

/** TLS before the simulator, which speaks plain HTTP. */
async function listenSecurely(pair: { key: string; cert: string }, port: number) {
  const sockets = new Set<TLSSocket>();
  const server = createServer(pair, (socket) => {
    sockets.add(socket);
    const inner = connect(port, '127.0.0.1');
    socket.pipe(inner).pipe(socket);
    socket.on('error', () => inner.destroy()).on('close', () => inner.destroy());
    inner.on('error', () => socket.destroy());
  });
  server.on('tlsClientError', () => {});
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  const { port: own } = server.address() as { port: number };
  const close = (): void => {
    for (const socket of sockets) socket.destroy();
    server.close();
  };
  return { url: `https://localhost:${own}`, close };
}
