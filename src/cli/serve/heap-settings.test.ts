import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const run = promisify(execFile);
const MODULE = join(import.meta.dirname, 'heap-settings.ts');

const SET = `import { setHeap } from ${JSON.stringify(MODULE)}; setHeap();`;

/** Collections of the whole heap while 2 GiB of buffers of 256 KiB come and go. */
const COUNT = `
  import { PerformanceObserver } from 'node:perf_hooks';
  let whole = 0;
  const observer = new PerformanceObserver((list) => {
    whole += list.getEntries().filter(({ detail }) => detail.kind === 4).length;
  });
  observer.observe({ entryTypes: ['gc'] });
  for (let index = 0; index < 8192; index += 1) {
    Buffer.allocUnsafeSlow(2 ** 18);
    if (index % 8 === 0) await new Promise(setImmediate);
  }
  await new Promise((resolve) => setTimeout(resolve, 50));
  console.log(whole);
`;

/** The size in MiB of the space for young objects after many of them lived for a while. */
const GROW = `
  import { getHeapSpaceStatistics } from 'node:v8';
  let alive = [];
  for (let turn = 0; turn < 1500; turn += 1) {
    for (let index = 0; index < 5000; index += 1) alive.push({ turn, list: [1, 2, 3, 4, 5, 6, 7, 8] });
    if (alive.length > 200_000) alive = [];
    await new Promise(setImmediate);
  }
  console.log(getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space').space_size / 2 ** 20);
`;

async function print(program: string): Promise<number> {
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', program]);
  return Number(stdout);
}

test('buffers that come and go do not make V8 mark the whole heap', async () => {
  const [early, late] = await Promise.all([print(SET + COUNT), print(COUNT)]);
  // If this fails, Node may have mended it, and the call is not needed any more.
  expect(late).toBeGreaterThan(3 * early);
});

test('the space for young objects stops growing', async () => {
  const [limited, unlimited] = await Promise.all([print(SET + GROW), print(GROW)]);
  // The next size of each. If this fails, another version of V8 may need no limit, or another setting.
  expect([limited <= 64, unlimited > limited]).toEqual([true, true]);
});
