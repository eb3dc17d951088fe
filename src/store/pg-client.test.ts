import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { StoreUnavailable } from '../accounts/contract.ts';
import { silentLogger } from '../kernel/log.ts';
import { openDatabase } from './database.ts';
import { Listener } from './listener.ts';

/** AuthenticationGSS: type, length, code. */
const ASKS_FOR_GSS = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 7]);

describe('a server that requires an unknown authentication', () => {
  let server: Server;
  let connection: string;
  beforeAll(async () => {
    server = createServer((socket) => {
      socket.on('error', () => {}).once('data', () => socket.write(ASKS_FOR_GSS));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    connection = `postgresql://user:word@127.0.0.1:${(server.address() as AddressInfo).port}/name`;
  });
  afterAll(() => server.close());

  it('is unavailable, with the reason', async () => {
    const refused = openDatabase({ connection, log: silentLogger });
    await expect(refused).rejects.toThrow(StoreUnavailable);
    await expect(refused).rejects.toThrow(/authentication/);
  });

  it('takes no subscription', async () => {
    const listener = new Listener({ connectionString: connection }, silentLogger);
    await expect(listener.listen('channel', () => {})).rejects.toThrow(StoreUnavailable);
    await listener.close();
  });
});
