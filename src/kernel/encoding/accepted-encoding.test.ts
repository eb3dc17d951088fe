import { expect, test } from 'vitest';
import { acceptedEncoding } from './accepted-encoding.ts';

test.each([
  ['gzip, deflate, br', 'br'],
  ['gzip', 'gzip'],
  ['GZIP;q=0.5', 'gzip'],
  ['br;q=0, gzip', 'gzip'],
  ['br;q=0.000', undefined],
  ['identity', undefined],
  ['', undefined],
])('accept-encoding %j is answered with %j', (accepted, encoding) => {
  expect(acceptedEncoding(accepted)).toBe(encoding);
});
