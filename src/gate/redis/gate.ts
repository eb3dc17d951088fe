import type { Funds } from '../../accounts/contract.ts';
import { assert } from '../../kernel/assert.ts';
import { Tasks } from '../../kernel/async/task.ts';
import type { Logger } from '../../kernel/log.ts';
import type { Clock } from '../../kernel/time/clock.ts';
import type {
  Actuals,
  EnterRequest,
  EnterResult,
  GateAway,
  Lease,
  Look,
  LookRequest,
  MoneyRequest,
  NotTried,
  Overrun,
  ReholdResult,
  SettledCalls,
  SharedGate,
} from '../contract.ts';
import { enterRefusal, readAnswer, readLook, reholdRefusal } from './answer.ts';
import {
  GATE_CALLS_PER_SCRIPT,
  GATE_RENEW_LOOK_MS,
  REDIS_EXTEND_WAIT_MS,
  REDIS_RETRY_MS,
  REDIS_RETRY_MS_MAX,
} from './bounds.ts';
import { RedisLease } from './lease.ts';
import { Leases } from './leases.ts';
import { Outbox } from './outbox.ts';
import { errorText, hadNoEffect, type Position, type RedisClient } from './script.ts';
import {
  coversArguments,
  enterArguments,
  extendArguments,
  leaveArguments,
  lookArguments,
  type Repetition,
  reholdArguments,
  renewArguments,
  settledArguments,
  undoArguments,
  versionArguments,
} from './script-arguments.ts';

export interface RedisGateOptions {
  readonly client: RedisClient;
  readonly clock: Clock;
  readonly log: Logger;
  /** The prefix of every key, for a shared server. */
  readonly prefix?: string;
  /** For tests: the time, instead of the server's clock. */
  readonly serverTimeMs?: () => number;
}

/** The same contract on any number of nodes. */
export interface RedisGate extends SharedGate {
  extend(lease: Lease, moreMicro: bigint): Promise<bigint>;
  rehold(lease: Lease, money: MoneyRequest | undefined): Promise<ReholdResult>;
  leave(lease: Lease, actuals: Actuals): Promise<void>;
  settled(account: SettledCalls): Promise<void>;
  covers(overrun: Overrun): Promise<boolean>;
  look(request: LookRequest): Promise<Look | GateAway>;
  /** The account has changed: calls decided with an older version are refused as stale. */
  raiseVersion(accountId: number, version: number): Promise<void>;
  /** Renews the leases of running calls. A timer also does so. */
  renew(): Promise<void>;
  /** Whether the last request to Redis succeeded. */
  readonly reachable: boolean;
  /** Messages that wait to be sent to Redis: for metrics. */
  readonly untold: number;
  /** Sends waiting messages once. The owner of the connection closes it. */
  close(): Promise<void>;
}

const PREFIX = 'tollgate:';
const NOT_TRIED: NotTried = Object.freeze({ kind: 'not-tried' });
const AWAY: GateAway = Object.freeze({ kind: 'gate-away', retryAfterMs: 1_000 });

export function createRedisGate(options: RedisGateOptions): RedisGate {
  return new GateOnRedis(options);
}

/**
 * The gate of many processes. Every decision is one script on the server, which runs nothing else meanwhile,
 * so it is atomic. If Redis is unreachable, no call enters.
 */
class GateOnRedis implements RedisGate {
  readonly #client: RedisClient;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #prefix: string;
  readonly #serverTimeMs: () => number | undefined;
  readonly #outbox: Outbox;
  readonly #tasks: Tasks;
  readonly #leases: Leases;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;
  #active = 0;
  #reachable = true;

  constructor(options: RedisGateOptions) {
    this.#client = options.client;
    this.#clock = options.clock;
    this.#log = options.log;
    this.#prefix = options.prefix ?? PREFIX;
    this.#serverTimeMs = options.serverTimeMs ?? (() => undefined);
    this.#outbox = new Outbox(options.log);
    this.#tasks = new Tasks(options.log);
    this.#leases = new Leases({
      clock: options.clock,
      outbox: this.#outbox,
      renew: (accountId, leases) => this.#run(accountId, renewArguments(this.#serverTimeMs(), leases)),
    });
    this.#planRenewal(GATE_RENEW_LOOK_MS);
  }

  get active(): number {
    return this.#active;
  }

  get reachable(): boolean {
    return this.#reachable;
  }

  get untold(): number {
    return this.#outbox.size;
  }

  async enter(request: EnterRequest): Promise<EnterResult> {
    const { accountId } = request;
    if (this.#leases.isOverdue(accountId) && !(await this.#leases.comeBack(accountId))) return AWAY;
    const entered = await this.#enter(request);
    assert(entered.kind !== 'not-tried', 'a call that depends on no other is tried');
    return entered;
  }

  async enterBeside(callId: string, request: EnterRequest): Promise<EnterResult | NotTried> {
    if (!this.#client.joins || this.#leases.isOverdue(request.accountId)) return NOT_TRIED;
    return this.#enter(request, callId);
  }

  async #enter(request: EnterRequest, beside?: string): Promise<EnterResult | NotTried> {
    const { accountId } = request;
    const line = enterArguments(this.#serverTimeMs(), request, beside);
    let said: string;
    try {
      said = await this.#run(accountId, line, beside === undefined ? 'anywhere' : 'beside-last');
    } catch (error) {
      // The answer may be lost although the call has entered: then it is removed again.
      if (!hadNoEffect(error))
        this.#outbox.add({ accountId, tell: () => this.#undo(request, 'again') }, 'again');
      return AWAY;
    }
    const answer = readAnswer(said);
    if (answer.kind === 'stale' || answer.kind === 'not-tried') return answer;
    if (answer.kind === 'refused') return enterRefusal(answer.words, request);
    const lease = new RedisLease(request, answer.held, this.#clock.monotonic());
    this.#leases.add(lease);
    this.#active += 1;
    return { kind: 'entered', lease };
  }

  /**
   * A running stream does not end because of a short outage: the request is repeated within a bound, as long
   * as the call runs. It asks for the total hold, so that a repetition after a lost answer grants nothing
   * twice.
   */
  async extend(lease: Lease, moreMicro: bigint): Promise<bigint> {
    assert(lease instanceof RedisLease && !lease.left, 'only a running call extends its hold');
    assert(lease.terms !== undefined, 'only a call that holds something extends it');
    assert(moreMicro >= 0n, 'an extension is not negative');
    const beforeMicro = lease.heldMicro;
    const deadlineMs = this.#clock.monotonic() + REDIS_EXTEND_WAIT_MS;
    do {
      try {
        const line = extendArguments(this.#serverTimeMs(), lease, beforeMicro + moreMicro);
        const answer = readAnswer(await this.#run(lease.accountId, line));
        assert(answer.kind === 'held', 'a running call is neither stale nor refused');
        const grantedMicro = answer.held.heldMicro - beforeMicro;
        // A server that lost its memory may have less left than was granted before.
        const heldMicro = grantedMicro > 0n ? answer.held.heldMicro : beforeMicro;
        lease.held = { ...lease.held, heldMicro, shortOf: answer.held.shortOf };
        return heldMicro - beforeMicro;
      } catch (error) {
        if (!isAway(error)) throw error;
        lease.doubted ||= !hadNoEffect(error);
        await pause(REDIS_RETRY_MS);
      }
    } while (!lease.left && this.#clock.monotonic() < deadlineMs);
    lease.held = { ...lease.held, shortOf: lease.shortOf ?? 'credits' };
    return 0n;
  }

  async rehold(lease: Lease, money: MoneyRequest | undefined): Promise<ReholdResult> {
    assert(lease instanceof RedisLease && !lease.left, 'only a running call changes its hold');
    const { request } = lease;
    const line = reholdArguments(this.#serverTimeMs(), lease, money);
    let said: string;
    try {
      said = await this.#run(request.accountId, line);
    } catch (error) {
      lease.doubted ||= !hadNoEffect(error);
      return AWAY;
    }
    const answer = readAnswer(said);
    if (answer.kind === 'refused') return reholdRefusal(answer.words, { ...request, money });
    assert(answer.kind === 'held', 'a running call is not stale');
    lease.held = answer.held;
    lease.terms = money;
    return { kind: 'reheld' };
  }

  async leave(lease: Lease, actuals: Actuals): Promise<void> {
    assert(lease instanceof RedisLease, 'a lease returns to its gate');
    assert(!lease.left, `call ${lease.callId} leaves exactly once`);
    assert(actuals.tokens >= 0 && actuals.amountMicro >= 0n, 'a call consumes no less than 0');
    assert(actuals.chargeMicro === 0n || lease.payer === 'credits', 'a charged call has a hold of Credits');
    lease.left = true;
    this.#active -= 1;
    await this.#outbox.tell({
      accountId: lease.accountId,
      tell: async (hearing: Repetition) => {
        // Otherwise the hold would be gone before the charge is pending.
        if (lease.settledFunds !== undefined) await this.#settle(lease, lease.settledFunds);
        await this.#run(lease.accountId, leaveArguments(this.#serverTimeMs(), lease, actuals, hearing));
        this.#leases.delete(lease);
      },
      drop: () => this.#leases.delete(lease),
    });
  }

  async cancel(lease: Lease): Promise<void> {
    assert(lease instanceof RedisLease && !lease.left, 'only a running call is cancelled');
    lease.left = true;
    this.#active -= 1;
    const { request, accountId } = lease;
    await this.#outbox.tell({
      accountId,
      tell: async (hearing: Repetition) => {
        await this.#undo(request, lease.doubted ? 'again' : hearing);
        this.#leases.delete(lease);
      },
      drop: () => this.#leases.delete(lease),
    });
  }

  async settled({ accountId, calls, funds }: SettledCalls): Promise<void> {
    const settlements = calls.map(({ callId, amountMicro = 0n }) => {
      const lease = this.#leases.find(accountId, callId);
      if (lease === undefined) return { callId, amountMicro };
      lease.settled = true;
      if (lease.left) lease.settledFunds = funds;
      return { callId, amountMicro: undefined };
    });
    for (let start = 0; start === 0 || start < settlements.length; start += GATE_CALLS_PER_SCRIPT) {
      const some = settlements.slice(start, start + GATE_CALLS_PER_SCRIPT);
      const tell = async (): Promise<void> => {
        await this.#run(accountId, settledArguments(this.#serverTimeMs(), funds, some));
      };
      await this.#outbox.tell({ accountId, tell });
    }
  }

  async #settle({ callId, accountId }: RedisLease, funds: Funds): Promise<void> {
    const settlement = { callId, amountMicro: undefined };
    await this.#run(accountId, settledArguments(this.#serverTimeMs(), funds, [settlement]));
  }

  async covers(overrun: Overrun): Promise<boolean> {
    const { accountId } = overrun;
    try {
      const line = coversArguments(this.#serverTimeMs(), overrun);
      return (await this.#run(accountId, line)) === '1';
    } catch (error) {
      if (!isAway(error)) throw error;
      // The holds of calls of other processes are unknown now.
      return !this.#leases.holdMoney(accountId);
    }
  }

  async look(request: LookRequest): Promise<Look | GateAway> {
    const line = lookArguments(this.#serverTimeMs(), request);
    let said: string;
    try {
      said = await this.#run(request.accountId, line);
    } catch {
      return AWAY;
    }
    return readLook(said, request);
  }

  async raiseVersion(accountId: number, version: number): Promise<void> {
    const tell = async (): Promise<void> => {
      await this.#run(accountId, versionArguments(this.#serverTimeMs(), version));
    };
    await this.#outbox.tell({ accountId, tell });
  }

  async renew(): Promise<void> {
    let heard = false;
    try {
      heard = await this.#leases.renewDue();
    } finally {
      // It failed: try again soon, so that other calls cannot take the holds of running calls.
      this.#planRenewal(heard ? GATE_RENEW_LOOK_MS : REDIS_RETRY_MS_MAX);
    }
  }

  /** The next renewal starts after the last one has ended, however long that took. */
  #planRenewal(inMs: number): void {
    clearTimeout(this.#timer);
    if (this.#closed) return;
    this.#timer = setTimeout(() => this.#tasks.run('renew leases', () => this.renew()), inMs).unref();
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#outbox.close();
  }

  async #undo(request: EnterRequest, hearing: Repetition): Promise<void> {
    await this.#run(request.accountId, undoArguments(this.#serverTimeMs(), request, hearing));
  }

  /** All keys are in the slot of the account, whatever scope they count in. */
  async #run(accountId: number, line: string, position?: Position): Promise<string> {
    try {
      const answer = await this.#client.run(`${this.#prefix}{${accountId}}`, line, position);
      if (!this.#reachable) this.#log.info({}, 'Redis answers again: calls are admitted again');
      this.#reachable = true;
      return answer;
    } catch (error) {
      if (this.#reachable)
        this.#log.warn(
          { reason: errorText(error) },
          'Redis does not answer: new calls are refused with 50301',
        );
      this.#reachable = false;
      throw error;
    }
  }
}

/** A failed assertion is not an outage. */
function isAway(error: unknown): boolean {
  return !(error instanceof Error && error.name === 'AssertionFailed');
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
