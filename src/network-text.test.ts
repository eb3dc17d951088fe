import { describe, expect, test } from 'vitest';
import { isNetwork, isNoProxyEntry, isProxyAddress, readOrigin } from './network-text.ts';

describe('the address of a proxy', () => {
  test.each([
    ...['http://proxy:3128', 'https://proxy.example:8443/', 'HTTP://10.0.0.1', 'http://[::1]:3128'],
    ...['http://user:p%40ss@proxy:3128', 'http://user@proxy', 'http://user:@proxy'],
  ])('may be %j', (address) => expect(isProxyAddress(address)).toBe(true));

  test.each([
    ...[
      'socks5://proxy:1080',
      'http://',
      'http://:3128',
      'http://proxy:99999',
      'http://proxy/path',
      'http://a b',
    ],
    ...[
      'http://proxy?x',
      'http://proxy#x',
      'http://user:100%@proxy',
      'http://u\r\nser@proxy',
      'proxy:3128',
      '',
    ],
  ])('may not be %j', (address) => expect(isProxyAddress(address)).toBe(false));
});

describe('an entry of NO_PROXY', () => {
  test.each([
    ...[
      '*',
      'example.com',
      '.example.com',
      '*.example.com',
      'example.com:8080',
      'localhost',
      'under_score.svc',
    ],
    ...['10.0.0.1', '10.0.0.1:80', '10.0.0.0/8', '::1', '[::1]', '[::1]:443', 'fd00::/8', 'grüße.example'],
  ])('may be %j', (entry) => expect(isNoProxyEntry(entry)).toBe(true));

  test.each([
    ...[
      'http://example.com',
      'a@b',
      '192.168.*',
      '10.0.0.0/33',
      '10.0.0/8',
      'a/b',
      'a:99999',
      '.',
      '**',
      'a..*',
    ],
  ])('may not be %j', (entry) => expect(isNoProxyEntry(entry)).toBe(false));
});

test('a network is an address or a CIDR, and an origin has no path', () => {
  expect(['10.0.0.0/8', '::1', '10.0.0.1/', '10.0.0'].map(isNetwork)).toEqual([true, true, false, false]);
  const entries = [
    'https://A.test:443',
    'http://a.test:1',
    'App://a.test',
    'null',
    'https://a.test/',
    'file://a',
  ];
  const origins = ['https://a.test', 'http://a.test:1', 'app://a.test', 'null', undefined, undefined];
  expect(entries.map(readOrigin)).toEqual(origins);
});
