import { type LookupAddress, lookup } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { DNS_ADDRESSES_MAX, DNS_MS } from '../../bounds.ts';

/** The source of a host name: the operator, or a user. */
export type NamedBy = 'operator' | 'user';

/** All addresses of a name. A port, so that tests can answer differently each time. */
export type Resolve = (name: string, namedBy: NamedBy) => Promise<readonly LookupAddress[]>;

/**
 * The operator's names are resolved by the operating system, with the hosts file. That takes a thread, of
 * which there are two for the whole process. A user's name server that does not answer would block them, and
 * every other look-up. So users' names are resolved by DNS directly, where waiting costs nothing.
 */
export const systemResolve: Resolve = createResolve();

/** `servers` are those of the machine by default. */
export function createResolve(servers?: readonly string[]): Resolve {
  return (name, namedBy) => (namedBy === 'operator' ? lookUp(name) : askServers(name, servers));
}

function lookUp(name: string): Promise<readonly LookupAddress[]> {
  return new Promise((resolve, reject) => {
    lookup(name, { all: true, verbatim: true }, (error, addresses) => {
      if (error === null) resolve(addresses);
      else reject(error);
    });
  });
}

/** Each look-up has its own resolver, with the current servers of the machine and a random port. */
async function askServers(name: string, servers?: readonly string[]): Promise<readonly LookupAddress[]> {
  // A query may get lost, so there are two tries.
  const resolver = new Resolver({ timeout: DNS_MS / 3, tries: 2 });
  if (servers !== undefined) resolver.setServers(servers);
  const late = setTimeout(() => resolver.cancel(), DNS_MS);
  try {
    const [four, six] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    // Many names have addresses of one family only.
    if (four.status === 'rejected' && six.status === 'rejected') throw four.reason;
    const addresses = [...toAddresses(four, 4), ...toAddresses(six, 6)];
    return addresses.slice(0, DNS_ADDRESSES_MAX);
  } finally {
    clearTimeout(late);
  }
}

function toAddresses(found: PromiseSettledResult<string[]>, family: 4 | 6): LookupAddress[] {
  return found.status === 'rejected' ? [] : found.value.map((address) => ({ address, family }));
}
