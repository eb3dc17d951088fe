import { expect, test } from 'vitest';
import { COOKIES_MAX } from '../bounds.ts';
import { readCookies, writeCookie } from './cookies.ts';

test('cookies are read as browsers send them, and the first of a name counts', () => {
  const cookies = readCookies('a=1; tollgate_session=tgs1.x.y ;b==2; a=3; =4; c; __proto__=5');
  expect([...cookies]).toEqual([
    ['a', '1'],
    ['tollgate_session', 'tgs1.x.y'],
    ['b', '=2'],
    ['__proto__', '5'],
  ]);
  expect(readCookies(undefined).size).toBe(0);
  const many = Array.from({ length: COOKIES_MAX + 20 }, (_, index) => `n${index}=v`);
  expect(readCookies(many.join('; ')).size).toBe(COOKIES_MAX);
});

test('a cookie of a login is HttpOnly, SameSite and, behind https, Secure', () => {
  const options = { ageMs: 60_000, path: '/', transport: 'https', scripts: 'may-not' } as const;
  expect(writeCookie('a', 'b', options)).toBe('a=b; Path=/; Max-Age=60; SameSite=Strict; HttpOnly; Secure');
  expect(writeCookie('a', 'b', { ...options, transport: 'http', scripts: 'may-read' })).toBe(
    'a=b; Path=/; Max-Age=60; SameSite=Strict',
  );
});
