import { expect, test } from 'vitest';
import { data, type Operation } from '../../operations/operation.ts';
import { Type } from '../../operations/schema.ts';
import { createRouter } from './router.ts';

const row = (method: Operation['method'], path: string): Operation => ({
  name: `${method} ${path}`,
  id: 'test',
  method,
  path,
  surface: 'user',
  access: 'public',
  tag: 'Test',
  title: 'Test a row',
  summary: '',
  data: Type.Null(),
  example: { data: null },
  handle: () => Promise.resolve(data(null)),
});

const router = createRouter([
  row('GET', '/key/:id'),
  row('PUT', '/key/:id'),
  row('GET', '/key/page'),
  row('GET', '/account/:id/key/:key'),
]);
const match = (path: string, method = 'GET') => router(method, `/api/v1/user/user${path}`);

test('a path without parameters goes before one with them', () => {
  expect(match('/key/page')).toMatchObject({ kind: 'row', row: { name: 'GET /key/page' } });
  expect(match('/key/7')).toMatchObject({ kind: 'row', row: { name: 'GET /key/:id' } });
  // The other method of the place is not taken from the pattern that also fits.
  expect(match('/key/page', 'PUT')).toEqual({ kind: 'method-not-allowed', allow: 'GET, HEAD' });
});

test('parameters are decoded once, each by itself', () => {
  const found = match('/account/a%2Fb/key/%2525');
  expect(found.kind === 'row' && [...found.params]).toEqual([
    ['id', 'a/b'],
    ['key', '%25'],
  ]);
});

test('a parameter that cannot be decoded is reported', () => {
  expect(match('/key/%E0%A4%A')).toEqual({ kind: 'not-decodable', name: 'id' });
  expect(match('/account/1/key/%ff')).toEqual({ kind: 'not-decodable', name: 'key' });
});

test.each(['/key', '/key/', '/key/1/', '/key//1', '/KEY/1', '/key%2F1', '', '/', '/key/1/2/3/4'])(
  'no slash and no letter is added to or removed from "%s"',
  (path) => {
    expect(match(path).kind).toBe('no-path');
  },
);

test('the same method and path cannot be in the table twice', () => {
  expect(() => createRouter([row('GET', '/key/:id'), row('GET', '/key/:other')])).toThrow(/once/);
});

test('two rows cannot have one name, which documents, clients and the audit log use', () => {
  const twice = { ...row('GET', '/other'), name: 'GET /key/:id' };
  expect(() => createRouter([row('GET', '/key/:id'), twice])).toThrow(/unique name/);
});
