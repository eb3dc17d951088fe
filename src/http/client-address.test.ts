import type { IncomingMessage } from 'node:http';
import { describe, expect, test } from 'vitest';
import { createClientAddress } from './client-address.ts';

function address(trusted: string[], peer: string | undefined, forwarded?: string): string {
  const request = { headers: { 'x-forwarded-for': forwarded }, socket: { remoteAddress: peer } };
  return createClientAddress(trusted)(request as unknown as IncomingMessage);
}

const PROXIES = ['10.0.0.0/8', '::1', '2001:db8:1::/48'];

describe('the client’s address', () => {
  test('is the connection’s own when no proxy is trusted, whatever a header says', () => {
    expect(address([], '203.0.113.9', '1.2.3.4')).toBe('203.0.113.9');
    expect(address(PROXIES, '203.0.113.9', '1.2.3.4')).toBe('203.0.113.9');
  });

  test('is the last one that a trusted proxy names, not the first that a client wrote', () => {
    expect(address(PROXIES, '10.1.1.1', '203.0.113.9')).toBe('203.0.113.9');
    expect(address(PROXIES, '10.1.1.1', '6.6.6.6, 203.0.113.9')).toBe('203.0.113.9');
    expect(address(PROXIES, '10.1.1.1', '6.6.6.6, 203.0.113.9, 10.2.2.2')).toBe('203.0.113.9');
    expect(address(PROXIES, '2001:db8:1::7', '2001:DB8:9::1')).toBe('2001:db8:9::1');
  });

  test('is the farthest proxy when all of them are trusted', () => {
    expect(address(PROXIES, '10.1.1.1', '10.3.3.3, 10.2.2.2')).toBe('10.3.3.3');
    expect(address(PROXIES, '10.1.1.1')).toBe('10.1.1.1');
  });

  test('is the proxy’s own when the proxy names no valid address', () => {
    for (const junk of ['unknown', '', '1.2.3', 'a, ', "1.1.1.1'; drop", '999.1.1.1', '<script>']) {
      expect(address(PROXIES, '10.1.1.1', junk)).toBe('10.1.1.1');
    }
  });

  test('is normalised: no port, no brackets, no mapped form', () => {
    expect(address(PROXIES, '::ffff:10.1.1.1', '::ffff:203.0.113.9')).toBe('203.0.113.9');
    expect(address(PROXIES, '10.1.1.1', '203.0.113.9:4711')).toBe('203.0.113.9');
    expect(address(PROXIES, '::1', '[2001:db8:9::1]:443')).toBe('2001:db8:9::1');
    expect(address([], undefined)).toBe('unknown');
  });

  test('is searched within a bound', () => {
    const endless = Array.from({ length: 10_000 }, () => '10.9.9.9').join(', ');
    expect(address(PROXIES, '10.1.1.1', `203.0.113.9, ${endless}`)).toBe('10.9.9.9');
  });
});
