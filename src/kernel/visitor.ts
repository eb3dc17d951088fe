/** Bits of an IPv6 address that identify a household, and those that identify a customer of a provider. */
const NETWORK_GROUPS = 4;
const SITE_GROUPS = 3;
const IPV6 = /^[0-9a-f.]*:[0-9a-f:.]*$/;

/**
 * One spelling per visitor: IPv4 in any wrapping, and the first 64 bits of IPv6, because a client with one
 * address of such a network has all of them.
 */
export function visitorAddress(address: string): string {
  return spell(address, NETWORK_GROUPS);
}

/**
 * The owner of a place in a queue: a customer with many networks counts as one.
 */
export function visitorSite(address: string): string {
  return spell(address, SITE_GROUPS);
}

function spell(address: string, groupCount: number): string {
  const text = address.toLowerCase().replace(/%.*$/, '');
  const mapped = /^::ffff:(\d{1,3}(?:\.\d{1,3}){3})$/.exec(text)?.[1];
  if (mapped !== undefined) return mapped;
  if (!IPV6.test(text)) return text;
  const [head = '', tail] = text.split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? 0 : Math.max(8 - before.length - after.length, 0);
  const groups = [...before, ...Array<string>(zeros).fill('0'), ...after];
  const network = groups.slice(0, groupCount).map((group) => group.replace(/^0+(?=.)/, ''));
  return `${network.join(':')}::/${groupCount * 16}`;
}
