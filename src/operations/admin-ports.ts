import type { Account, ApiKey, Funds, StoredAccount } from '../accounts/contract.ts';
import type { SessionView } from '../accounts/login-contract.ts';
import type { EntryKind } from '../catalog/entries.ts';
import type { EntryJson } from '../catalog/entry-json.ts';
import type { LogFilter, LoggedCall } from '../ledger/log.ts';
import type { Actor, AuditQuery, AuditRecord, Listed } from './contract.ts';
import type { KeyPatch, KeyView } from './keys/key-view.ts';

export interface Changed {
  readonly kind: 'changed';
  readonly entry: EntryJson;
}

export type EntryRefusal =
  | { readonly kind: 'invalid'; readonly problem: string }
  | { readonly kind: 'exists' }
  | { readonly kind: 'not-found' }
  | { readonly kind: 'in-use'; readonly by: readonly string[] };

/** The catalogue as operators see and change it. Entries never have a secret in clear text. */
export interface CatalogChanges {
  list(kind: EntryKind): Promise<readonly EntryJson[]>;
  find(kind: EntryKind, key: string): Promise<EntryJson | undefined>;
  create(kind: EntryKind, value: EntryJson, actor: Actor): Promise<Changed | EntryRefusal>;
  update(
    kind: EntryKind,
    key: string,
    change: { readonly value: EntryJson; readonly actor: Actor },
  ): Promise<Changed | EntryRefusal>;
  remove(kind: EntryKind, key: string, actor: Actor): Promise<{ readonly kind: 'removed' } | EntryRefusal>;
  settings(): Promise<EntryJson>;
  changeSettings(value: EntryJson, actor: Actor): Promise<Changed | EntryRefusal>;
}

/** A change of money by an operator. */
export interface MoneyMove {
  readonly kind: 'top_up' | 'grant' | 'adjustment';
  readonly pool: 'balance' | 'credits';
  /** A negative amount is subtracted; only an adjustment may be negative. */
  readonly changeMicro: bigint;
  readonly reason: string;
}

export interface AccountSearch {
  /** A part of the address, in lower case. Empty: all accounts. */
  readonly emailPart: string;
  readonly status?: Account['status'] | undefined;
  readonly role?: Account['role'] | undefined;
  readonly userType?: number | undefined;
  readonly offset: number;
  readonly limit: number;
}

export interface FoundAccount extends Pick<Account, 'id' | 'email' | 'status' | 'role' | 'userType'> {
  readonly creditsMicro: bigint;
  readonly balanceMicro: bigint;
  readonly createdAtMs: number;
}

export interface FoundSubscription {
  readonly id: number;
  readonly planCode: string;
  readonly startsAtMs: number;
  readonly endsAtMs: number;
  readonly status: 'active' | 'upcoming' | 'ended' | 'cancelled';
}

/** An account as operators see it, without hashes and secrets. */
export interface AccountDetail {
  readonly account: Omit<StoredAccount, 'byok' | 'subscriptions'>;
  readonly createdAtMs: number;
  readonly subscriptions: Listed<FoundSubscription>;
  readonly keys: Listed<ApiKey & { readonly createdAtMs: number }>;
  readonly credentials: readonly {
    readonly id: number;
    readonly vendorCode: string;
    readonly name: string;
    readonly hint: string;
    readonly baseUrl: string | undefined;
    readonly status: 'enabled' | 'disabled';
  }[];
  readonly verification: FoundVerification | undefined;
}

export interface WantedAccount {
  readonly email: string;
  readonly password: string;
  readonly role: Account['role'];
  readonly userType: number;
  readonly balanceMicro: bigint;
  readonly creditsMicro: bigint;
}

export interface AccountChange {
  readonly status?: Account['status'];
  readonly role?: Account['role'];
  readonly userType?: number;
  readonly userRateMicro?: bigint;
  /** Null: the default of the catalogue. */
  readonly policyId?: number | null;
  readonly apiBilling?: boolean;
  readonly autoExchange?: boolean;
  readonly extraApiQuotaMicro?: bigint;
  readonly fallbackModel?: string | null;
  readonly byokFallback?: boolean;
}

export type NotFound = { readonly kind: 'not-found' };

/** The catalogue has no such entry. */
export type UnknownEntry = { readonly kind: 'unknown-model' | 'unknown-policy' };

export interface FoundVerification {
  readonly id: number;
  readonly accountId: number;
  readonly email: string;
  readonly kind: 'personal' | 'enterprise';
  readonly name: string;
  readonly documentNumber: string;
  readonly contact: string | undefined;
  readonly status: 'pending' | 'approved' | 'refused';
  readonly reason: string | undefined;
  readonly grantedMicro: bigint;
  readonly createdAtMs: number;
  readonly decidedAtMs: number | undefined;
}

export type Decision =
  | { readonly kind: 'approve' }
  /** The account sees the reason. */
  | { readonly kind: 'refuse'; readonly reason: string };

/** A key of one account. */
export interface KeyPlace {
  readonly accountId: number;
  readonly keyId: number;
}

export interface AccountChanges {
  search(wanted: AccountSearch): Promise<Listed<FoundAccount>>;
  find(accountId: number, nowMs: number): Promise<AccountDetail | undefined>;
  create(
    wanted: WantedAccount,
    actor: Actor,
  ): Promise<{ readonly kind: 'created'; readonly accountId: number } | { readonly kind: 'email-taken' }>;
  change(
    accountId: number,
    patch: AccountChange,
    actor: Actor,
  ): Promise<{ readonly kind: 'changed' } | NotFound | UnknownEntry>;
  /** Ends all logins of the account. */
  endSessions(
    accountId: number,
    nowMs: number,
    actor: Actor,
  ): Promise<{ readonly kind: 'ended'; readonly sessions: number } | NotFound>;
  /** The open sessions, the most recently used first. Undefined: there is no such account. */
  sessions(accountId: number, nowMs: number): Promise<readonly SessionView[] | undefined>;
  /** Replaces the password and ends all logins. */
  resetPassword(
    accountId: number,
    wanted: { readonly password: string; readonly nowMs: number },
    actor: Actor,
  ): Promise<{ readonly kind: 'reset'; readonly sessions: number } | NotFound>;
  keys(
    accountId: number,
    part: { readonly offset: number; readonly limit: number },
  ): Promise<Listed<KeyView>>;
  changeKey(
    place: KeyPlace,
    patch: KeyPatch,
    actor: Actor,
  ): Promise<
    { readonly kind: 'changed'; readonly key: KeyView } | NotFound | { readonly kind: 'unknown-policy' }
  >;
  removeKey(place: KeyPlace, actor: Actor): Promise<{ readonly kind: 'revoked' } | NotFound>;
  move(
    accountId: number,
    wanted: MoneyMove,
    actor: Actor,
  ): Promise<
    | { readonly kind: 'moved'; readonly funds: Funds }
    | NotFound
    | { readonly kind: 'insufficient' }
    | { readonly kind: 'too-much' }
  >;
  subscriptions(
    accountId: number,
    part: { readonly offset: number; readonly limit: number; readonly nowMs: number },
  ): Promise<Listed<FoundSubscription>>;
  grant(
    wanted: WantedSubscription,
    nowMs: number,
    actor: Actor,
  ): Promise<
    GrantedSubscription | NotFound | { readonly kind: 'unknown-plan' } | { readonly kind: 'too-many' }
  >;
  cancel(
    place: { readonly accountId: number; readonly subscriptionId: number },
    actor: Actor,
  ): Promise<{ readonly kind: 'cancelled' } | NotFound>;
  verifications(wanted: VerificationSearch): Promise<Listed<FoundVerification>>;
  /** An approval grants the free Credits of its kind, once per account. */
  decide(
    verificationId: number,
    decision: Decision,
    actor: Actor,
  ): Promise<
    | { readonly kind: 'decided'; readonly verification: FoundVerification }
    | NotFound
    | { readonly kind: 'decided-before' }
  >;
}

export interface VerificationSearch {
  readonly status: FoundVerification['status'] | undefined;
  readonly accountId?: number | undefined;
  readonly offset: number;
  readonly limit: number;
}

export interface WantedSubscription {
  readonly accountId: number;
  readonly planCode: string;
  readonly days: number | undefined;
  readonly start: 'now' | 'after-current';
}

export interface GrantedSubscription {
  readonly kind: 'granted';
  readonly subscriptionId: number;
  readonly startsAtMs: number;
  readonly endsAtMs: number;
}

export interface FeedbackMessage {
  readonly id: number;
  /** Undefined: sent without a login. */
  readonly accountId: number | undefined;
  readonly email: string | undefined;
  readonly content: string;
  readonly contact: string | undefined;
  readonly status: 'open' | 'done';
  readonly createdAtMs: number;
}

export interface Inbox {
  feedback(wanted: {
    readonly status: FeedbackMessage['status'] | undefined;
    readonly offset: number;
    readonly limit: number;
  }): Promise<Listed<FeedbackMessage>>;
  setFeedback(
    id: number,
    status: FeedbackMessage['status'],
    actor: Actor,
  ): Promise<{ readonly kind: 'changed'; readonly message: FeedbackMessage } | NotFound>;
  audit(query: AuditQuery): Promise<Listed<AuditRecord>>;
  registration(): Promise<Registration>;
  setRegistration(registration: Registration, actor: Actor): Promise<Registration>;
}

/** Whether people may register. Undefined: the configuration decides. */
export type Registration = 'open' | 'closed' | undefined;

/** Whole hours (UTC), because roll-ups are by hour. */
export interface Period {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Sales: sums over the calls that reached a vendor. */
export interface Sales {
  readonly calls: number;
  readonly failed: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly images: number;
  /** At the prices of the platform, for all payers. */
  readonly amountMicro: bigint;
  /** Paid with Credits, in micro-yuan. */
  readonly revenueMicro: bigint;
  /** At the vendors' rates: catalog/price.ts `vendorCostMicro`. */
  readonly costMicro: bigint;
}

export interface VendorSales extends Sales {
  readonly vendor: string;
}

export interface ModelSales extends Sales {
  readonly model: string;
}

export interface CredentialSales extends Sales {
  readonly credential: string;
}

/** All calls, including refused ones. */
export interface Traffic {
  readonly calls: number;
  readonly failed: number;
  readonly activeAccounts: number;
  /** Covered by subscriptions, in micro-yuan. */
  readonly coveredMicro: bigint;
  readonly byokCalls: number;
  /** Answers that are not a success, by HTTP status. */
  readonly errors: readonly { readonly status: number; readonly calls: number }[];
}

export interface PlatformCounts {
  readonly accounts: number;
  readonly newAccounts: number;
  readonly pendingVerifications: number;
  readonly openFeedback: number;
}

export interface LiveNode {
  readonly name: string;
  readonly baseUrl: string;
  readonly region: string;
  readonly rateMicro: bigint;
  readonly alive: boolean;
  readonly workers: number;
  readonly activeCalls: number;
  readonly lastSeenAtMs: number | undefined;
}

/** Traffic and sales between each edge and the next. */
export interface OperatorSeries {
  readonly traffic: readonly Omit<Traffic, 'errors'>[];
  readonly vendors: readonly { readonly vendor: string; readonly points: readonly TimedSales[] }[];
}

export interface TimedSales extends Sales {
  /** Streams that had a first token, and their milliseconds to it. */
  readonly ttftCalls: number;
  readonly ttftMs: number;
}

/** The position of a page in the calls of all accounts: after this call. */
export interface CallCursor {
  readonly createdAtMs: number;
  readonly id: number;
}

export interface CallSearch extends LogFilter {
  readonly accountId?: number | undefined;
  readonly before?: CallCursor | undefined;
  readonly size: number;
}

export interface FoundCall extends LoggedCall {
  readonly email: string;
}

export interface FoundCalls {
  readonly items: readonly FoundCall[];
  /** Undefined: there are no older calls that match. */
  readonly next: CallCursor | undefined;
}

/** The calls of all accounts. */
export interface AllCalls {
  /** Newest first. A page may be short and still have a next one, because one search is bounded. */
  search(wanted: CallSearch): Promise<FoundCalls>;
  find(callId: string): Promise<FoundCall | undefined>;
  findAccount(email: string): Promise<number | undefined>;
}

export interface OperatorStats {
  series(period: Period & { readonly edges: readonly number[] }): Promise<OperatorSeries>;
  models(period: Period): Promise<readonly ModelSales[]>;
  traffic(period: Period): Promise<Traffic>;
  vendors(period: Period): Promise<readonly VendorSales[]>;
  credentials(period: Period): Promise<readonly CredentialSales[]>;
  standing(period: Period): Promise<PlatformCounts>;
  nodes(): Promise<readonly LiveNode[]>;
}
