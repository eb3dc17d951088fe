import { describe, expect, it } from 'vitest';
import { isVersion, refusePublishing } from './refusals.ts';

const CLEAN = {
  version: '1.2.0',
  manifestVersion: '1.2.0',
  changes: '',
  tags: ['v1.1.0', ''],
  changelog: '# Changelog\n\n## 1.2.0 (2026-11-20)\n\n- New.\n',
};

describe('a release', () => {
  it('has three numbers as its version, and perhaps a pre-release', () => {
    expect(['1.2.3', '0.1.0', '10.0.0-rc.1'].every(isVersion)).toBe(true);
    expect(['', '1.2', 'v1.2.3', '01.2.3', '1.2.3 ', '1.2.3-', '--publish', '../1.2.3'].some(isVersion)).toBe(
      false,
    );
  });

  it('is published when nothing speaks against it', () => {
    expect(refusePublishing(CLEAN)).toEqual([]);
  });

  it.each([
    [{ changes: ' M src/app.ts\n' }, 'the working tree has changes; commit them first'],
    [{ manifestVersion: '1.1.0' }, 'package.json says 1.1.0, not 1.2.0'],
    [{ tags: ['v1.2.0'] }, 'the tag v1.2.0 exists already'],
    [{ changelog: '## 1.2.0 (unreleased)\n' }, 'CHANGELOG.md has no section "## 1.2.0 (YYYY-MM-DD)"'],
    [{ changelog: '## 1.2.01 (2026-11-20)\n' }, 'CHANGELOG.md has no section "## 1.2.0 (YYYY-MM-DD)"'],
  ])('is not published with %o', (change, problem) => {
    expect(refusePublishing({ ...CLEAN, ...change })).toEqual([problem]);
  });
});
