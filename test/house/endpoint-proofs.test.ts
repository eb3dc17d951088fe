import { expect, test } from 'vitest';
import { CLOUD_KINDS } from '../../src/catalog/contract.ts';
import { ENDPOINT_ROWS } from '../../src/gateway/endpoints/contract.ts';
import { PROTOCOLS } from '../../src/kernel/protocol-name.ts';
import { PROOFS } from '../prove/proofs.ts';
import { everyEndpoint, missingOf, PROVED_APART } from '../support/endpoints/coverage.ts';
import { ENDPOINT_CALLS } from '../support/endpoints/table.ts';
import { readTree } from './tree.ts';

/** Where each proof goes through the table. */
const PROVING = {
  tenants: 'test/tenants/endpoints.test.ts',
  'strange requests': 'test/fuzz/endpoints.test.ts',
  secrets: 'test/secrets/endpoints.test.ts',
  'billing truth': 'test/truth/endpoints.test.ts',
  kills: 'test/crash/kill-endpoints.test.ts',
  races: 'test/race/endpoints.test.ts',
};

const tree = readTree();
const names = ENDPOINT_CALLS.map(({ name }) => name);

test('the table of the proofs has every endpoint, every protocol and every kind of cloud, and no other', () => {
  expect(missingOf(names)).toEqual([]);
  expect(names.toSorted()).toEqual(everyEndpoint().toSorted());
  const apart = ENDPOINT_ROWS.flatMap(([, { path, call }]) => (path in PROVED_APART ? [call?.protocol] : []));
  const spoken = new Set([...apart, ...ENDPOINT_CALLS.map(({ protocol }) => protocol)]);
  expect(PROTOCOLS.filter((protocol) => !spoken.has(protocol))).toEqual([]);
  const vendors = new Set<string>(ENDPOINT_CALLS.map(({ vendor }) => vendor));
  expect(CLOUD_KINDS.filter((kind) => !vendors.has(kind))).toEqual([]);
  expect(new Set(ENDPOINT_CALLS.map(({ model }) => model)).size).toBe(names.length);
});

test.each(Object.entries(PROVING))(
  'the proof of %s takes the whole table, and expects that nothing was left out',
  (_proof, path) => {
    const text = tree.find((file) => file.path === path)?.text ?? '';
    expect(text).toMatch(/(?:\.each\(|of |runsOf\()ENDPOINT_CALLS\b/);
    expect(text).not.toMatch(/ENDPOINT_CALLS\s*\.\s*(?:filter|slice|splice)/);
    expect(text).toContain('expect(missingOf(proved)).toEqual([])');
  },
);

test('what is proved apart has its files', () => {
  const paths = new Set(tree.map(({ path }) => path));
  expect(
    Object.values(PROVED_APART)
      .flat()
      .filter((path) => !paths.has(path)),
  ).toEqual([]);
});

test('`npm run prove` runs those that have a large size', () => {
  const paths = PROOFS.flatMap(({ tests }) => tests);
  for (const path of [PROVING['billing truth'], PROVING.kills, PROVING.races, PROVING['strange requests']]) {
    expect(
      paths.some((begin) => path.startsWith(begin)),
      path,
    ).toBe(true);
  }
});

test('an endpoint that nobody went through is told by name', () => {
  expect(missingOf(names.filter((name) => name !== '/v1/rerank'))).toEqual(['/v1/rerank']);
  expect(missingOf(names.filter((name) => name !== ':embedContent'))).toEqual([':embedContent']);
  expect(missingOf(names.filter((name) => name !== 'bedrock'))).toEqual(['bedrock']);
});
