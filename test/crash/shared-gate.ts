import type { Redis } from 'ioredis';

/** What the gate on Redis knows of one account: read from its keys, with no code of the gate's. */
export interface SharedAccount {
  readonly running: readonly SharedCall[];
  readonly pendingMicro: bigint;
  readonly heldMicro: bigint;
  /** `account:1 a 86400` → what is used and held of it. */
  readonly windows: ReadonlyMap<string, { readonly used: bigint; readonly heldMicro: bigint }>;
  readonly slots: readonly string[];
}

export interface SharedCall {
  readonly callId: string;
  readonly heldMicro: bigint;
}

export async function readSharedAccount(redis: Redis, accountId: number): Promise<SharedAccount> {
  const key = `tollgate:{${accountId}}`;
  const hash = await redis.hgetall(key);
  const running: SharedCall[] = [];
  const windows = new Map<string, { used: bigint; heldMicro: bigint }>();
  let pendingMicro = 0n;
  for (const [field, text] of Object.entries(hash)) {
    const words = text.split(' ');
    const window = /^w:(.+):(\w):(\d+)$/.exec(field);
    if (window !== null) {
      const [, scope, dimension, seconds] = window;
      const held = { used: BigInt(words[2] ?? '0'), heldMicro: BigInt(words[3] ?? '0') };
      windows.set(`${scope} ${dimension} ${seconds}`, held);
    }
    if (!field.startsWith('c:')) continue;
    const sumMicro = BigInt(words[1] ?? '0');
    if (words[0] === 'r') running.push({ callId: field.slice(2), heldMicro: sumMicro });
    else pendingMicro += sumMicro;
  }
  const names = await redis.keys(`${key}:slots:*`);
  const slots = (await Promise.all(names.map((name) => redis.zrange(name, '0', '-1')))).flat();
  return { running, pendingMicro, heldMicro: BigInt(hash.h ?? '0'), windows, slots };
}
