import {
  ACCOUNTS_CACHED_MAX,
  CALLER_LOADS_MAX,
  CATALOG_RELOAD_MS,
  CHANGES_NOTED_MAX,
  SNAPSHOT_RELOADS_MAX,
  UNKNOWN_KEY_MS,
  UNKNOWN_KEYS_MAX,
} from '../bounds.ts';
import type { CatalogSnapshot, Plan } from '../catalog/contract.ts';
import type { Logger } from '../kernel/log.ts';
import type { Clock } from '../kernel/time/clock.ts';
import {
  type Caller,
  type Directory,
  type DirectorySource,
  type Funds,
  type StoredCaller,
  StoreUnavailable,
  type Subscription,
} from './contract.ts';

export interface DirectoryOptions {
  readonly source: DirectorySource;
  readonly clock: Clock;
  readonly log: Logger;
  /** Callers kept in memory. */
  readonly callersMax?: number;
}

/** A row of the store, and when it was read. */
interface Read {
  readonly stored: StoredCaller;
  readonly readAtMs: number;
}

interface Known extends Read {
  stored: StoredCaller;
  /** Built with the plans of `catalog`, and built again, without the store, when the catalogue changes. */
  caller: Caller;
  catalog: CatalogSnapshot;
}

/** A load in progress. Changes during it may or may not be in its answer. */
interface Load {
  readonly promise: Promise<Caller | undefined>;
  readonly changedAccounts: Set<number>;
  everythingChanged: boolean;
}

/**
 * The gateway's cache (rule S-12). Look-ups of cached callers await nothing. Change notices remove snapshots.
 * A load during which a notice arrived is repeated, so nothing older than a notice is ever kept.
 */
export class CachedDirectory implements Directory {
  readonly #source: DirectorySource;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #callersMax: number;
  /** By key hash, in the order of use; the first is removed first. */
  readonly #known = new Map<string, Known>();
  readonly #hashesByAccount = new Map<number, Set<string>>();
  /** Until when a hash is known to be invalid. */
  readonly #unknown = new Map<string, number>();
  readonly #loads = new Map<string, Load>();
  #catalog: CatalogSnapshot;
  #reload: Promise<void> | undefined;
  #reloadAgain = false;
  #retry: NodeJS.Timeout | undefined;
  #closed = false;

  private constructor(options: DirectoryOptions, catalog: CatalogSnapshot) {
    this.#source = options.source;
    this.#clock = options.clock;
    this.#log = options.log;
    this.#callersMax = options.callersMax ?? ACCOUNTS_CACHED_MAX;
    this.#catalog = catalog;
  }

  /** Throws StoreUnavailable if the catalogue cannot be read, because no call can be served without it. */
  static async open(options: DirectoryOptions): Promise<CachedDirectory> {
    return new CachedDirectory(options, await options.source.loadCatalog());
  }

  catalog(): CatalogSnapshot {
    return this.#catalog;
  }

  findCaller(keyHash: string): Caller | undefined | Promise<Caller | undefined> {
    const known = this.#known.get(keyHash);
    if (known !== undefined) {
      this.#known.delete(keyHash);
      this.#known.set(keyHash, known);
      return this.#current(known);
    }
    const unknownUntil = this.#unknown.get(keyHash);
    if (unknownUntil !== undefined && this.#clock.monotonic() < unknownUntil) return undefined;
    return this.#loads.get(keyHash)?.promise ?? this.#startLoad(keyHash);
  }

  /** The number of callers in memory: for metrics and tests. */
  get size(): number {
    return this.#known.size;
  }

  /** Removes everything about the account. The next call reads it again. */
  forgetAccount(accountId: number): void {
    for (const load of this.#loads.values()) noteChange(load, accountId);
    for (const hash of this.#hashesByAccount.get(accountId) ?? []) this.#known.delete(hash);
    this.#hashesByAccount.delete(accountId);
  }

  /** Funds that the settler has just committed, so that memory never shows more money than the store. */
  takeFunds(accountId: number, funds: Funds): void {
    // A load may have read the account before the settlement and return after it.
    for (const load of this.#loads.values()) noteChange(load, accountId);
    for (const hash of this.#hashesByAccount.get(accountId) ?? []) {
      const known = this.#known.get(hash);
      if (known === undefined || known.stored.account.funds.version >= funds.version) continue;
      known.stored = { ...known.stored, account: { ...known.stored.account, funds } };
      known.caller = resolveCaller(known, this.#catalog);
      known.catalog = this.#catalog;
    }
  }

  forgetKey(keyHash: string): void {
    this.#unknown.delete(keyHash);
    const load = this.#loads.get(keyHash);
    if (load !== undefined) load.everythingChanged = true;
    const known = this.#known.get(keyHash);
    if (known !== undefined) this.#forget(keyHash, known);
  }

  /** Notices may have been missed, so nothing in memory can be trusted. */
  async forgetAll(): Promise<void> {
    for (const load of this.#loads.values()) load.everythingChanged = true;
    this.#known.clear();
    this.#hashesByAccount.clear();
    this.#unknown.clear();
    await this.reloadCatalog();
  }

  /**
   * Replaces the whole catalogue at once. If it cannot be read, the old one stays and the read is tried
   * again. Resolves when a load that began after this call has ended.
   */
  async reloadCatalog(): Promise<void> {
    this.#reloadAgain = true;
    this.#reload ??= this.#reloadUntilCurrent().finally(() => {
      this.#reload = undefined;
    });
    await this.#reload;
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#retry);
  }

  async #reloadUntilCurrent(): Promise<void> {
    clearTimeout(this.#retry);
    while (this.#reloadAgain && !this.#closed) {
      this.#reloadAgain = false;
      try {
        this.#catalog = await this.#source.loadCatalog();
      } catch (error) {
        this.#log.error(
          { err: error },
          'the catalogue could not be read; the old one stays in use until the next attempt',
        );
        this.#retryLater();
        return;
      }
    }
  }

  #retryLater(): void {
    if (this.#closed) return;
    this.#retry = setTimeout(() => void this.reloadCatalog(), CATALOG_RELOAD_MS).unref();
  }

  /**
   * One load per key, however many calls wait for it. Keys can be forged, including the checksum: a flood of
   * them must not block the store or fill the memory.
   */
  #startLoad(keyHash: string): Promise<Caller | undefined> {
    if (this.#loads.size >= CALLER_LOADS_MAX) {
      return Promise.reject(new StoreUnavailable('too many keys are being looked up'));
    }
    const { promise, resolve } = Promise.withResolvers<Caller | undefined>();
    const load: Load = { promise, changedAccounts: new Set(), everythingChanged: false };
    this.#loads.set(keyHash, load);
    resolve(this.#load(keyHash, load).finally(() => this.#loads.delete(keyHash)));
    return promise;
  }

  async #load(keyHash: string, load: Load): Promise<Caller | undefined> {
    let read: Read | undefined;
    for (let reads = 0; reads < SNAPSHOT_RELOADS_MAX; reads++) {
      load.changedAccounts.clear();
      load.everythingChanged = false;
      const readAtMs = this.#clock.monotonic();
      const stored = await this.#source.findCaller(keyHash);
      read = stored && { stored, readAtMs };
      if (!wasOvertaken(load, stored)) return this.#remember(keyHash, read);
    }
    // The account changes all the time: this answer is as new as any, but it is not kept.
    return read === undefined ? undefined : resolveCaller(read, this.#catalog);
  }

  #remember(keyHash: string, read: Read | undefined): Caller | undefined {
    if (read === undefined) {
      this.#rememberUnknown(keyHash);
      return undefined;
    }
    const known: Known = { ...read, caller: resolveCaller(read, this.#catalog), catalog: this.#catalog };
    this.#known.set(keyHash, known);
    const { id } = read.stored.account;
    const hashes = this.#hashesByAccount.get(id);
    if (hashes === undefined) this.#hashesByAccount.set(id, new Set([keyHash]));
    else hashes.add(keyHash);
    const [oldest] = this.#known;
    if (this.#known.size > this.#callersMax && oldest !== undefined) this.#forget(...oldest);
    return known.caller;
  }

  #rememberUnknown(keyHash: string): void {
    const [oldest] = this.#unknown.keys();
    if (this.#unknown.size >= UNKNOWN_KEYS_MAX && oldest !== undefined) this.#unknown.delete(oldest);
    // Deleted first, so that the order stays the order of time.
    this.#unknown.delete(keyHash);
    this.#unknown.set(keyHash, this.#clock.monotonic() + UNKNOWN_KEY_MS);
  }

  #forget(keyHash: string, { stored }: Known): void {
    this.#known.delete(keyHash);
    const hashes = this.#hashesByAccount.get(stored.account.id);
    hashes?.delete(keyHash);
    if (hashes?.size === 0) this.#hashesByAccount.delete(stored.account.id);
  }

  #current(known: Known): Caller {
    if (known.catalog !== this.#catalog) {
      known.caller = resolveCaller(known, this.#catalog);
      known.catalog = this.#catalog;
    }
    return known.caller;
  }
}

/** A load with too many notices during it is repeated. */
function noteChange(load: Load, accountId: number): void {
  if (load.changedAccounts.size >= CHANGES_NOTED_MAX) load.everythingChanged = true;
  else load.changedAccounts.add(accountId);
}

function wasOvertaken(load: Load, stored: StoredCaller | undefined): boolean {
  return load.everythingChanged || (stored !== undefined && load.changedAccounts.has(stored.account.id));
}

/** A subscription to a plan that this catalogue does not have yet waits for the catalogue that has it. */
function resolveCaller({ stored, readAtMs }: Read, catalog: CatalogSnapshot): Caller {
  const { account, key } = stored;
  const subscriptions: Subscription[] = [];
  for (const { id, planCode, startsAtMs, endsAtMs } of account.subscriptions) {
    const plan: Plan | undefined = catalog.plans.get(planCode);
    if (plan !== undefined) subscriptions.push({ id, plan, startsAtMs, endsAtMs });
  }
  return { account: { ...account, subscriptions }, key, readAtMs };
}
