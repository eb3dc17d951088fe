import { afterEach, beforeEach, expect, test } from 'vitest';
import { accountWith } from '../../../test/support/calls.ts';
import { type FreshDatabase, freshDatabase } from '../../../test/support/postgres.ts';
import { FILE_KEPT_MS, JOBS_PAGE_MAX } from '../../jobs/bounds.ts';
import type { FileStore, StoredFile } from '../../jobs/contract.ts';
import { createFileStore, pruneFiles } from './files.ts';

const START_MS = Date.UTC(2026, 10, 18);

let fresh: FreshDatabase;
let store: FileStore;
let accountId: number;
let stranger: number;

beforeEach(async () => {
  fresh = await freshDatabase();
  store = createFileStore(fresh.database);
  accountId = await accountWith(fresh.database, { creditsMicro: 0n });
  stranger = await accountWith(fresh.database, { creditsMicro: 0n });
});
afterEach(() => fresh.drop());

function fileOf(number: number, changes: Partial<StoredFile> = {}): StoredFile {
  return {
    ...{ accountId, objectId: `file-${number}`, createdAtMs: START_MS + number * 1_000, routeId: 1 },
    ...{ credential: 'openai', own: false, model: 'gpt', protocol: 'chat', items: 3 },
    ...{ inputTokens: 9_007_199_254_740_991, outputTokens: 7, batchId: undefined },
    ...changes,
  };
}

test('a file is found by its account alone, and stays as it was added first', async () => {
  const file = fileOf(0, { batchId: 'batch_1' });
  await store.add(file);
  await store.add({ ...file, model: 'another' });
  expect(await store.find(accountId, 'file-0')).toEqual(file);
  expect(await store.find(stranger, 'file-0')).toBeUndefined();
  await store.remove(stranger, 'file-0');
  expect(await store.find(accountId, 'file-0')).toEqual(file);
  await store.remove(accountId, 'file-0');
  expect(await store.find(accountId, 'file-0')).toBeUndefined();
  expect(await store.find(accountId, 'a\0b')).toBeUndefined();
});

test('files are listed in pages, by time', async () => {
  for (const number of [0, 1, 2]) await store.add(fileOf(number));
  await store.add(fileOf(9, { accountId: stranger }));
  const ids = async (order: 'asc' | 'desc', after?: string) =>
    (await store.list(accountId, { limit: 2, order, after })).map(({ objectId }) => objectId);
  await store.add(fileOf(3, { batchId: 'batch_1', createdAtMs: START_MS - 1 }));
  expect(await store.countUploaded(accountId)).toBe(3);
  expect(await ids('desc')).toEqual(['file-2', 'file-1']);
  expect(await ids('desc', 'file-1')).toEqual(['file-0', 'file-3']);
  expect(await ids('asc', 'file-0')).toEqual(['file-1', 'file-2']);
  expect(await ids('asc', 'file-9')).toEqual([]);
  const tooMany = { limit: JOBS_PAGE_MAX + 1, order: 'asc' } as const;
  await expect(store.list(accountId, tooMany)).rejects.toThrow('bounded');
});

test('what is known of old files is forgotten', async () => {
  await store.add(fileOf(0));
  await store.add(fileOf(1));
  expect(await pruneFiles(fresh.database, START_MS + FILE_KEPT_MS)).toBe(1);
  expect(await store.find(accountId, 'file-0')).toBeUndefined();
  expect(await store.find(accountId, 'file-1')).toBeDefined();
});
