import { beforeEach, expect, test } from 'vitest';
import { sampleCatalog, sampleCredential, sampleVendor } from '../../../test/support/samples.ts';
import { StoreUnavailable } from '../../accounts/contract.ts';
import type { NotedUpload, UploadStore } from '../../jobs/contract.ts';
import { sha256Hex } from '../../kernel/encoding/hash.ts';
import { silentLogger } from '../../kernel/log.ts';
import { ManualClock } from '../../kernel/time/clock.ts';
import type { UpstreamClient } from '../../upstream/contract.ts';
import { LOST_UPLOAD_LOOK_MS, LOST_UPLOAD_MS_MAX, VENDOR_LIST_PAGES_MAX } from './bounds.ts';
import { LostUploads } from './lost-uploads.ts';

const NOTED_MS = Date.UTC(2026, 0, 1);
const UPLOAD: NotedUpload = {
  id: 'req_1',
  accountId: 1,
  notedAtMs: NOTED_MS,
  credential: 'openai-main',
  own: false,
  nameHash: sha256Hex('a.jsonl'),
  bytes: 9,
};
const file = (id: string, changes: object = {}) => ({
  id,
  filename: 'a.jsonl',
  bytes: 9,
  created_at: NOTED_MS / 1_000 + 1,
  ...changes,
});

let clock: ManualClock;
/** What happened at the store and the vendor, in order. */
let done: string[];
let known: readonly string[];
/** The pages of the vendor's list; a text is no list. */
let pages: readonly (readonly object[] | string)[];
let isSilent: boolean;
let isAway: boolean;

beforeEach(() => {
  clock = new ManualClock(NOTED_MS + 20_000);
  [done, known, pages, isSilent, isAway] = [[], [], [[]], false, false];
});

const uploads: Pick<UploadStore, 'takeLost' | 'findOrphans' | 'forget' | 'lookAgain'> = {
  takeLost: async () => {
    if (isAway) throw new StoreUnavailable('away');
    return [UPLOAD];
  },
  findOrphans: async (ids) => ids.filter((id) => !known.includes(id)),
  forget: async (id) => void done.push(`forget ${id}`),
  lookAgain: async (id) => void done.push(`again ${id}`),
};

const client: UpstreamClient = {
  send: ({ method, path }, handler) => {
    const url = new URL(path, 'http://vendor');
    const page = pages[Number(url.searchParams.get('after') ?? 0)] ?? [];
    const list = JSON.stringify({ data: page, has_more: pages.length > 1 });
    if (method === 'DELETE') done.push(`${method} ${url.pathname}`);
    queueMicrotask(() => {
      if (isSilent) return;
      handler.onHead({ status: 200, headers: {}, bodyEnd: 'counted' });
      handler.onData(Buffer.from(typeof page === 'string' ? page : list) as never);
      handler.onEnd();
    });
    return { sent: true, pause() {}, resume() {}, abort() {} };
  },
  close: async () => {},
};

function create(): LostUploads {
  const vendor = sampleVendor();
  const credentials = new Map([['openai-main', sampleCredential()]]);
  return new LostUploads({
    uploads: uploads as UploadStore,
    client,
    clock,
    log: silentLogger,
    catalog: () => sampleCatalog({ vendors: new Map([[vendor.code, vendor]]), credentials }),
    findOwn: async () => [],
  });
}

test('the file of a lost upload is deleted, and no other one', async () => {
  known = ['known'];
  pages = [
    [
      file('known'),
      file('lost'),
      file('name', { filename: 'b.jsonl' }),
      file('long', { bytes: 10 }),
      file('old', { created_at: NOTED_MS / 1_000 - 61 }),
      file('../x'),
      file('new', { created_at: 9e9 }),
      7,
      {},
      file('text', { bytes: '9' }),
    ] as object[],
  ];
  await create().run();
  expect(done).toEqual(['DELETE /v1/files/lost', 'forget req_1']);
});

test('one that the vendor does not show is looked for again, for a while', async () => {
  await create().run();
  expect(done).toEqual(['again req_1']);
  clock.advance(LOST_UPLOAD_LOOK_MS);
  await create().run();
  expect(done).toEqual(['again req_1', 'forget req_1']);
});

test('a vendor that gives no list is asked for longer', async () => {
  pages = ['<html>'];
  clock.advance(LOST_UPLOAD_LOOK_MS);
  await create().run();
  expect(done).toEqual(['again req_1']);
  clock.advance(LOST_UPLOAD_MS_MAX);
  await create().run();
  expect(done).toEqual(['again req_1', 'forget req_1']);
});

test('a list is read to the time of the upload, and not without end', async () => {
  const pageOf = (at: number) => [file(String(at + 1), { filename: 'other' })];
  pages = Array.from({ length: VENDOR_LIST_PAGES_MAX + 5 }, (_, at) => pageOf(at));
  pages = pages.with(3, [file('lost'), file('4', { filename: 'other' })]);
  await create().run();
  expect(done).toEqual(['DELETE /v1/files/lost', 'forget req_1']);
});

test('a stop does not wait for a vendor, and a store that is away is tried again', async () => {
  isSilent = true;
  const lost = create();
  const running = lost.run();
  await lost.run();
  await lost.stop();
  await running;
  expect(done).toEqual(['again req_1']);
  isAway = true;
  await create().run();
  expect(done).toHaveLength(1);
});
