import { BlockList, isIPv4, isIPv6 } from 'node:net';

/**
 * IPv4 that is not the public network (IANA's special-purpose registry), and one public address that is a
 * cloud's own, whose service trusts every caller.
 */
const PRIVATE_V4: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['168.63.129.16', 32],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.31.196.0', 24],
  ['192.52.193.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['192.175.48.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  // Multicast, reserved, broadcast.
  ['224.0.0.0', 3],
];

/** Exceptions in the public space of IPv6: tunnels that contain an IPv4 address, and documentation. */
const PRIVATE_V6: readonly (readonly [string, number])[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['2620:4f:8000::', 48],
  ['3fff::', 20],
];

const privateV4 = toBlockList(PRIVATE_V4, 'ipv4');
const privateV6 = toBlockList(PRIVATE_V6, 'ipv6');
/** All assigned addresses. Loopback, link-local, unique-local, mapped and NAT64 ones are outside. */
const globalV6 = toBlockList([['2000::', 3]], 'ipv6');

function toBlockList(subnets: readonly (readonly [string, number])[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList();
  for (const [address, prefix] of subnets) list.addSubnet(address, prefix, family);
  return list;
}

/** Whether an address is in the public network. False for an invalid address. */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !privateV4.check(address, 'ipv4');
  // A zone (`%eth0`) is a link of this machine.
  if (!isIPv6(address) || address.includes('%')) return false;
  return globalV6.check(address, 'ipv6') && !privateV6.check(address, 'ipv6');
}
