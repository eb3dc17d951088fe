import { expect, test } from 'vitest';
import { installed, type Need, needs } from './needs.ts';

const HERE: Need = { name: 'Node', isMet: true, how: 'npm ci' };
const GONE: Need = { name: 'Oracle', isMet: false, how: 'ask in Delphi' };

test('what is there gives a test no options, so it keeps those of its suite', () => {
  expect(needs(HERE)).toEqual({});
});

test('what is missing skips a test, and is named with it', () => {
  expect(needs(HERE, GONE)).toEqual({ skip: true, meta: { missing: [GONE] } });
});

test('a program is needed by its pattern, and comes with its package', () => {
  const program = { name: 'Node', debianPackage: 'nodejs', without: 'nothing runs' };
  const how = 'apt-get install nodejs';
  expect(installed({ ...program, pattern: process.execPath })).toEqual({ name: 'Node', isMet: true, how });
  expect(installed({ ...program, pattern: '/nowhere/node' })).toMatchObject({ isMet: false });
});
