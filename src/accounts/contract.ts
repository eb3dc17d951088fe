import type { CatalogSnapshot, Credential, Plan } from '../catalog/contract.ts';

/** The committed money of an account. `version` grows with every ledger transaction. */
export interface Funds {
  readonly version: number;
  readonly creditsMicro: bigint;
  readonly balanceMicro: bigint;
  /** Charged outside subscription and BYOK in `month`, in micro-yuan. */
  readonly monthSpentMicro: bigint;
  /** For example `2026-11`, in TOLLGATE_TIMEZONE. */
  readonly month: string;
}

export interface Subscription {
  readonly id: number;
  readonly plan: Plan;
  readonly startsAtMs: number;
  readonly endsAtMs: number;
}

export interface Preference {
  readonly fallbackModel: string | null;
  readonly byokFallback: boolean;
}

/** An immutable snapshot. Every write to the account makes a new one with a higher version. */
export interface Account {
  readonly id: number;
  readonly version: number;
  readonly email: string;
  readonly status: 'enabled' | 'disabled';
  readonly role: 'user' | 'operator';
  /** 0 unverified, 1 personal, 2 enterprise: the verification level of rule S-9. */
  readonly userType: number;
  readonly userRateMicro: bigint;
  /** The limit policy that an operator set for the account; undefined: the default. */
  readonly policyId: number | undefined;
  readonly apiBilling: boolean;
  readonly autoExchange: boolean;
  /** Monthly cap outside the subscription, micro-yuan; 0 is unlimited. */
  readonly extraApiQuotaMicro: bigint;
  readonly preference: Preference;
  readonly subscriptions: readonly Subscription[];
  readonly byok: readonly Credential[];
  readonly funds: Funds;
}

export interface ApiKey {
  readonly id: number;
  readonly accountId: number;
  readonly name: string;
  /** The first characters of the key, safe to show. */
  readonly prefix: string;
  readonly policyId: number | undefined;
  readonly expiresAtMs: number | undefined;
  readonly status: 'enabled' | 'disabled';
}

export interface Caller {
  readonly account: Account;
  readonly key: ApiKey;
  /** When the store was read, by the monotonic clock. Nothing here is older than that. */
  readonly readAtMs: number;
}

/**
 * What the gateway knows without reading the database: the catalogue, and accounts with recent calls. A
 * look-up is synchronous if the answer is in memory, so the usual request path awaits nothing.
 */
export interface Directory {
  /** The current catalogue. A change replaces the whole snapshot. */
  catalog(): CatalogSnapshot;
  /**
   * `keyHash` is accounts/api-key.ts `hashApiKey`. Throws StoreUnavailable if the store is needed and fails.
   */
  findCaller(keyHash: string): Caller | undefined | Promise<Caller | undefined>;
  /** The gate has a newer snapshot of the account (`stale`): the next look-up reads the store. */
  forgetAccount(accountId: number): void;
}

/** A caller as in the store: a subscription names its plan, which the directory's catalogue has. */
export interface StoredCaller {
  readonly account: StoredAccount;
  readonly key: ApiKey;
}

export interface StoredAccount extends Omit<Account, 'subscriptions'> {
  readonly subscriptions: readonly StoredSubscription[];
}

export interface StoredSubscription extends Omit<Subscription, 'plan'> {
  readonly planCode: string;
}

/** Where the directory reads what it does not have. store/accounts/directory-source.ts implements it. */
export interface DirectorySource {
  loadCatalog(): Promise<CatalogSnapshot>;
  findCaller(keyHash: string): Promise<StoredCaller | undefined>;
}

/** The store did not answer. The gateway turns it into 50301. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable';
}
