import { Cluster, type ClusterOptions, type DNSLookupFunction, Redis, type RedisOptions } from 'ioredis';
import { REDIS_SEEDS_MAX } from '../../bounds.ts';
import type { Logger } from '../../kernel/log.ts';
import { Batch } from './batch.ts';
import {
  REDIS_CONNECT_TIMEOUT_MS,
  REDIS_OPEN_MS,
  REDIS_RETRY_MS,
  REDIS_RETRY_MS_MAX,
  REDIS_SILENCE_MS,
  REDIS_TIMEOUT_MS,
} from './bounds.ts';
import { errorText, type RedisClient } from './script.ts';
import { isSentinel, sentinelOptions } from './sentinel.ts';

export interface RedisConnection {
  readonly client: RedisClient;
  readonly kind: 'server' | 'cluster';
  close(): void;
}

/** No address answers, or none is valid. The message contains no password. */
export class RedisUnreachable extends Error {
  override readonly name = 'RedisUnreachable';
}

/** Retries forever, with short waits, so that service is back within seconds. */
const retryStrategy = (tries: number): number => Math.min(tries * REDIS_RETRY_MS, REDIS_RETRY_MS_MAX);

/**
 * A command is sent once: one that may have been executed must not be repeated, and while Redis is
 * unreachable nothing waits in a queue. Automatic pipelining is off: it costs more than it saves here.
 */
function once(timeoutMs: number) {
  return {
    commandTimeout: timeoutMs,
    // A connection that is silent for longer is dead and is replaced.
    socketTimeout: timeoutMs + REDIS_SILENCE_MS,
    connectTimeout: REDIS_CONNECT_TIMEOUT_MS,
    maxLoadingRetryTime: REDIS_RETRY_MS_MAX,
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    enableAutoPipelining: false,
  } satisfies RedisOptions;
}

/**
 * `addresses` is one URL (`redis://` or `rediss://`), or several separated by commas: seeds of a cluster, or
 * names of one server. The server is asked whether it is a cluster. Or they are Sentinels (`sentinel://`),
 * who know the server.
 */
export async function connectRedis(
  addresses: string,
  log: Logger,
  timeoutMs: number = REDIS_TIMEOUT_MS,
): Promise<RedisConnection> {
  const urls = parseSeeds(addresses);
  const hosts = urls.map((url) => url.host).join(', ');
  if (isSentinel(urls[0])) {
    return openServer(urls, log, timeoutMs).catch((error: unknown) => {
      log.warn({ hosts, reason: errorText(error) }, 'no Redis is named by these Sentinels');
      throw new RedisUnreachable(`no Redis is named by the Sentinels ${hosts}: ${errorText(error)}`);
    });
  }
  let reason: unknown;
  for (const url of urls) {
    try {
      const clustered = await isClustered(url);
      return clustered ? await openCluster(urls, log, timeoutMs) : await openServer([url], log, timeoutMs);
    } catch (error) {
      reason = error;
      log.warn({ host: url.host, reason: errorText(error) }, 'Redis does not answer at this address');
    }
  }
  const why = reason instanceof Error ? reason.message : String(reason);
  throw new RedisUnreachable(`no Redis answers at ${hosts}: ${why}`);
}

const KINDS = [/^rediss?:$/, /^sentinels?:$/];
const ADDRESSES =
  'REDIS_URL must be redis:// or rediss:// addresses, or sentinel:// addresses, separated by commas';

/** All of them are of the same kind. */
function parseSeeds(addresses: string): readonly [URL, ...URL[]] {
  const texts = addresses.split(',', REDIS_SEEDS_MAX).map((text) => text.trim());
  const urls = texts.flatMap((text) => URL.parse(text) ?? []);
  const [first, ...others] = urls;
  const isOneKind = KINDS.some((kind) => urls.every(({ protocol }) => kind.test(protocol)));
  if (first === undefined || urls.length < texts.length || !isOneKind) throw new RedisUnreachable(ADDRESSES);
  return [first, ...others];
}

async function isClustered(url: URL): Promise<boolean> {
  const probe = new Redis(url.href, {
    ...once(REDIS_TIMEOUT_MS),
    lazyConnect: true,
    retryStrategy: () => null,
  });
  // A wrong password is reported only by the event; the rejection below says that the connection was closed.
  let reason: unknown;
  probe.on('error', (error) => {
    reason ??= error;
  });
  try {
    await connectOrClose(probe);
    return (await probe.info('cluster')).includes('cluster_enabled:1');
  } catch (error) {
    throw reason ?? error;
  } finally {
    probe.disconnect();
  }
}

/** One address of a server, or those of its Sentinels. */
async function openServer(
  urls: readonly [URL, ...URL[]],
  log: Logger,
  timeoutMs: number,
): Promise<RedisConnection> {
  const [url] = urls;
  const options = {
    ...once(timeoutMs),
    lazyConnect: true,
    enableOfflineQueue: false,
    retryStrategy,
    // A master became a replica: the address may lead to the new master by now.
    reconnectOnError: (error: Error) => error.message.startsWith('READONLY'),
  } satisfies RedisOptions;
  const redis = isSentinel(url)
    ? new Redis({
        ...options,
        ...sentinelOptions(urls),
        sentinelRetryStrategy: retryStrategy,
        sentinelReconnectStrategy: retryStrategy,
      })
    : new Redis(url.href, options);
  redis.on('error', (error) => log.debug({ reason: errorText(error) }, 'Redis connection error'));
  await connectOrClose(redis);
  return { client: new Batch(redis, 'server'), kind: 'server', close: () => redis.disconnect() };
}

async function openCluster(urls: readonly URL[], log: Logger, timeoutMs: number): Promise<RedisConnection> {
  const [first] = urls;
  const secure = first?.protocol === 'rediss:';
  const options = {
    lazyConnect: true,
    enableOfflineQueue: false,
    clusterRetryStrategy: retryStrategy,
    // Redirections are retried by this module, which knows what may be repeated.
    retryDelayOnFailover: 0,
    retryDelayOnClusterDown: 0,
    slotsRefreshTimeout: REDIS_TIMEOUT_MS,
    slotsRefreshInterval: REDIS_TIMEOUT_MS,
    redisOptions: {
      ...once(timeoutMs),
      ...(first?.username ? { username: decodeURIComponent(first.username) } : {}),
      ...(first?.password ? { password: decodeURIComponent(first.password) } : {}),
      ...(secure ? { tls: {} } : {}),
    },
    // A certificate names the host, not its address.
    ...(secure ? { dnsLookup: keepName } : {}),
  } satisfies ClusterOptions;
  const seeds = urls.map((url) => ({ host: url.hostname, port: Number(url.port || 6379) }));
  const cluster = new Cluster(seeds, options);
  cluster.on('error', (error) => log.debug({ reason: errorText(error) }, 'Redis cluster error'));
  cluster.on('+node', (node: Redis) => {
    hearAsking(node);
    // A node connects at its first command and refuses others until then, so one is sent now.
    node.ping().catch(() => {});
  });
  await connectOrClose(cluster);
  await Promise.allSettled(cluster.nodes('master').map((node) => node.ping()));
  return { client: new Batch(cluster, 'cluster'), kind: 'cluster', close: () => disconnect(cluster) };
}

/** ioredis 6.0 drops a promise when it follows an ASK. The command itself fails too, and is handled. */
function hearAsking(node: Redis): void {
  const asking = node.asking.bind(node);
  node.asking = (...args) => {
    const asked = asking(...args);
    asked.catch(() => {});
    return asked;
  };
}

const keepName: DNSLookupFunction = (address, callback) => callback(null, address);

/** Without a timeout it would wait forever for an incomplete cluster or a server that loads its data. */
async function connectOrClose(client: Redis | Cluster): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new RedisUnreachable('Redis was not ready in time')), REDIS_OPEN_MS);
  });
  // ioredis 6.0: if a cluster becomes complete only at a later attempt, as when a node was not ready at the
  // first, only the event reports it.
  const ready = new Promise<void>((resolve) => void client.once('ready', resolve));
  try {
    await Promise.race([client.connect(), ready, late]);
  } catch (error) {
    disconnect(client);
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

function disconnect(client: Redis | Cluster): void {
  client.disconnect();
  // ioredis 6.0: an answer about slots that arrives now would start the timer of the next request.
  if (client instanceof Cluster) client.refreshSlotsCache = () => undefined;
}
