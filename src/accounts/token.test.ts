import { describe, expect, it } from 'vitest';
import { systemRandom } from '../kernel/random.ts';
import { isWellFormed, newApiKey } from './api-key.ts';
import { hashSecret, newLoginId, newTokens } from './token.ts';

const tokens = newTokens('a secret of at least thirty-two bytes');
const strangers = newTokens('another secret of thirty-two bytes or more');
const NOW = Date.UTC(2026, 10, 1);
const sessionId = newLoginId(systemRandom);
const access = tokens.signAccess({ sessionId, accountId: 42, expiresAtMs: NOW + 5_000 });

/** Every text with one character changed, dropped or added, whatever the place. */
function slips(text: string): string[] {
  const places = Array.from({ length: text.length }, (_, index) => index);
  const other = (at: number): string => (text.charAt(at) === 'A' ? 'B' : 'A');
  const changed = places.map((at) => text.slice(0, at) + other(at) + text.slice(at + 1));
  return [...changed, text.slice(1), text.slice(0, -1), `${text}A`, ` ${text}`, `${text}\n`, text.repeat(50)];
}

describe('an access token', () => {
  it('carries session and account until it expires', () => {
    expect(tokens.readAccess(access, NOW)).toEqual({ sessionId, accountId: 42, expiresAtMs: NOW + 5_000 });
    expect(tokens.readAccess(access, NOW + 4_999)).toBeDefined();
    expect(tokens.readAccess(access, NOW + 5_000)).toBeUndefined();
  });

  it('is refused after any change, and from another secret', () => {
    const wrong = slips(access);
    expect(wrong.length).toBeGreaterThan(80);
    expect(wrong.filter((text) => tokens.readAccess(text, NOW) !== undefined)).toEqual([]);
    expect(strangers.readAccess(access, NOW)).toBeUndefined();
  });

  it('is not accepted as a refresh token, cookie, device or API key, nor the other way round', () => {
    const texts = {
      access,
      refresh: tokens.newSecret('refresh', sessionId, systemRandom),
      cookie: tokens.newSecret('cookie', sessionId, systemRandom),
      device: tokens.signDevice({ id: newLoginId(systemRandom), accountMark: tokens.computeMark('a@b') }),
      key: newApiKey(systemRandom),
    };
    const readers: Record<keyof typeof texts, (text: string) => unknown> = {
      access: (text) => tokens.readAccess(text, NOW),
      refresh: (text) => tokens.readSecret('refresh', text),
      cookie: (text) => tokens.readSecret('cookie', text),
      device: (text) => tokens.readDevice(text),
      key: (text) => isWellFormed(text) || undefined,
    };
    const read = Object.entries(readers).map(([reader, accept]) => [
      reader,
      Object.entries(texts).flatMap(([name, text]) => (accept(text) === undefined ? [] : [name])),
    ]);
    expect(Object.fromEntries(read)).toEqual({
      access: ['access'],
      refresh: ['refresh'],
      cookie: ['cookie'],
      device: ['device'],
      key: ['key'],
    });
  });
});

describe('a refresh token', () => {
  it('has 256 random bits and names its session', () => {
    const text = tokens.newSecret('refresh', sessionId, systemRandom);
    const [mark, id, secret = ''] = text.split('.');
    expect([mark, id]).toEqual(['tgr1', sessionId]);
    expect(Buffer.from(secret, 'base64url')).toHaveLength(32);
    expect(tokens.readSecret('refresh', text)).toBe(sessionId);
    expect(tokens.newSecret('refresh', sessionId, systemRandom)).not.toBe(text);
    expect(hashSecret(text)).toMatch(/^[0-9a-f]{64}$/);
  });

  it('of a session cannot be computed from the session', () => {
    const forged = strangers.newSecret('refresh', sessionId, systemRandom);
    expect(tokens.readSecret('refresh', forged)).toBeUndefined();
  });
});

describe('a CSRF value', () => {
  it('is valid for its own session only', () => {
    const value = tokens.toCsrfValue(sessionId);
    expect(tokens.isCsrf(sessionId, value)).toBe(true);
    for (const wrong of [undefined, '', value.slice(1), tokens.toCsrfValue(newLoginId(systemRandom))]) {
      expect(tokens.isCsrf(sessionId, wrong)).toBe(false);
    }
  });
});
