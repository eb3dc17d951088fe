import { expect, test } from 'vitest';
import { isPublicAddress } from './public-address.ts';

test.each([
  '8.8.8.8',
  '1.1.1.1',
  '172.15.255.255',
  '172.32.0.1',
  '100.63.255.255',
  '2606:4700::1111',
  '2a00::1',
])('%s is public', (address) => {
  expect(isPublicAddress(address)).toBe(true);
});

test.each([
  ['this host', '0.0.0.0'],
  ['loopback', '127.0.0.1'],
  ['all of loopback', '127.255.255.254'],
  ['private 10', '10.1.2.3'],
  ['private 172', '172.31.255.255'],
  ['private 192', '192.168.0.1'],
  ['shared', '100.100.100.200'],
  ['the metadata of most clouds', '169.254.169.254'],
  ['the metadata of one cloud', '192.0.0.192'],
  ['the wire server of one cloud', '168.63.129.16'],
  ['benchmarks', '198.19.0.1'],
  ['documentation', '203.0.113.9'],
  ['multicast', '224.0.0.1'],
  ['reserved', '240.0.0.1'],
  ['broadcast', '255.255.255.255'],
  ['loopback of IPv6', '::1'],
  ['unspecified IPv6', '::'],
  ['mapped loopback', '::ffff:127.0.0.1'],
  ['mapped loopback in hexadecimal', '::ffff:7f00:1'],
  ['mapped public', '::ffff:8.8.8.8'],
  ['compatible', '::127.0.0.1'],
  ['NAT64 of metadata', '64:ff9b::a9fe:a9fe'],
  ['local NAT64', '64:ff9b:1::1'],
  ['link-local', 'fe80::1'],
  ['link-local with a zone', 'fe80::1%eth0'],
  ['site-local', 'fec0::1'],
  ['unique-local', 'fd00:ec2::254'],
  ['6to4 of loopback', '2002:7f00:1::'],
  ['Teredo', '2001:0:53aa::1'],
  ['documentation of IPv6', '2001:db8::1'],
  ['multicast of IPv6', 'ff02::1'],
  ['no address', 'localhost'],
  ['nothing', ''],
  ['a number', '2130706433'],
])('%s is not public', (_what, address) => {
  expect(isPublicAddress(address)).toBe(false);
});
