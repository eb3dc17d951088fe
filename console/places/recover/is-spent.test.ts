import { expect, test } from 'vitest';
import { isSpent } from './is-spent.ts';

test('a link is spent when the server refuses its token, not when it refuses something else', () => {
  expect(isSpent({ code: 1001, message: 'token: the link is wrong, used or expired' })).toBe(true);
  expect(isSpent({ code: 1001, message: 'password: must have at least 8 characters' })).toBe(false);
  expect(isSpent({ code: 1006, message: 'token' })).toBe(false);
});
