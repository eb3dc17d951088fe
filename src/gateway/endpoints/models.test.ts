import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openGate } from '../../../test/support/open-gate.ts';
import {
  sampleAccount,
  sampleCatalog,
  sampleCredential,
  sampleKey,
  sampleModel,
  sampleRoute,
} from '../../../test/support/samples.ts';
import { newApiKey } from '../../accounts/api-key.ts';
import type { Model } from '../../catalog/contract.ts';
import { discardBody } from '../../http/body.ts';
import { seededRandom } from '../../kernel/random.ts';
import { ManualClock } from '../../kernel/time/clock.ts';
import type { Gateway } from '../gateway.ts';
import { serveObject } from './serve-object.ts';

const key = newApiKey(seededRandom(1));
const caller = { account: sampleAccount(), key: sampleKey() };
let catalog = sampleCatalog();
const gateway = {
  directory: { catalog: () => catalog, findCaller: () => caller },
  deps: { ...openGate(), clock: new ManualClock() },
  isDraining: () => false,
  discardBody,
} as unknown as Gateway;

let server: Server;
let url = '';
beforeAll(async () => {
  const asked = { id: 'listModelsOfKey', params: {}, query: '' } as const;
  server = createServer((request, response) => void serveObject(request, response, asked, gateway));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());

async function list(models: readonly Model[], headers: Record<string, string> = {}): Promise<string[]> {
  catalog = sampleCatalog({ models: new Map(models.map((model) => [model.modelId, model])) });
  const response = await fetch(url, { headers: { authorization: `Bearer ${key}`, ...headers } });
  return ((await response.json()) as { data: { id: string }[] }).data.map(({ id }) => id);
}

const named = (modelId: string, changes: Partial<Model> = {}): Model => sampleModel({ modelId, ...changes });

test('models are listed in the order of their ids', async () => {
  expect(await list(['b', 'B', 'ä', 'a', '模', 'a/1', '10', '9'].map((id) => named(id)))).toEqual([
    '10',
    '9',
    'B',
    'a',
    'a/1',
    'b',
    'ä',
    '模',
  ]);
});

test('a model is listed while one of its routes can be used', async () => {
  const off = sampleRoute({ status: 'disabled' });
  const locked = sampleRoute({ credential: sampleCredential({ status: 'disabled' }) });
  expect(
    await list([
      named('none', { routes: [] }),
      named('off', { routes: [off] }),
      named('locked', { routes: [locked] }),
      named('one', { routes: [off, locked, sampleRoute()] }),
    ]),
  ).toEqual(['one']);
});

test('a changed catalogue is listed at once', async () => {
  expect(await list([named('old')])).toEqual(['old']);
  expect(await list([named('new')])).toEqual(['new']);
});

test('a model that only makes images is listed for clients that can request images', async () => {
  const painter = named('painter', { routes: [sampleRoute({ protocols: ['images'] })] });
  expect(await list([painter, named('writer')])).toEqual(['painter', 'writer']);
  expect(await list([painter, named('writer')], { 'anthropic-version': '2023-06-01' })).toEqual(['writer']);
});
