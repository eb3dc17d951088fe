import { afterEach, beforeEach, expect, test } from 'vitest';
import { accountWith } from '../../../test/support/calls.ts';
import { type FreshDatabase, freshDatabase } from '../../../test/support/postgres.ts';
import type { FileStore, NotedUpload, StoredFile, UploadStore } from '../../jobs/contract.ts';
import { createFileStore } from './files.ts';
import { createUploadStore } from './uploads.ts';

const START_MS = Date.UTC(2026, 10, 18);
const LONG_MS = 600_000;

let fresh: FreshDatabase;
let store: UploadStore;
let files: FileStore;
let accountId: number;

beforeEach(async () => {
  fresh = await freshDatabase();
  store = createUploadStore(fresh.database);
  files = createFileStore(fresh.database);
  accountId = await accountWith(fresh.database, { creditsMicro: 0n });
});
afterEach(() => fresh.drop());

const uploadOf = (id: string, changes: Partial<NotedUpload> = {}): NotedUpload => ({
  id,
  accountId,
  notedAtMs: START_MS,
  credential: 'openai',
  own: false,
  nameHash: 'a hash',
  bytes: 9,
  ...changes,
});

const fileOf = (objectId: string): StoredFile => ({
  accountId,
  objectId,
  createdAtMs: START_MS,
  routeId: 1,
  credential: 'openai',
  own: false,
  model: 'gpt',
  protocol: 'chat',
  items: 3,
  inputTokens: 1,
  outputTokens: 7,
  batchId: undefined,
});

const idsOf = (uploads: readonly NotedUpload[]): readonly string[] => uploads.map(({ id }) => id);

test('an upload becomes a file once', async () => {
  await store.note(uploadOf('a'), LONG_MS);
  expect(await store.keep('a', fileOf('file-1'))).toBe(true);
  expect(await files.find(accountId, 'file-1')).toEqual(fileOf('file-1'));
  expect(await store.keep('a', fileOf('file-2'))).toBe(false);
  expect(await files.find(accountId, 'file-2')).toBeUndefined();
  expect(await store.takeLost(9, LONG_MS)).toEqual([]);
});

test('one without a waiting process is taken once, and becomes no file', async () => {
  await store.note(uploadOf('a'), 0);
  await store.note(uploadOf('b'), 0);
  await store.note(uploadOf('c'), LONG_MS);
  await store.renew('b', LONG_MS);
  expect(await store.takeLost(9, LONG_MS)).toEqual([uploadOf('a')]);
  expect(await store.takeLost(9, LONG_MS)).toEqual([]);
  expect(await store.keep('a', fileOf('file-1'))).toBe(false);
  await store.renew('a', 0);
  expect(await store.takeLost(9, LONG_MS)).toEqual([]);
  await store.lookAgain('a', 0);
  await store.lookAgain('c', 0);
  expect(idsOf(await store.takeLost(9, LONG_MS))).toEqual(['a']);
  await store.forget('a');
  await store.lookAgain('a', 0);
  expect(await store.takeLost(9, LONG_MS)).toEqual([]);
  await expect(store.takeLost(1_000, 0)).rejects.toThrow('bounded');
});

test('a file at the vendor is deleted only if it is and becomes no file of any account', async () => {
  const ids = ['file-1', 'file-2', 'a\0b'];
  await store.note(uploadOf('lost'), 0);
  await store.takeLost(9, LONG_MS);
  await files.add({
    ...fileOf('file-1'),
    accountId: await accountWith(fresh.database, { creditsMicro: 0n }),
  });
  expect((await store.findOrphans(ids, uploadOf('lost'))).slice(0, 1)).toEqual(['file-2']);
  // This one looks the same, and any of the files may be its.
  await store.note(uploadOf('other'), LONG_MS);
  expect(await store.findOrphans(ids, uploadOf('lost'))).toEqual([]);
  for (const change of [{ bytes: 8 }, { nameHash: 'another' }, { credential: 'second' }, { own: true }]) {
    expect((await store.findOrphans(ids, uploadOf('lost', change)))[0]).toBe('file-2');
  }
});
