import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parentPort } from 'node:worker_threads';

/**
 * A thread that is both ends of heavy calls: a vendor that reads any body and answers at once, and a client
 * that sends many large ones at a time. So the thread of the test carries the gateway's part alone.
 */
export interface Load {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly count: number;
  readonly bytes: number;
}

const ANSWER = JSON.stringify({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1,
  model: 'sink',
  choices: [{ index: 0, message: { role: 'assistant', content: 'ok' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
});

const vendor = createServer((incoming, response) => {
  incoming.resume();
  incoming.on('end', () => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(ANSWER);
  });
});
vendor.listen(0, '127.0.0.1', () => parentPort?.postMessage((vendor.address() as AddressInfo).port));

parentPort?.on('message', async ({ url, headers, count, bytes }: Load) => {
  const open = '{"model":"sink","messages":[{"role":"user","content":"';
  const close = '"}]}';
  const text = Buffer.alloc(bytes - open.length - close.length, 'word ');
  const body = Buffer.concat([Buffer.from(open), text, Buffer.from(close)]);
  const statuses = Array.from({ length: count }, async () => {
    const sent = request(`${url}/v1/chat/completions`, { method: 'POST', headers: { ...headers } });
    sent.end(body);
    const [response] = await once(sent, 'response');
    response.resume();
    await once(response, 'end');
    return response.statusCode as number;
  });
  parentPort?.postMessage(await Promise.all(statuses));
});
