import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { findPort } from './port.ts';

test('a free port is found, and is still free afterwards', async () => {
  const port = await findPort('127.0.0.1', 0);
  expect(port).toBeGreaterThan(0);
  expect(await findPort('127.0.0.1', port)).toBe(port);
});

test('a port with a listener is in use, although the listener would share it', async () => {
  const stranger = createServer();
  await new Promise<void>((resolve) => {
    stranger.listen({ host: '127.0.0.1', port: 0, reusePort: true }, resolve);
  });
  const { port } = stranger.address() as AddressInfo;
  await expect(findPort('127.0.0.1', port)).rejects.toMatchObject({ code: 'EADDRINUSE' });
  stranger.close();
});
