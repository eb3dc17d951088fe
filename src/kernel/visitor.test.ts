import { expect, it } from 'vitest';
import { visitorAddress, visitorSite } from './visitor.ts';

it('a visitor has one address in any spelling', () => {
  expect(visitorAddress('::ffff:192.0.2.7')).toBe('192.0.2.7');
  expect(visitorAddress('192.0.2.7')).toBe('192.0.2.7');
  const network = '2001:db8:0:1::/64';
  expect(visitorAddress('2001:db8:0:1::5')).toBe(network);
  expect(visitorAddress('2001:0DB8:0000:0001:aaaa:bbbb:cccc:dddd')).toBe(network);
  expect(visitorAddress('2001:db8:0:2::5')).toBe('2001:db8:0:2::/64');
  expect(visitorAddress('::1')).toBe('0:0:0:0::/64');
  expect(visitorAddress('fe80::1%eth0')).toBe('fe80:0:0:0::/64');
});

it('a visitor shares its queue with all networks of its site', () => {
  expect(visitorSite('2001:db8:7:1::5')).toBe('2001:db8:7::/48');
  expect(visitorSite('2001:db8:7:ffff::9')).toBe('2001:db8:7::/48');
  expect(visitorSite('2001:db8:8::9')).toBe('2001:db8:8::/48');
  expect(visitorSite('::ffff:192.0.2.7')).toBe('192.0.2.7');
});
