import type { RedisOptions } from 'ioredis';
import { REDIS_CONNECT_TIMEOUT_MS, REDIS_TIMEOUT_MS } from './bounds.ts';

const DEFAULT_PORT = 26_379;
const DEFAULT_NAME = 'mymaster';

export function isSentinel({ protocol }: URL): boolean {
  return protocol === 'sentinel:' || protocol === 'sentinels:';
}

/**
 * How a master is found by its Sentinels: `sentinel://user:password@host:26379/NAME`, or `sentinels://` with
 * TLS. User and password are those of Redis. Those of Sentinel, where it has some, stand in the query as
 * `sentinel_user` and `sentinel_password`. Name and credentials of the first address count.
 */
export function sentinelOptions(urls: readonly [URL, ...URL[]]) {
  const [first] = urls;
  const { username, password, pathname, protocol, searchParams } = first;
  const [user, secret] = [searchParams.get('sentinel_user'), searchParams.get('sentinel_password')];
  const sentinels = urls.map(({ hostname, port }) => ({
    host: hostname,
    port: Number(port || DEFAULT_PORT),
  }));
  return {
    sentinels,
    name: decodeURIComponent(pathname.slice(1)) || DEFAULT_NAME,
    role: 'master' as const,
    // Told by the Sentinels, so that a master that was replaced while it lives is left as well.
    failoverDetector: true,
    sentinelCommandTimeout: REDIS_TIMEOUT_MS,
    connectTimeout: REDIS_CONNECT_TIMEOUT_MS,
    ...(username !== '' && { username: decodeURIComponent(username) }),
    ...(password !== '' && { password: decodeURIComponent(password) }),
    ...(user !== null && { sentinelUsername: user }),
    ...(secret !== null && { sentinelPassword: secret }),
    ...(protocol === 'sentinels:' && { tls: {}, sentinelTLS: {}, enableTLSForSentinelMode: true }),
  } satisfies RedisOptions;
}
