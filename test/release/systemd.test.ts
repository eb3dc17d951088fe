import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { SETTINGS } from '../../src/config.ts';
import { projectRoot } from '../house/tree.ts';
import { type Need, needs } from '../needs.ts';

const UNIT = readFileSync(join(projectRoot, 'deploy/systemd/tollgate.service'), 'utf8');
const known = new Set<string>(Object.values(SETTINGS).map(({ name }) => name));
const analyze = '/usr/bin/systemd-analyze';
const SYSTEMD: Need = {
  name: 'systemd-analyze',
  isMet: existsSync(analyze),
  how: 'apt-get install systemd',
};

const folder = mkdtempSync(join(tmpdir(), 'tollgate-systemd-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the systemd unit', () => {
  test('is accepted by systemd, and exposes little', needs(SYSTEMD), () => {
    const unit = join(folder, 'tollgate.service');
    expect(UNIT).toContain('ExecStart=/usr/bin/node ');
    // The verifier wants the program to exist.
    writeFileSync(unit, UNIT.replace('ExecStart=/usr/bin/node ', `ExecStart=${process.execPath} `));
    const verified = spawnSync(analyze, ['verify', '--man=no', unit], { encoding: 'utf8' });
    expect([verified.status, verified.stderr]).toEqual([0, '']);
    // In tenths: 15 is what it is, a unit without hardening has 96.
    const security = ['security', '--offline=true', '--no-pager', '--threshold=20', unit];
    const { status, stdout } = spawnSync(analyze, security, { encoding: 'utf8' });
    expect(status, stdout).toBe(0);
  });

  test('names only settings that there are', () => {
    const names = [...UNIT.matchAll(/TOLLGATE_\w+/g)].map(([name]) => name);
    expect(names.filter((name) => !known.has(name))).toEqual([]);
  });
});
