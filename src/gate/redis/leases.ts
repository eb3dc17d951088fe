import { assert } from '../../kernel/assert.ts';
import type { Clock } from '../../kernel/time/clock.ts';
import {
  GATE_CALLS_PER_SCRIPT,
  GATE_RENEW_AFTER_MS,
  GATE_RENEW_AT_ONCE,
  GATE_RENEW_OVERDUE_MS,
} from './bounds.ts';
import type { RedisLease } from './lease.ts';
import type { Outbox } from './outbox.ts';
import { goRound } from './round.ts';
import { hadNoEffect } from './script.ts';

export interface LeasesOptions {
  readonly clock: Clock;
  readonly outbox: Outbox;
  /** Tells Redis that these calls of an account are running. */
  readonly renew: (accountId: number, leases: readonly RedisLease[]) => Promise<unknown>;
}

interface Account {
  readonly id: number;
  readonly leases: Map<string, RedisLease>;
  /** When all leases were last renewed and all ends sent, by the clock of this process. */
  renewedAtMs: number;
  comingBack: Promise<boolean> | undefined;
}

/**
 * Calls that have not left, or whose end has not reached Redis. Accounts are independent: the keys of one are
 * on one server, and that server alone may be unreachable.
 */
export class Leases {
  readonly #clock: Clock;
  readonly #outbox: Outbox;
  readonly #renew: LeasesOptions['renew'];
  readonly #accounts = new Map<number, Account>();

  constructor({ clock, outbox, renew }: LeasesOptions) {
    this.#clock = clock;
    this.#outbox = outbox;
    this.#renew = renew;
  }

  find(accountId: number, callId: string): RedisLease | undefined {
    return this.#accounts.get(accountId)?.leases.get(callId);
  }

  /** Whether a running call of the account holds some of its Credits. */
  holdMoney(accountId: number): boolean {
    for (const { left, payer, heldMicro } of this.#accounts.get(accountId)?.leases.values() ?? []) {
      if (!left && payer === 'credits' && heldMicro > 0n) return true;
    }
    return false;
  }

  add(lease: RedisLease): void {
    const { accountId: id, callId, renewedAtMs } = lease;
    const account = this.#accounts.get(id) ?? {
      id,
      leases: new Map<string, RedisLease>(),
      renewedAtMs,
      comingBack: undefined,
    };
    assert(!account.leases.has(callId), 'a call enters once');
    account.leases.set(callId, lease);
    this.#accounts.set(id, account);
  }

  delete({ accountId, callId }: RedisLease): void {
    const account = this.#accounts.get(accountId);
    account?.leases.delete(callId);
    if (account?.leases.size === 0) this.#accounts.delete(accountId);
  }

  /** Redis may give up the holds of the account's calls, and the next call to enter would be granted them. */
  isOverdue(accountId: number): boolean {
    const account = this.#accounts.get(accountId);
    return account !== undefined && this.#clock.monotonic() - account.renewedAtMs >= GATE_RENEW_OVERDUE_MS;
  }

  /** Sends Redis the holds of running calls, and the charges of ended ones, before another call enters. */
  async comeBack(accountId: number): Promise<boolean> {
    const account = this.#accounts.get(accountId);
    if (account === undefined) return true;
    account.comingBack ??= this.#catchUp(account).finally(() => {
      account.comingBack = undefined;
    });
    return account.comingBack;
  }

  /** False if one got no answer: it is tried again at the next renewal. */
  renewDue(): Promise<boolean> {
    return goRound(this.#accounts, GATE_RENEW_AT_ONCE, (account) => this.#renewAccount(account));
  }

  async #catchUp(account: Account): Promise<boolean> {
    const nowMs = this.#clock.monotonic();
    const heard = (await this.#renewAccount(account)) && (await this.#outbox.hurry(account.id));
    if (heard) account.renewedAtMs = nowMs;
    return heard;
  }

  async #renewAccount(account: Account): Promise<boolean> {
    const nowMs = this.#clock.monotonic();
    const isDue = ({ left, renewedAtMs }: RedisLease): boolean =>
      !left && nowMs - renewedAtMs >= GATE_RENEW_AFTER_MS;
    const due = [...account.leases.values()].filter(isDue);
    for (let start = 0; start < due.length; start += GATE_CALLS_PER_SCRIPT) {
      const some = due.slice(start, start + GATE_CALLS_PER_SCRIPT).filter((lease) => !lease.left);
      if (some.length > 0 && !(await this.#renewSome(account.id, some, nowMs))) return false;
    }
    if (!this.#outbox.holds(account.id)) account.renewedAtMs = nowMs;
    return true;
  }

  async #renewSome(accountId: number, leases: readonly RedisLease[], nowMs: number): Promise<boolean> {
    try {
      await this.#renew(accountId, leases);
    } catch (error) {
      for (const lease of leases) lease.doubted ||= !hadNoEffect(error);
      return false;
    }
    for (const lease of leases) lease.renewedAtMs = nowMs;
    return true;
  }
}
