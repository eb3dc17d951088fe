import { expect, test } from 'vitest';
import { sampleCatalog, sampleCredential, sampleJob, sampleVendor } from '../../../test/support/samples.ts';
import { StoreUnavailable } from '../../accounts/contract.ts';
import type { Credential, Vendor } from '../../catalog/contract.ts';
import type { UpstreamClient, UpstreamRequest } from '../../upstream/contract.ts';
import { createAskAboutJob } from './ask-about-job.ts';
import { findJobCredential } from './job-credential.ts';

const vendor = sampleVendor({ protocols: ['videos'] });
const credential = sampleCredential();
const jobs = { postpone: async () => {} };

function catalogOf(vendors: readonly Vendor[], credentials: readonly Credential[]) {
  return sampleCatalog({
    vendors: new Map(vendors.map((each) => [each.code, each])),
    credentials: new Map(credentials.map((each) => [each.name, each])),
  });
}

/** A vendor that answers everything with this. */
function createClient(status: number, body: string) {
  const requests: UpstreamRequest[] = [];
  const client: UpstreamClient = {
    send: (request, handler) => {
      requests.push(request);
      queueMicrotask(() => {
        if (status === 0) handler.onFailure({ kind: 'connect', detail: 'nobody' });
        else {
          handler.onHead({ status, headers: {} });
          handler.onData(Buffer.from(body));
          handler.onEnd();
        }
      });
      return { sent: true, pause() {}, resume() {}, abort() {} };
    },
    close: async () => {},
  };
  return { client, requests };
}

const video = (status: string): string => JSON.stringify({ id: 'video_1', object: 'video', status });

test.each([
  [200, video('queued'), 'running'],
  [200, video('in_progress'), 'running'],
  [200, video('completed'), 'complete'],
  [200, video('failed'), 'failed'],
  [200, video('on holiday'), 'unknown'],
  [200, '{"error":{"message":"no"}}', 'unknown'],
  [200, '<html>', 'unknown'],
  [404, '{"error":{"message":"no such video"}}', 'missing'],
  [404, '<html>not here</html>', 'unknown'],
  [401, '{"error":{}}', 'unknown'],
  [500, '{"error":{}}', 'unknown'],
  [0, '', 'unknown'],
])('%i with %s means that the job is %s', async (status, body, report) => {
  const { client, requests } = createClient(status, body);
  const catalog = () => catalogOf([vendor], [credential]);
  const askAboutJob = createAskAboutJob({ client, jobs, catalog, findOwn: async () => [] });
  expect(await askAboutJob(sampleJob({ objectId: 'a?b' }))).toBe(report);
  expect(requests.map(({ method, path, reach }) => [method, path, reach])).toEqual([
    ['GET', '/v1/videos/a%3Fb', 'any'],
  ]);
});

test('only the credential that created the job is asked', () => {
  const job = sampleJob();
  const found = findJobCredential(job, [], catalogOf([vendor], [credential]));
  expect(found).toEqual({ vendor, credential });
  const others = [
    catalogOf([vendor], [sampleCredential({ name: 'another' })]),
    catalogOf([vendor], [sampleCredential({ status: 'disabled' })]),
    catalogOf([sampleVendor()], [credential]),
    catalogOf([], [credential]),
  ];
  for (const catalog of others) expect(findJobCredential(job, [credential], catalog)).toBeUndefined();
});

test('an own credential is asked under the rules of its vendor, and only that of its account', async () => {
  const own = sampleCredential({ name: 'mine', ownerAccountId: 1, baseUrl: 'https://mine.example/v1' });
  const job = sampleJob({ own: true, credential: 'mine' });
  const open = { ...vendor, customBaseUrl: true };
  const { client, requests } = createClient(200, video('completed'));
  const catalog = () => catalogOf([open], [{ ...credential, name: 'mine' }]);
  const findOwn = async () => [own];
  expect(await createAskAboutJob({ client, jobs, catalog, findOwn })(job)).toBe('complete');
  expect(requests).toMatchObject([{ origin: 'https://mine.example', reach: 'public' }]);
  const closed = () => catalogOf([vendor], []);
  expect(await createAskAboutJob({ client, jobs, catalog: closed, findOwn })(job)).toBe('unknown');
  const foreign = async () => [{ ...own, ownerAccountId: 2 }];
  expect(await createAskAboutJob({ client, jobs, catalog, findOwn: foreign })(job)).toBe('unknown');
  const away = () => Promise.reject(new StoreUnavailable('away'));
  expect(await createAskAboutJob({ client, jobs, catalog, findOwn: away })(job)).toBe('unknown');
  expect(requests).toHaveLength(1);
});
