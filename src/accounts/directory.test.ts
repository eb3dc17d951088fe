import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CALLER_LOADS_MAX, CATALOG_RELOAD_MS, UNKNOWN_KEY_MS, UNKNOWN_KEYS_MAX } from '../bounds.ts';
import type { CatalogSnapshot, Plan } from '../catalog/contract.ts';
import { type Logger, silentLogger } from '../kernel/log.ts';
import { ManualClock } from '../kernel/time/clock.ts';
import { type Caller, type DirectorySource, type StoredCaller, StoreUnavailable } from './contract.ts';
import { CachedDirectory } from './directory.ts';

const PLAN: Plan = {
  code: 'PRO',
  level: 2,
  name: 'Pro',
  priceMicro: 0n,
  days: 30,
  policyId: undefined,
  coversModels: '*',
  coverageWindows: [],
};

function catalogOf(version: number, plans: readonly Plan[] = [PLAN]): CatalogSnapshot {
  return {
    version,
    systemRateMicro: 100_000_000n,
    defaults: { policyId: undefined, userRateMicro: 100_000_000n, apiBilling: true, autoExchange: false },
    verificationGrants: { personalMicro: 0n, enterpriseMicro: 0n },
    vendors: new Map(),
    credentials: new Map(),
    models: new Map(),
    policies: new Map(),
    plans: new Map(plans.map((plan) => [plan.code, plan])),
    nodes: [],
    announcements: [],
  };
}

function callerOf(accountId: number, version = 1): StoredCaller {
  return {
    account: {
      id: accountId,
      version,
      email: `${accountId}@example.com`,
      status: 'enabled',
      role: 'user',
      userType: 0,
      policyId: undefined,
      userRateMicro: 100_000_000n,
      apiBilling: true,
      autoExchange: false,
      extraApiQuotaMicro: 0n,
      preference: { fallbackModel: null, byokFallback: false },
      subscriptions: [{ id: 1, planCode: 'PRO', startsAtMs: 0, endsAtMs: 1_000 }],
      byok: [],
      funds: { version: 1, creditsMicro: 5n, balanceMicro: 0n, month: '2026-01', monthSpentMicro: 0n },
    },
    key: {
      id: accountId * 10,
      accountId,
      name: 'k',
      prefix: 'tg-abc',
      policyId: undefined,
      expiresAtMs: undefined,
      status: 'enabled',
    },
  };
}

/** A store whose answers the test decides, one by one if it likes. */
class FakeSource implements DirectorySource {
  catalog: CatalogSnapshot | Error = catalogOf(1);
  readonly callers = new Map<string, StoredCaller>();
  readonly waiting: (() => void)[] = [];
  isSlow = false;
  finds = 0;
  loads = 0;

  async loadCatalog(): Promise<CatalogSnapshot> {
    this.loads++;
    const answer = this.catalog;
    await this.#wait();
    if (answer instanceof Error) throw answer;
    return answer;
  }

  async findCaller(keyHash: string): Promise<StoredCaller | undefined> {
    this.finds++;
    // The answer is what was true when it was asked for, however late it arrives.
    const answer = this.callers.get(keyHash);
    await this.#wait();
    return answer;
  }

  async #wait(): Promise<void> {
    if (this.isSlow) await new Promise<void>((resolve) => this.waiting.push(resolve));
  }

  async answerNext(): Promise<void> {
    await vi.waitFor(() => expect(this.waiting.length).toBeGreaterThan(0), { timeout: 60_000 });
    this.waiting.shift()?.();
  }
}

let source: FakeSource;
let clock: ManualClock;
let directory: CachedDirectory;

async function open(log: Logger = silentLogger): Promise<void> {
  source = new FakeSource();
  clock = new ManualClock();
  directory = await CachedDirectory.open({ source, clock, log });
}

beforeEach(() => open());
afterEach(() => {
  directory.close();
  vi.useRealTimers();
});

function isPromise(value: unknown): boolean {
  return value instanceof Promise;
}

describe('the look-up of a caller', () => {
  it('awaits nothing once the caller is in memory, with its plans resolved', async () => {
    source.callers.set('a', callerOf(1));
    expect(isPromise(directory.findCaller('a'))).toBe(true);
    await directory.findCaller('a');
    const caller = directory.findCaller('a') as Caller;
    expect(isPromise(caller)).toBe(false);
    expect(caller.account.subscriptions).toEqual([{ id: 1, plan: PLAN, startsAtMs: 0, endsAtMs: 1_000 }]);
    expect(source.finds).toBe(1);
  });

  it('reads the store once for any number of simultaneous calls', async () => {
    source.callers.set('a', callerOf(1));
    const found = await Promise.all(Array.from({ length: 50 }, () => directory.findCaller('a')));
    expect(new Set(found).size).toBe(1);
    expect(source.finds).toBe(1);
  });

  it('is refused while too many other keys are looked up, and known callers do not notice', async () => {
    source.callers.set('a', callerOf(1));
    await directory.findCaller('a');
    source.isSlow = true;
    const flood = Array.from({ length: CALLER_LOADS_MAX }, (_, key) => directory.findCaller(`x${key}`));
    await expect(directory.findCaller('one-more')).rejects.toThrow(StoreUnavailable);
    expect(source.finds).toBe(1 + CALLER_LOADS_MAX);
    expect((directory.findCaller('a') as Caller).account.id).toBe(1);
    for (const answer of source.waiting.splice(0)) answer();
    expect(new Set(await Promise.all(flood))).toEqual(new Set([undefined]));
    source.isSlow = false;
    expect(await directory.findCaller('one-more')).toBeUndefined();
  });

  it('remembers an unknown key for a short time and reads the store again after it', async () => {
    expect(await directory.findCaller('x')).toBeUndefined();
    clock.advance(UNKNOWN_KEY_MS - 1);
    expect(isPromise(directory.findCaller('x'))).toBe(false);
    clock.advance(1);
    source.callers.set('x', callerOf(1));
    expect(await directory.findCaller('x')).toBeDefined();
    expect(source.finds).toBe(2);
  });

  it('keeps a bounded number of unknown keys', async () => {
    for (let index = 0; index <= UNKNOWN_KEYS_MAX; index++) await directory.findCaller(`x${index}`);
    expect(isPromise(directory.findCaller('x0'))).toBe(true);
    expect(isPromise(directory.findCaller(`x${UNKNOWN_KEYS_MAX}`))).toBe(false);
  });

  it('keeps a bounded number of callers and drops the least recently used', async () => {
    directory = await CachedDirectory.open({ source, clock, log: silentLogger, callersMax: 3 });
    for (const accountId of [0, 1, 2]) {
      source.callers.set(`k${accountId}`, callerOf(accountId));
      await directory.findCaller(`k${accountId}`);
    }
    directory.findCaller('k0');
    source.callers.set('new', callerOf(9));
    await directory.findCaller('new');
    expect(directory.size).toBe(3);
    expect(isPromise(directory.findCaller('k0'))).toBe(false);
    expect(isPromise(directory.findCaller('k1'))).toBe(true);
  });

  it('reports that the store is away instead of that the key is unknown, and reads again next time', async () => {
    source.findCaller = () => Promise.reject(new StoreUnavailable('gone'));
    await expect(directory.findCaller('a')).rejects.toThrow(StoreUnavailable);
    source.findCaller = () => Promise.resolve(callerOf(1));
    expect(await directory.findCaller('a')).toBeDefined();
  });
});

describe('a change of an account', () => {
  it('is in force for the next look-up of each of its keys, and of no other', async () => {
    for (const [hash, accountId] of [
      ['a1', 1],
      ['a2', 1],
      ['b', 2],
    ] as const) {
      source.callers.set(hash, callerOf(accountId));
      await directory.findCaller(hash);
    }
    directory.forgetAccount(1);
    source.callers.set('a1', callerOf(1, 2));
    source.callers.delete('a2');
    expect((await directory.findCaller('a1'))?.account.version).toBe(2);
    expect(await directory.findCaller('a2')).toBeUndefined();
    expect(isPromise(directory.findCaller('b'))).toBe(false);
  });

  it('that arrives during a load repeats the load, so that the older answer is never kept', async () => {
    source.callers.set('a', callerOf(1, 1));
    source.isSlow = true;
    const found = directory.findCaller('a');
    source.callers.set('a', callerOf(1, 2));
    directory.forgetAccount(1);
    await source.answerNext();
    await source.answerNext();
    expect((await found)?.account.version).toBe(2);
    expect((directory.findCaller('a') as Caller).account.version).toBe(2);
    expect(source.finds).toBe(2);
  });

  it('of another account does not repeat a load', async () => {
    source.callers.set('a', callerOf(1));
    source.isSlow = true;
    const found = directory.findCaller('a');
    directory.forgetAccount(2);
    await source.answerNext();
    expect(await found).toBeDefined();
    expect(source.finds).toBe(1);
  });

  it('that never stops still gets an answer, which is not kept', async () => {
    source.findCaller = () => {
      directory.forgetAccount(1);
      return Promise.resolve(callerOf(1));
    };
    expect(await directory.findCaller('a')).toBeDefined();
    expect(directory.size).toBe(0);
  });

  it('of a key forgets it among the known and the unknown keys', async () => {
    source.callers.set('a', callerOf(1));
    await directory.findCaller('a');
    await directory.findCaller('x');
    directory.forgetKey('a');
    directory.forgetKey('x');
    expect([isPromise(directory.findCaller('a')), isPromise(directory.findCaller('x'))]).toEqual([
      true,
      true,
    ]);
  });

  it('of its funds does not renew the age of the other fields', async () => {
    source.callers.set('a', callerOf(1));
    source.isSlow = true;
    const found = directory.findCaller('a');
    const askedAtMs = clock.monotonic();
    clock.advance(300);
    await source.answerNext();
    expect((await found)?.readAtMs).toBe(askedAtMs);
    directory.takeFunds(1, { ...callerOf(1).account.funds, version: 2 });
    expect((directory.findCaller('a') as Caller).readAtMs).toBe(askedAtMs);
  });

  it('of its funds replaces older ones only', async () => {
    source.callers.set('a', callerOf(1));
    const first = await directory.findCaller('a');
    const funds = { ...callerOf(1).account.funds, creditsMicro: 3n };
    directory.takeFunds(1, { ...funds, version: 1 });
    expect(directory.findCaller('a')).toBe(first);
    directory.takeFunds(1, { ...funds, version: 2 });
    expect((directory.findCaller('a') as Caller).account.funds.creditsMicro).toBe(3n);
    expect(first?.account.funds.creditsMicro).toBe(5n);
  });

  it('of its funds that arrives during a load repeats the load', async () => {
    const poorer = { version: 2, creditsMicro: 0n, balanceMicro: 0n, month: '2026-01', monthSpentMicro: 0n };
    source.callers.set('a', callerOf(1));
    source.isSlow = true;
    const found = directory.findCaller('a');
    const before = callerOf(1);
    source.callers.set('a', { ...before, account: { ...before.account, funds: poorer } });
    directory.takeFunds(1, poorer);
    await source.answerNext();
    await source.answerNext();
    expect((await found)?.account.funds.creditsMicro).toBe(0n);
    expect((directory.findCaller('a') as Caller).account.funds.creditsMicro).toBe(0n);
  });
});

describe('the catalogue', () => {
  it('is replaced as a whole, and callers in memory get its plans without a read of the store', async () => {
    source.callers.set('a', callerOf(1));
    await directory.findCaller('a');
    const richer = { ...PLAN, level: 3 };
    source.catalog = catalogOf(2, [richer]);
    await directory.reloadCatalog();
    expect(directory.catalog().version).toBe(2);
    expect((directory.findCaller('a') as Caller).account.subscriptions[0]?.plan).toBe(richer);
    expect(source.finds).toBe(1);
  });

  it('that cannot be read leaves the old one, is logged, and is tried again', async () => {
    const logged: string[] = [];
    await open({ ...silentLogger, error: (_fields, message) => logged.push(message) });
    vi.useFakeTimers();
    source.catalog = new StoreUnavailable('gone');
    await directory.reloadCatalog();
    expect(directory.catalog().version).toBe(1);
    expect(logged).toHaveLength(1);
    source.catalog = catalogOf(2);
    await vi.advanceTimersByTimeAsync(CATALOG_RELOAD_MS);
    expect(directory.catalog().version).toBe(2);
  });

  it('that changes while it is read is read once more, not once per notice', async () => {
    source.isSlow = true;
    source.catalog = catalogOf(2);
    const reloads = [directory.reloadCatalog()];
    source.catalog = catalogOf(3);
    for (let notice = 0; notice < 10; notice++) reloads.push(directory.reloadCatalog());
    await source.answerNext();
    await source.answerNext();
    await Promise.all(reloads);
    expect(directory.catalog().version).toBe(3);
    expect(source.loads).toBe(3);
  });

  it('that is missing at the start prevents the start', async () => {
    const failing = new FakeSource();
    failing.catalog = new StoreUnavailable('gone');
    await expect(CachedDirectory.open({ source: failing, clock, log: silentLogger })).rejects.toThrow('gone');
  });
});

it('everything is read again when notices may have been missed', async () => {
  source.callers.set('a', callerOf(1));
  await directory.findCaller('a');
  await directory.findCaller('x');
  source.callers.set('a', callerOf(1, 2));
  source.callers.set('x', callerOf(3));
  source.catalog = catalogOf(2);
  await directory.forgetAll();
  expect(directory.catalog().version).toBe(2);
  expect((await directory.findCaller('a'))?.account.version).toBe(2);
  expect(await directory.findCaller('x')).toBeDefined();
});

it('a load that runs while notices may have been missed is repeated', async () => {
  source.callers.set('a', callerOf(1, 1));
  source.isSlow = true;
  const found = directory.findCaller('a');
  source.callers.set('a', callerOf(1, 2));
  source.isSlow = false;
  await directory.forgetAll();
  await source.answerNext();
  expect((await found)?.account.version).toBe(2);
});
