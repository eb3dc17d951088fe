import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { openGate } from '../../../test/support/open-gate.ts';
import { sampleCatalog, sampleCredential, sampleJob, sampleVendor } from '../../../test/support/samples.ts';
import { StoreUnavailable } from '../../accounts/contract.ts';
import { discardBody } from '../../http/body.ts';
import { RESULTS_CLAIM_MS } from '../../jobs/bounds.ts';
import { NO_USAGE } from '../../kernel/usage.ts';
import type { UpstreamClient } from '../../upstream/contract.ts';
import { findEndpoint } from '../endpoints/find.ts';
import { serveObject } from '../endpoints/serve-object.ts';
import type { Gateway } from '../gateway.ts';
import { askAboutBatch, type BatchJob } from './ask-about-batch.ts';
import { resultsUrl } from './results-url.ts';

test('results are read where the client already is, and nowhere else', () => {
  const at = (headers: Record<string, string>, publicUrl?: string) =>
    resultsUrl({ gateway: { publicUrl } as Gateway, headers }, 'a/b');
  const path = '/v1/messages/batches/a%2Fb/results';
  expect(at({ host: 'here:80' })).toBe(`http://here:80${path}`);
  expect(at({ host: 'here', 'x-forwarded-proto': 'https' })).toBe(`https://here${path}`);
  expect(at({ host: 'evil/@x' })).toBe(path);
  expect(at({ host: 'here' }, 'https://public.example/')).toBe(`https://public.example${path}`);
});

describe('what becomes of a batch', () => {
  const credential = { vendor: sampleVendor(), credential: sampleCredential() };
  const answer = { id: 'c', object: 'chat.completion', choices: [{ message: { content: 'Hi' } }] };
  const usage = { prompt_tokens: 7, completion_tokens: 5 };
  const line = (status: number, body: object) =>
    JSON.stringify({ custom_id: 'a', response: { status_code: status, body }, error: null });

  /** A vendor that has these answers, by path. */
  async function ask(
    answers: Readonly<Record<string, readonly [number, string]>>,
    bodyEnd: 'closed' | 'counted' = 'counted',
  ) {
    const kept: number[] = [];
    const client: UpstreamClient = {
      send: ({ path }, handler) => {
        queueMicrotask(() => {
          const [status, body] = answers[path] ?? [0, ''];
          if (status === 0) return handler.onFailure({ kind: 'connect', detail: 'nobody' });
          handler.onHead({ status, headers: {}, bodyEnd });
          handler.onData(Buffer.from(body));
          handler.onEnd();
        });
        return { sent: true, pause() {}, resume() {}, abort() {} };
      },
      close: async () => {},
    };
    const jobs = { postpone: async (_id: string, waitMs: number) => void kept.push(waitMs) };
    const job = sampleJob({ kind: 'batch', objectId: 'batch_1' }) as BatchJob;
    return { report: await askAboutBatch({ client, jobs }, credential, job), kept };
  }

  const BATCH = '/v1/batches/batch_1';
  const RESULTS = '/v1/files/file-1/content';
  const batch = (status: string, rest: object = {}): readonly [number, string] => [
    200,
    JSON.stringify({ id: 'batch_1', status, endpoint: '/v1/chat/completions', ...rest }),
  ];
  const ended = batch('completed', { output_file_id: 'file-1', request_counts: { completed: 1 } });

  test.each([
    [batch('validating'), 'running'],
    [batch('cancelling'), 'running'],
    [batch('failed'), 'failed'],
    [batch('on holiday'), 'unknown'],
    [[404, '{"error":{}}'], 'missing'],
    [[404, '<html>'], 'unknown'],
    [[500, '{}'], 'unknown'],
    [[200, '<html>'], 'unknown'],
    [batch('completed', { request_counts: { completed: 2 } }), 'unknown'],
    [batch('completed', { output_file_id: 'file-1', endpoint: '/v1/other' }), 'unknown'],
    [batch('cancelled'), { usage: NO_USAGE, estimated: false }],
  ] as const)('%j', async (said, report) => {
    expect(await ask({ [BATCH]: said })).toEqual({ report, kept: [] });
  });

  test('that has ended is what its results used, and the node keeps it while it reads', async () => {
    const lines = [
      line(200, { ...answer, usage }),
      line(400, { error: {} }),
      line(200, { ...answer, usage }),
    ];
    const { report, kept } = await ask({ [BATCH]: ended, [RESULTS]: [200, lines.join('\n')] });
    const used = { ...NO_USAGE, inputFresh: 14, outputText: 10 };
    expect(report).toEqual({ usage: used, estimated: false });
    expect(kept).toEqual([RESULTS_CLAIM_MS]);
  });

  test('is unknown while its results cannot be read to their end', async () => {
    expect((await ask({ [BATCH]: ended })).report).toBe('unknown');
    expect((await ask({ [BATCH]: ended, [RESULTS]: [404, '{}'] })).report).toBe('unknown');
    expect((await ask({ [BATCH]: ended, [RESULTS]: [200, ''] }, 'closed')).report).toBe('unknown');
  });
});

describe('while the store is away', () => {
  const servers: { close(): void }[] = [];
  afterEach(() => {
    for (const server of servers.splice(0)) server.close();
  });

  const away = async (): Promise<never> => {
    throw new StoreUnavailable('away');
  };
  const gateway = {
    directory: {
      catalog: () => sampleCatalog(),
      findCaller: () => ({ account: { id: 1, byok: [], status: 'active' }, key: {}, readAtMs: 0 }),
    },
    deps: {
      ...{ files: { find: away, list: away, countUploaded: away }, jobs: { find: away, list: away } },
      ...openGate(),
      clock: { now: () => Date.now(), monotonic: () => 0 },
      recentJobs: { find: () => undefined, findNewest: () => undefined },
    },
    isDraining: () => false,
    discardBody,
  } as unknown as Gateway;

  test('files and batches are unavailable, and nothing breaks', async () => {
    const server = createServer((request, response) => {
      const { method = '', url = '' } = request;
      const found = findEndpoint(method, url);
      if (found.kind === 'object') void serveObject(request, response, found.asked, gateway);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    servers.push(server);
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    for (const path of ['/v1/files', '/v1/files/a', '/v1/batches/a', '/v1/messages/batches/a']) {
      const { status } = await fetch(url + path, { headers: { authorization: 'Bearer key' } });
      expect([401, 503], path).toContain(status);
    }
  });
});
