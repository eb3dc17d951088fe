import { mkdtemp, readdir, readFile, rm, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { sampleEnd } from '../suite/sample.ts';
import { decodeLine } from './record-reader.ts';
import { keepRejected } from './rejected.ts';

let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tollgate-rejected-'));
});

afterEach(() => rm(directory, { recursive: true }));

const path = () => join(directory, 'rejected.log');
const readLines = async () => {
  const lines = (await readFile(path(), 'utf8')).trimEnd().split('\n');
  return lines.map((line) => decodeLine(Buffer.from(line)));
};

it('rejected calls are appended whole, as lines of a segment, and nothing is written without any', async () => {
  await keepRejected(directory, []);
  expect(await readdir(directory)).toEqual([]);
  const long = sampleEnd('req_3', { droppedFields: Array.from({ length: 9_000 }, (_, n) => `field.${n}`) });
  await keepRejected(directory, [sampleEnd('req_1'), sampleEnd('req_2')]);
  await keepRejected(directory, [long]);
  expect(await readLines()).toEqual([
    { kind: 'end', call: sampleEnd('req_1') },
    { kind: 'end', call: sampleEnd('req_2') },
    { kind: 'end', call: { ...long, droppedFields: [] } },
  ]);
});

it('a truncated line does not damage the next one', async () => {
  await keepRejected(directory, [sampleEnd('req_1'), sampleEnd('req_2')]);
  const { length } = await readFile(path());
  await truncate(path(), length - 100);
  await keepRejected(directory, [sampleEnd('req_2')]);
  expect(await readLines()).toEqual([
    { kind: 'end', call: sampleEnd('req_1') },
    undefined,
    { kind: 'end', call: sampleEnd('req_2') },
  ]);
});
