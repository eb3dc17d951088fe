import { execFile } from 'node:child_process';
import { readdirSync, statSync, symlinkSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { FULL_DEVICE, needs } from '../../../test/needs.ts';
import { systemRandom } from '../../kernel/random.ts';
import { ManualClock } from '../../kernel/time/clock.ts';
import { ArchiveDamaged, ArchiveReader } from './archive-reader.ts';
import { ArchiveRefused, ArchiveWriter } from './archive-writer.ts';

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tollgate-archive-'));
  path = join(folder, 'one.tar.gz');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const CONTENT: Readonly<Record<string, Buffer>> = {
  'backup.json': Buffer.from('{}'),
  'tables/empty/000001.copy': Buffer.alloc(0),
  'tables/calls/000001.copy': Buffer.from('a\tb\n'.repeat(10_000)),
  'tables/exact/000001.copy': Buffer.alloc(512, 'x'),
};

async function writeArchive(): Promise<number> {
  const writer = new ArchiveWriter(path, new ManualClock());
  for (const [name, content] of Object.entries(CONTENT)) await writer.add(name, content);
  return await writer.finish({ rows: 3 });
}

async function readArchive(): Promise<{ found: Record<string, Buffer>; end: object }> {
  const reader = new ArchiveReader(path);
  const found: Record<string, Buffer> = {};
  for await (const { name, content } of reader.entries()) {
    const parts: Buffer[] = [];
    for await (const part of content) parts.push(part);
    found[name] = Buffer.concat(parts);
  }
  return { found, end: reader.end };
}

it('what is written is read again, with its end', async () => {
  const bytes = await writeArchive();
  expect(bytes).toBe(statSync(path).size);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  const { found, end } = await readArchive();
  expect(found).toEqual(CONTENT);
  expect(end).toMatchObject({ rows: 3 });
});

it('tar lists and unpacks it', async () => {
  await writeArchive();
  const { stdout } = await promisify(execFile)('tar', ['tzf', path]);
  expect(stdout.trim().split('\n')).toEqual([...Object.keys(CONTENT), 'end.json']);
  await promisify(execFile)('tar', ['xzf', path, '-C', folder]);
  const unpacked = await readFile(join(folder, 'tables/calls/000001.copy'));
  expect(unpacked).toEqual(CONTENT['tables/calls/000001.copy']);
});

it('has another name until it is complete, and never replaces a file', async () => {
  const writer = new ArchiveWriter(path, new ManualClock());
  await writer.add('backup.json', Buffer.from('{}'));
  expect(readdirSync(folder)).toEqual([`one.tar.gz.unfinished-${process.pid}`]);
  await writer.discard();
  expect(readdirSync(folder)).toEqual([]);
  const late = new ArchiveWriter(path, new ManualClock());
  await writeFile(path, 'of somebody else');
  await expect(late.finish({})).rejects.toThrow(ArchiveRefused);
  await late.discard();
  expect(() => new ArchiveWriter(path, new ManualClock())).toThrow(ArchiveRefused);
  expect(await readFile(path, 'utf8')).toBe('of somebody else');
  expect(readdirSync(folder)).toEqual(['one.tar.gz']);
});

it('a file that ends anywhere too early is no backup', async () => {
  await writeArchive();
  const whole = await readFile(path);
  for (let length = 0; length < whole.length - 8; length += 37) {
    await writeFile(path, whole.subarray(0, length));
    await expect(readArchive(), `${length} bytes`).rejects.toThrow(ArchiveDamaged);
  }
  // Cut and compressed again, as a careless copy would be.
  const plain = gunzipSync(whole);
  for (let length = 0; length <= plain.length - 1024 - 512; length += 512) {
    await writeFile(path, gzipSync(plain.subarray(0, length)));
    await expect(readArchive(), `${length} plain bytes`).rejects.toThrow(ArchiveDamaged);
  }
});

it('a changed byte is found, wherever it is', async () => {
  await writeArchive();
  const plain = gunzipSync(await readFile(path));
  for (const at of [0, 130, 512, 700, 1_030, 2_100, 20_000, plain.length - 1_600, plain.length - 1_500]) {
    const changed = Buffer.from(plain);
    changed[at] = (changed[at] ?? 0) ^ 1;
    await writeFile(path, gzipSync(changed));
    await expect(readArchive(), `byte ${at}`).rejects.toThrow(ArchiveDamaged);
  }
  await writeFile(path, 'no archive at all');
  await expect(readArchive()).rejects.toThrow(ArchiveDamaged);
});

it('a full disk ends the backup with its error, and leaves nothing', needs(FULL_DEVICE), async () => {
  symlinkSync(FULL_DEVICE.name, `${path}.unfinished-${process.pid}`);
  const writer = new ArchiveWriter(path, new ManualClock());
  const writing = async (): Promise<void> => {
    const random = systemRandom.bytes(100_000);
    for (let part = 0; part < 200; part++) await writer.add(`part/${part}`, random);
    await writer.finish({});
  };
  await expect(writing()).rejects.toThrow('ENOSPC');
  await writer.discard();
  expect(readdirSync(folder)).toEqual([]);
});
