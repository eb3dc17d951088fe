import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect, test } from 'vitest';
import { resetAfter } from './reset.ts';

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`;

test('a broken answer that waits behind another one on its connection ends with it', async () => {
  const server = createServer((request, response) => {
    if (request.url === '/first') {
      setTimeout(() => response.end('whole'), 50);
      return;
    }
    response.writeHead(200);
    response.write('begun');
    resetAfter(response, Buffer.from('error'));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  let received = '';
  client.on('data', (chunk) => {
    received += chunk;
  });
  client.write(get('/first') + get('/second'));
  await expect(once(client, 'close')).rejects.toThrow('ECONNRESET');
  expect(received).toMatch(/whole.*begun.*error\r\n$/s);
  server.close();
});
