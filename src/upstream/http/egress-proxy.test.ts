import { expect, test } from 'vitest';
import { createChooseProxy, shownProxies } from './egress-proxy.ts';

const SECURE = 'http://user:w%C3%B6rd%3A@proxy.example:3128';
const PLAIN = 'https://[2001:db8::1]';

function isProxied(noProxy: readonly string[], address: string): boolean {
  return createChooseProxy({ httpsProxy: SECURE, httpProxy: PLAIN, noProxy })(new URL(address)) !== undefined;
}

test('each scheme has its own proxy, whose credentials are a header', () => {
  const choose = createChooseProxy({ httpsProxy: SECURE, httpProxy: PLAIN, noProxy: [] });
  expect(choose(new URL('https://vendor.example'))).toEqual({
    isSecure: false,
    host: 'proxy.example',
    port: 3128,
    authorization: `Basic ${Buffer.from('user:wörd:').toString('base64')}`,
  });
  expect(choose(new URL('http://vendor.example'))).toEqual({
    isSecure: true,
    host: '2001:db8::1',
    port: 443,
    authorization: undefined,
  });
  expect(shownProxies({ httpsProxy: SECURE, httpProxy: PLAIN, noProxy: [] })).toEqual({
    https: 'proxy.example:3128',
    http: '[2001:db8::1]',
  });
  const one = createChooseProxy({ httpsProxy: SECURE, httpProxy: undefined, noProxy: [] });
  expect(one(new URL('http://vendor.example'))).toBeUndefined();
});

test.each([
  'https://localhost',
  'http://LOCALHOST:1',
  'https://127.0.0.1',
  'http://127.9.9.9',
  'https://[::1]:9',
])('this machine (%s) is never reached through a proxy', (address) =>
  expect(isProxied([], address)).toBe(false),
);

test.each([
  ['*', 'https://vendor.example'],
  ['vendor.example', 'https://vendor.example'],
  ['Vendor.Example', 'https://VENDOR.example.'],
  ['vendor.example', 'https://a.b.vendor.example'],
  ['.vendor.example', 'https://a.vendor.example'],
  ['*.vendor.example', 'https://a.vendor.example'],
  ['vendor.example:443', 'https://vendor.example'],
  ['vendor.example:80', 'http://a.vendor.example'],
  ['vendor.example:8443', 'https://vendor.example:8443'],
  ['10.1.2.3', 'https://10.1.2.3'],
  ['10.1.2.3:443', 'https://10.1.2.3'],
  ['10.0.0.0/8', 'http://10.1.2.3:99'],
  ['10.0.0.0/8', 'http://[::ffff:10.1.2.3]'],
  ['2001:db8::2', 'https://[2001:db8:0::2]'],
  ['[2001:db8::2]:443', 'https://[2001:db8::2]'],
  ['2001:db8::/32', 'https://[2001:db8::2]'],
  ['grüße.example', 'https://GRÜßE.example'],
])('NO_PROXY=%s covers %s', (entry, address) => {
  expect(isProxied(['other.example', entry], address)).toBe(false);
});

test.each([
  ['vendor.example', 'https://notvendor.example'],
  ['vendor.example', 'https://vendor.example.org'],
  ['.vendor.example', 'https://vendor.example'],
  ['*.vendor.example', 'https://vendor.example'],
  ['vendor.example:80', 'https://vendor.example'],
  ['vendor.example:8443', 'https://vendor.example'],
  ['10.1.2.3:80', 'https://10.1.2.3'],
  ['10.0.0.0/8', 'https://11.1.2.3'],
  ['10.0.0.0/8', 'https://10.example'],
  ['2001:db8::/32', 'https://[2001:db9::2]'],
])('NO_PROXY=%s does not cover %s', (entry, address) => {
  expect(isProxied([entry], address)).toBe(true);
});
