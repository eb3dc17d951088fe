import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { projectRoot } from '../../test/house/tree.ts';
import { startProgram, until } from '../../test/support/processes.ts';

const execute = promisify(execFile);
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tollgate-output-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** It says one line, then writes nothing, and waits this long for its output to close. */
const program = (patienceMs: number): string => `
  import { untilOutputCloses } from './src/cli/closed-output.ts';
  const say = (word) => { process.stderr.write(word); process.exit(); };
  const closes = untilOutputCloses();
  process.stdout.on('error', () => {});
  process.stdout.write('up\\n');
  setTimeout(() => say('open'), ${patienceMs});
  await closes;
  say('closed');`;

const LONG_MS = 100_000;
/** Longer than any interval at which an output is looked at. */
const SHORT_MS = 2_000;

async function shell(line: string, patienceMs: number): Promise<string> {
  const env = { ...process.env, NODE: process.execPath, PROGRAM: program(patienceMs), FOLDER: folder };
  const { stderr } = await execute('sh', ['-c', line], { cwd: projectRoot, env });
  return stderr;
}

const RUN = '"$NODE" --input-type=module -e "$PROGRAM"';

test.concurrent.each([
  ['whose reader leaves after the last line', `${RUN} | head -n 1`],
  ['that nobody ever reads', `${RUN} | true`],
  [
    'with a name',
    `mkfifo "$FOLDER/pipe"; head -n 1 "$FOLDER/pipe" >/dev/null & ${RUN} > "$FOLDER/pipe"; wait`,
  ],
])('a pipe %s is noticed without a write', async (_name, line) => {
  expect(await shell(line, LONG_MS)).toBe('closed');
});

test.concurrent.each([
  ['a pipe that is read', `${RUN} | cat`],
  ['a pipe with a second reader that stays', `${RUN} | (head -n 1; cat)`],
  ['a file', `${RUN} > "$FOLDER/file"`],
  ['/dev/null', `${RUN} > /dev/null`],
  ['nothing at all', `${RUN} >&-`],
])('%s never closes', async (_name, line) => {
  expect(await shell(line, SHORT_MS)).toBe('open');
});

test('a socket, as other Node programs use, is noticed without a write', async () => {
  const child = startProgram(['--input-type=module', '-e', program(LONG_MS)]);
  await until(() => child.stdout() === 'up\n');
  child.closeStdout();
  await child.exited;
  expect(child.stderr()).toBe('closed');
});
