import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { openGate } from '../../../test/support/open-gate.ts';
import {
  sampleAccount,
  sampleCatalog,
  sampleCredential,
  sampleJob,
  sampleKey,
  sampleVendor,
} from '../../../test/support/samples.ts';
import { newApiKey } from '../../accounts/api-key.ts';
import { StoreUnavailable } from '../../accounts/contract.ts';
import { discardBody } from '../../http/body.ts';
import type { Job, JobStore } from '../../jobs/contract.ts';
import { Tasks } from '../../kernel/async/task.ts';
import { silentLogger } from '../../kernel/log.ts';
import { seededRandom } from '../../kernel/random.ts';
import { ManualClock } from '../../kernel/time/clock.ts';
import type { UpstreamClient, UpstreamHandler, UpstreamHead } from '../../upstream/contract.ts';
import type { FoundObject } from '../endpoints/find.ts';
import { serveObject } from '../endpoints/serve-object.ts';
import type { Gateway } from '../gateway.ts';
import { RecentJobs } from './recent-jobs.ts';

const key = newApiKey(seededRandom(1));
const caller = { account: sampleAccount({ id: 1 }), key: sampleKey() };
const vendor = sampleVendor({ protocols: ['videos'] });

let server: Server;
let url = '';
let asked: FoundObject;
let jobs: Job[];
let credentials: Map<string, ReturnType<typeof sampleCredential>>;
/** What happened, in order: questions to the vendor, and changes of the store. */
let done: string[];
let isAway = false;
/** What the vendor answers, by `METHOD path`. */
let plays: Map<string, (handler: UpstreamHandler) => void>;

const store: JobStore = {
  find: async (accountId, { kind, objectId }) => {
    if (isAway) throw new StoreUnavailable('away');
    const ofAccount = jobs.filter((job) => job.accountId === accountId && job.kind === kind);
    return ofAccount.find((job) => job.objectId === objectId);
  },
  list: async (accountId, _kind, { limit }) =>
    jobs.filter((job) => job.accountId === accountId).slice(0, limit),
  countRunning: async () => 0,
  hide: async (_accountId, { objectId }) => void done.push(`hide ${objectId}`),
  hasten: async (callId) => void done.push(`hasten ${callId}`),
  end: async (callId, { state }) => {
    done.push(`end ${callId} ${state}`);
    return true;
  },
  claim: async () => [],
  postpone: async () => {},
};

const client: UpstreamClient = {
  send: ({ method, path }, handler) => {
    done.push(`${method} ${path}`);
    const play = plays.get(`${method} ${path}`);
    queueMicrotask(() => {
      if (play === undefined) handler.onFailure({ kind: 'connect', detail: 'nobody' });
      else play(handler);
    });
    const exchange = { sent: true, pause() {}, resume() {}, abort: () => void done.push('abort') };
    return exchange;
  },
  close: async () => {},
};

/** As much of a gateway as these endpoints ask for. */
function createGateway(): Gateway {
  const catalog = () => sampleCatalog({ vendors: new Map([['openai', vendor]]), credentials });
  const bodies = { take: () => true, give() {} };
  return {
    directory: { catalog, findCaller: () => caller },
    deps: {
      ...{ jobs: store, client, bodies, clock: new ManualClock(), tasks: new Tasks(silentLogger) },
      ...openGate(),
      recentJobs: new RecentJobs(),
      streamTimeouts: { connectMs: 1_000, firstByteMs: 1_000, idleMs: 1_000 },
    },
    times: { keepAliveMs: 1_000, clientStallMs: 1_000 },
    isDraining: () => false,
    discardBody,
  } as unknown as Gateway;
}

beforeAll(async () => {
  const gateway = createGateway();
  server = createServer((request, response) => void serveObject(request, response, asked, gateway));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
beforeEach(() => {
  jobs = [sampleJob({ model: 'film' })];
  credentials = new Map([['openai-main', sampleCredential()]]);
  done = [];
  isAway = false;
  plays = new Map();
});
afterAll(() => server.close());

async function ask(endpoint: FoundObject['id'], id = 'video_1', query = '') {
  asked = { id: endpoint, params: { id }, query };
  const response = await fetch(url, { headers: { authorization: `Bearer ${key}` } });
  return { status: response.status, text: await response.text(), headers: response.headers };
}

function say(question: string, status: number, body: string, head: Partial<UpstreamHead> = {}): void {
  plays.set(question, (handler) => {
    handler.onHead({ status, headers: { 'content-type': 'application/json' }, ...head });
    if (body !== '') handler.onData(Buffer.from(body));
    handler.onEnd();
  });
}

const video = (status: string): string =>
  JSON.stringify({ id: 'video_1', object: 'video', model: 'sora-2', status });
const READ = 'GET /v1/videos/video_1';
const CONTENT = `${READ}/content`;
const DELETE = 'DELETE /v1/videos/video_1';

test('a video that has ended is examined soon, and one that runs is not', async () => {
  say(READ, 200, video('in_progress'));
  expect((await ask('getVideo')).text).toBe(video('in_progress').replace('sora-2', 'film'));
  expect(done).toEqual([READ]);
  say(READ, 200, video('completed'));
  await ask('getVideo');
  expect(done.slice(1)).toEqual([READ, 'hasten req_1']);
  jobs = [sampleJob({ state: 'complete' })];
  await ask('getVideo');
  expect(done.slice(3)).toEqual([READ]);
});

test.each([
  [500, '{"error":{"message":"broken"}}', 500, 'broken'],
  [404, '{"error":{"message":"expired"}}', 404, 'expired'],
  [403, '{"error":{"message":"inner words"}}', 502, '50202'],
  [302, '', 502, '50202'],
  [200, '<html>', 502, '50202'],
  [200, '{"error":{"message":"no"}}', 502, '50202'],
])('an answer with %i %s becomes %i', async (status, body, sent, words) => {
  say(READ, status, body);
  const answer = await ask('getVideo');
  expect([answer.status, answer.text]).toEqual([sent, expect.stringContaining(words)]);
  expect(answer.text).not.toContain('inner words');
});

test('a vendor that does not answer, a credential that is gone and a store that is away are told apart', async () => {
  expect((await ask('getVideo')).status).toBe(502);
  plays.set(READ, (handler) => handler.onFailure({ kind: 'timeout', detail: 'late' }));
  expect((await ask('getVideo')).status).toBe(504);
  credentials.clear();
  expect(await ask('getVideo')).toMatchObject({ status: 502, text: expect.stringContaining('is gone') });
  isAway = true;
  expect(await ask('getVideo')).toMatchObject({ status: 503 });
});

test('a video that is complete is settled before it is deleted', async () => {
  say(READ, 200, video('completed'));
  say(DELETE, 200, '{"id":"video_1","object":"video.deleted","deleted":true}');
  expect((await ask('deleteVideo')).status).toBe(200);
  expect(done).toEqual([READ, 'end req_1 complete', DELETE, 'hide video_1']);
});

test('a video is not deleted while nobody knows whether it is complete, and one that is gone is hidden', async () => {
  say(READ, 500, '{"error":{}}');
  expect((await ask('deleteVideo')).status).toBe(502);
  expect(done).toEqual([READ]);
  jobs = [sampleJob({ state: 'void' })];
  say(DELETE, 404, '{"error":{"message":"unknown"}}');
  expect((await ask('deleteVideo')).status).toBe(404);
  expect(done.slice(1)).toEqual([DELETE, 'hide video_1']);
  say(DELETE, 400, '{"error":{"message":"not yet"}}');
  expect((await ask('deleteVideo')).status).toBe(400);
  expect(done.slice(3)).toEqual([DELETE]);
});

test('whoever gets the content pays for it', async () => {
  const headers = { 'content-type': 'video/mp4', 'set-cookie': 'a=b', 'accept-ranges': 'bytes' };
  say(`${CONTENT}?variant=video`, 200, 'bytes', { headers });
  const answer = await ask('getVideoContent', 'video_1', '?variant=video&key=x');
  expect([answer.status, answer.text, answer.headers.get('set-cookie')]).toEqual([200, 'bytes', null]);
  expect(answer.headers.get('accept-ranges')).toBe('bytes');
  expect(done).toEqual([`${CONTENT}?variant=video`, 'end req_1 complete']);
  say(CONTENT, 409, '{"error":{"message":"not ready"}}');
  expect(await ask('getVideoContent')).toMatchObject({
    status: 409,
    text: expect.stringContaining('not ready'),
  });
  expect(done.slice(2)).toEqual([CONTENT]);
  expect((await ask('getVideoContent', 'video_1', '?variant=x')).status).toBe(400);
});

test('content that breaks off, or whose end is not certain, is a broken connection', async () => {
  plays.set(CONTENT, (handler) => {
    handler.onHead({ status: 200, headers: { 'content-length': '99' } });
    handler.onData(Buffer.from('half'));
    handler.onFailure({ kind: 'reset', detail: 'gone' });
  });
  await expect(ask('getVideoContent')).rejects.toThrow();
  say(CONTENT, 200, 'bytes', { headers: {}, bodyEnd: 'closed' });
  await expect(ask('getVideoContent')).rejects.toThrow();
  plays.set(CONTENT, (handler) => {
    handler.onHead({ status: 500, headers: {} });
    handler.onData(Buffer.alloc(2 * 1024 * 1024));
  });
  expect((await ask('getVideoContent')).status).toBe(502);
  expect(done).toContain('abort');
});

test('a list leaves out what the vendor does not know, and shows what it does not tell', async () => {
  const ids = ['video_1', 'gone', 'silent', 'lost'];
  jobs = ids.map((objectId) => sampleJob({ objectId, model: 'film', createdAtMs: 5_000 }));
  jobs[3] = sampleJob({ objectId: 'lost', credential: 'another' });
  say(READ, 200, video('completed'));
  say('GET /v1/videos/gone', 404, '{"error":{"message":"unknown"}}');
  const list = JSON.parse((await ask('listVideos', '', '?limit=3')).text);
  expect(list).toMatchObject({ object: 'list', first_id: 'video_1', last_id: 'silent', has_more: true });
  expect(list.data).toMatchObject([
    { id: 'video_1', model: 'film', status: 'completed' },
    { id: 'silent', model: 'film', status: 'in_progress', created_at: 5, error: null },
  ]);
  expect(JSON.parse((await ask('listVideos')).text)).toMatchObject({ has_more: false, last_id: 'lost' });
});
