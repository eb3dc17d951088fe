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
  it('return what was appended at any place', () => {
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

  it('are deleted when they are full and not pinned, not before', async () => {
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

  it('without pins are deleted as soon as they are full', async () => {
    append('abcdefghij');
    append('next');
    await vi.waitFor(() => expect(readdirSync(directory)).toEqual(['000008.log']), { timeout: 60_000 });
  });

  it('that the disk fails to close are still deleted', async () => {
    disk.failsToClose = true;
    append('abcdefghij');
    append('next');
    await vi.waitFor(() => expect(files.bytes).toBe(4), { timeout: 60_000 });
    disk.failsToClose = false;
    expect(readdirSync(directory)).toEqual(['000008.log']);
  });

  it('of a failed sync are deleted with the segments that it failed for', async () => {
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

  it('have no rest of a probe', () => {
    append('ab');
    files.probe(Buffer.alloc(5_000, 0x78));
    const place = append('cd');
    expect(files.read({ ...place, bytes: 5_000 }).toString()).toBe('cd');
  });

  it('never overwrite an existing file with the next segment', () => {
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
