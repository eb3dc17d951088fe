import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { decodeLine } from './record-reader.ts';
import { keepRejected } from './rejected.ts';
import { sampleEnd } from './suite/sample.ts';

it('rejected calls are appended whole, as lines of a segment, and nothing is written for none', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'tollgate-rejected-'));
  try {
    await keepRejected(directory, []);
    expect(await readdir(directory)).toEqual([]);
    const long = sampleEnd('req_3', { droppedFields: Array.from({ length: 9_000 }, (_, n) => `field.${n}`) });
    await keepRejected(directory, [sampleEnd('req_1'), sampleEnd('req_2')]);
    await keepRejected(directory, [long]);
    const lines = (await readFile(join(directory, 'rejected.log'), 'utf8')).trimEnd().split('\n');
    expect(lines.map((line) => decodeLine(Buffer.from(line)))).toEqual([
      { kind: 'end', call: sampleEnd('req_1') },
      { kind: 'end', call: sampleEnd('req_2') },
      { kind: 'end', call: { ...long, droppedFields: [] } },
    ]);
  } finally {
    await rm(directory, { recursive: true });
  }
});
