import { type NoParamCallback, readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { silentLogger } from '../../kernel/log.ts';
import { SegmentFiles } from './segment-files.ts';

const disk = vi.hoisted(() => ({ failsToClose: false, failsToSync: false }));

vi.mock('node:fs', async (load) => {
  const fs = await load<typeof import('node:fs')>();
  const closeSync = (descriptor: number): void => {
    fs.closeSync(descriptor);
    if (disk.failsToClose) throw new Error('EIO: i/o error, close');
  };
  const fdatasync = (descriptor: number, done: NoParamCallback): void => {
    if (disk.failsToSync) done(new Error('EIO: i/o error, fdatasync'));
    else fs.fdatasync(descriptor, done);
  };
  return { ...fs, closeSync, fdatasync };
});

let directory: string;
let files: SegmentFiles;
const failures: unknown[] = [];

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tollgate-files-'));
  files = new SegmentFiles({
    directory,
    firstNumber: 7,
    segmentBytes: 10,
    syncMs: 1,
    log: silentLogger,
    onSyncError: (error) => failures.push(error),
  });
});

afterEach(async () => {
  await files.close();
  await rm(directory, { recursive: true, force: true });
  expect(failures).toEqual([]);
});

function append(text: string) {
  return files.append(Buffer.from(text), text.length);
}

describe('the files of a journal', () => {
  it('read back what was appended, wherever it stands', () => {
    const places = ['abcd', 'efghij', 'k', 'a longer one than a segment', 'l'].map(append);
    expect(places.map((place) => files.read(place).toString())).toEqual([
      'abcd',
      'efghij',
      'k',
      'a longer one than a segment',
      'l',
    ]);
    expect(places.map((place) => place.segment.number)).toEqual([7, 7, 8, 9, 10]);
    expect(files.bytes).toBe(39);
  });

  it('a segment goes when it is full and nobody pins it, not before', async () => {
    const { segment } = append('abcdefghij');
    files.pin(segment);
    files.pin(segment);
    append('next');
    files.unpin(segment);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(readdirSync(directory)).toEqual(['000007.log', '000008.log']);
    files.unpin(segment);
    await vi.waitFor(() => expect(readdirSync(directory)).toEqual(['000008.log']), { timeout: 60_000 });
    await vi.waitFor(() => expect(files.bytes).toBe(4), { timeout: 60_000 });
    expect(() => files.unpin(segment)).toThrow('as often');
  });

  it('a segment that nobody pinned goes as soon as it is full', async () => {
    append('abcdefghij');
    append('next');
    await vi.waitFor(() => expect(readdirSync(directory)).toEqual(['000008.log']), { timeout: 60_000 });
  });

  it('a segment that the disk fails to close goes all the same', async () => {
    disk.failsToClose = true;
    append('abcdefghij');
    append('next');
    await vi.waitFor(() => expect(files.bytes).toBe(4), { timeout: 60_000 });
    disk.failsToClose = false;
    expect(readdirSync(directory)).toEqual(['000008.log']);
  });

  it('what a failed sync was to remove goes when the segments that it failed for go', async () => {
    const { segment: old } = append('abcdefghij');
    files.pin(old);
    const { segment: next } = append('next');
    files.pin(next);
    disk.failsToSync = true;
    append('more');
    files.unpin(old);
    await vi.waitFor(() => expect(failures.splice(0)).not.toEqual([]), { timeout: 60_000 });
    disk.failsToSync = false;
    append('abcdefghij');
    await new Promise((resolve) => setTimeout(resolve, 20));
    failures.splice(0);
    expect(readdirSync(directory)).toEqual(['000007.log', '000008.log', '000009.log']);
    files.unpin(next);
    await vi.waitFor(() => expect(readdirSync(directory)).toEqual(['000009.log']), { timeout: 60_000 });
    await vi.waitFor(() => expect(files.bytes).toBe(10), { timeout: 60_000 });
  });

  it('a probe leaves nothing behind', () => {
    append('ab');
    files.probe(Buffer.alloc(5_000, 0x78));
    const place = append('cd');
    expect(files.read({ ...place, bytes: 5_000 }).toString()).toBe('cd');
  });

  it('the next segment never overwrites a file that is there', () => {
    expect(
      () =>
        new SegmentFiles({
          directory,
          firstNumber: 7,
          segmentBytes: 10,
          syncMs: 1,
          log: silentLogger,
          onSyncError: () => {},
        }),
    ).toThrow('EEXIST');
  });
});
