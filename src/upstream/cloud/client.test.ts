import { beforeAll, describe, expect, it } from 'vitest';
import { chunkFrame } from '../../../sim/cloud/event-frame.ts';
import type { CloudSecret } from '../../catalog/cloud.ts';
import type { Cloud } from '../../catalog/contract.ts';
import { ManualClock } from '../../kernel/time/clock.ts';
import type { UpstreamExchange, UpstreamHandler, UpstreamRequest } from '../contract.ts';
import { getCloudAdapter } from './adapters.ts';
import { createCloudClient } from './client.ts';

/** Loading it takes longer than the turns that the tests wait. */
beforeAll(() => import('@smithy/signature-v4'));

interface Sent {
  readonly request: UpstreamRequest;
  readonly handler: UpstreamHandler;
  readonly exchange: UpstreamExchange & { aborted: boolean; paused: boolean };
}

/** What a client sent, and what its handler was told. */
function world() {
  const sent: Sent[] = [];
  const told: string[] = [];
  const client = createCloudClient(
    {
      send: (request, handler) => {
        const exchange = {
          ...{ sent: true, aborted: false, paused: false },
          pause: () => {
            exchange.paused = true;
          },
          resume: () => {
            exchange.paused = false;
          },
          abort: () => {
            exchange.aborted = true;
          },
        };
        sent.push({ request, handler, exchange });
        return exchange;
      },
      close: async () => {},
    },
    new ManualClock(),
  );
  const handler: UpstreamHandler = {
    onHead: ({ status, headers }) => told.push(`head ${status} ${headers['content-type'] ?? ''}`),
    onData: (chunk) => told.push(`data ${chunk.toString()}`),
    onEnd: () => told.push('end'),
    onFailure: ({ kind, detail }) => told.push(`failure ${kind} ${detail}`),
  };
  return { sent, told, client, handler };
}

const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
};

function request(cloud: Cloud, secret: CloudSecret, stream = false): UpstreamRequest {
  const adapter = getCloudAdapter(cloud.kind);
  const action = stream ? 'stream' : 'generate';
  const protocol = cloud.kind === 'azure' ? 'chat' : 'messages';
  return {
    origin: 'https://cloud.example',
    reach: 'any',
    path: '/x',
    method: 'POST',
    headers: ['content-type', 'application/json'],
    body: [Buffer.from('{"model":"m",'), Buffer.from('"max_tokens":1}')],
    timeouts: { connectMs: 1, firstByteMs: 1, idleMs: 1 },
    cloud: { adapter, cloud, secret, protocol, action, model: 'm' },
  };
}

const ENTRA: CloudSecret = { kind: 'entra', tenantId: 't', clientId: 'c', clientSecret: 's' };
const AWS: CloudSecret = {
  kind: 'aws',
  accessKeyId: 'A',
  secretAccessKey: 'S',
  sessionToken: undefined,
  role: undefined,
};
const AZURE: Cloud = { kind: 'azure' };
const BEDROCK: Cloud = { kind: 'bedrock', region: 'us-east-1' };

function answer({ handler }: Sent, status: number, body: string, type = 'application/json'): void {
  handler.onHead({ status, headers: { 'content-type': type } });
  handler.onData(Buffer.from(body));
  handler.onEnd();
}

describe('a request to a plain vendor', () => {
  it('is sent in the same turn, as it is, by the inner client', () => {
    const { sent, client, handler } = world();
    const { cloud: _none, ...plain } = request(AZURE, ENTRA);
    const exchange = client.send(plain, handler);
    expect(sent[0]?.request).toBe(plain);
    expect(sent[0]?.handler).toBe(handler);
    expect(exchange).toBe(sent[0]?.exchange);
  });
});

describe('a request to a cloud', () => {
  it('waits for its token, and carries it', async () => {
    const { sent, told, client, handler } = world();
    const exchange = client.send(request(AZURE, ENTRA), handler);
    expect([sent.length, exchange.sent]).toEqual([0, false]);
    await settle();
    const [token] = sent as [Sent];
    expect(token.request.path).toBe('/t/oauth2/v2.0/token');
    answer(token, 200, '{"access_token":"tok","expires_in":3600}');
    await settle();
    const call = sent[1] as Sent;
    expect(call.request.headers.slice(-2)).toEqual(['authorization', 'Bearer tok']);
    expect(exchange.sent).toBe(true);
    answer(call, 200, '{}');
    expect(told).toEqual(['head 200 application/json', 'data {}', 'end']);
  });

  it('is sent once more with a new token if the old one is refused, and not a third time', async () => {
    const { sent, told, client, handler } = world();
    client.send(request(AZURE, ENTRA), handler);
    await settle();
    answer(sent[0] as Sent, 200, '{"access_token":"old"}');
    await settle();
    (sent[1] as Sent).handler.onHead({ status: 401, headers: {} });
    expect(sent[1]?.exchange.aborted).toBe(true);
    await settle();
    answer(sent[2] as Sent, 200, '{"access_token":"new"}');
    await settle();
    expect(sent[3]?.request.headers).toContain('Bearer new');
    expect(told).toEqual([]);
    answer(sent[3] as Sent, 401, 'no');
    await settle();
    expect(sent).toHaveLength(4);
    expect(told).toEqual(['head 401 application/json', 'data no', 'end']);
  });

  it('has a refused secret as an answer with 401, and an unreachable vendor as a failure', async () => {
    for (const [status, expected] of [
      [401, ['head 401 application/json', expect.stringContaining('invalid_client'), 'end']],
      [503, ['failure connect no token: status 503']],
    ] as const) {
      const { sent, told, client, handler } = world();
      client.send(request(AZURE, ENTRA), handler);
      await settle();
      answer(sent[0] as Sent, status, '{"error":"invalid_client"}');
      await settle();
      expect(told).toEqual(expected);
      expect(sent).toHaveLength(1);
    }
  });

  it('is never sent if it was aborted while the token was requested', async () => {
    const { sent, told, client, handler } = world();
    const exchange = client.send(request(AZURE, ENTRA), handler);
    await settle();
    exchange.abort();
    answer(sent[0] as Sent, 200, '{"access_token":"tok"}');
    await settle();
    expect(sent).toHaveLength(1);
    expect(told).toEqual([]);
  });

  it('is paused and aborted like any other', async () => {
    const { sent, client, handler } = world();
    const exchange = client.send(request(BEDROCK, AWS), handler);
    exchange.pause();
    await settle();
    expect(sent[0]?.exchange.paused).toBe(true);
    exchange.resume();
    expect(sent[0]?.exchange.paused).toBe(false);
    exchange.abort();
    expect(sent[0]?.exchange.aborted).toBe(true);
  });

  it('has the body that the cloud reads', async () => {
    const { sent, client, handler } = world();
    client.send(request(BEDROCK, AWS), handler);
    await settle();
    const body = Buffer.concat(sent[0]?.request.body ?? []).toString();
    expect(body).toBe('{"anthropic_version":"bedrock-2023-05-31","max_tokens":1}');
  });
});

describe('an event stream of AWS', () => {
  const TYPE = 'application/vnd.amazon.eventstream';
  const STOP = chunkFrame('{"type":"message_stop"}');

  async function streaming() {
    const made = world();
    made.client.send(request(BEDROCK, AWS, true), made.handler);
    await settle();
    const call = made.sent[0] as Sent;
    call.handler.onHead({ status: 200, headers: { 'content-type': TYPE } });
    return { ...made, call };
  }

  it('is read as server-sent events', async () => {
    const { told, call } = await streaming();
    call.handler.onData(STOP.subarray(0, 30));
    call.handler.onData(STOP.subarray(30));
    call.handler.onEnd();
    expect(told).toEqual([
      'head 200 text/event-stream; charset=utf-8',
      'data event: message_stop\ndata: {"type":"message_stop"}\n\n',
      'end',
    ]);
  });

  it('is a failure if it ends inside of a message, or if a checksum is wrong', async () => {
    const cut = await streaming();
    cut.call.handler.onData(STOP.subarray(0, 30));
    cut.call.handler.onEnd();
    expect(cut.told.at(-1)).toMatch(/^failure reset /);
    const wrong = await streaming();
    const bytes = Buffer.from(STOP);
    bytes[20] = (bytes[20] as number) ^ 1;
    wrong.call.handler.onData(bytes);
    expect(wrong.told.at(-1)).toMatch(/^failure protocol /);
    expect(wrong.call.exchange.aborted).toBe(true);
  });
});
