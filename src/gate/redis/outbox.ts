import type { Logger } from '../../kernel/log.ts';
import { GATE_RETELL_MS, GATE_UNTOLD_AT_ONCE, GATE_UNTOLD_MAX } from './bounds.ts';
import { goRound } from './round.ts';
import { hadNoEffect } from './script.ts';
import type { Repetition } from './script-arguments.ts';

/** Something Redis must hear, sooner or later. `tell` says it, and may be called again. */
export interface Message {
  readonly accountId: number;
  tell(hearing: Repetition): Promise<void>;
  /** It was given up, because too much is untold. */
  drop?(): void;
}

interface Untold {
  readonly message: Message;
  /** `again` once it may have been heard. */
  hearing: Repetition;
}

/** What waits to be told of one account: the servers of a cluster are not away together. */
interface Account {
  /** In order; each stays until it is heard. */
  readonly untold: Set<Untold>;
  telling: Promise<boolean> | undefined;
}

/**
 * Tells Redis what must not be lost: at once, and when that fails again and again until it is heard. Every
 * message changes nothing when it is heard twice, so order and repetition do no harm.
 */
export class Outbox {
  readonly #log: Logger;
  readonly #sizeMax: number;
  /** Of all accounts, the oldest first. */
  readonly #untold = new Set<Untold>();
  readonly #accounts = new Map<number, Account>();
  #timer: NodeJS.Timeout | undefined;
  #retelling: Promise<void> | undefined;
  #closed = false;
  #dropped = 0;

  constructor(log: Logger, sizeMax: number = GATE_UNTOLD_MAX) {
    this.#log = log;
    this.#sizeMax = sizeMax;
  }

  get size(): number {
    return this.#untold.size;
  }

  /** Whether something of the account is untold. */
  holds(accountId: number): boolean {
    return this.#accounts.has(accountId);
  }

  async tell(message: Message): Promise<void> {
    // While others of its account wait to be told, nobody is held up by a try of its own.
    if (this.holds(message.accountId)) return this.add(message, 'first');
    try {
      await message.tell('first');
    } catch (error) {
      this.add(message, hadNoEffect(error) ? 'first' : 'again');
    }
  }

  add(message: Message, hearing: Repetition): void {
    if (this.#untold.size >= this.#sizeMax) this.#dropOldest();
    const account = this.#accounts.get(message.accountId) ?? { untold: new Set(), telling: undefined };
    const untold = { message, hearing };
    account.untold.add(untold);
    this.#untold.add(untold);
    this.#accounts.set(message.accountId, account);
    this.#plan();
  }

  /** Tells now what would be told soon of an account; whether all of it was heard. */
  async hurry(accountId: number): Promise<boolean> {
    // A try that is under way may have begun before Redis was back.
    await this.#accounts.get(accountId)?.telling;
    const account = this.#accounts.get(accountId);
    return account === undefined || this.#tellAll(account);
  }

  /** What is still untold frees itself by the time to live of its lease. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#retelling;
    await this.#retell();
  }

  #plan(): void {
    if (this.#closed || this.#timer !== undefined || this.#untold.size === 0) return;
    this.#timer = setTimeout(() => {
      this.#retelling = this.#retell().finally(() => {
        this.#timer = undefined;
        this.#retelling = undefined;
        this.#plan();
      });
    }, GATE_RETELL_MS).unref();
  }

  /** So many accounts at once, and of each so many messages. */
  async #retell(): Promise<void> {
    const tell = (account: Account): Promise<boolean> => this.#tellAll(account);
    const heard = await goRound(this.#accounts, GATE_UNTOLD_AT_ONCE, tell);
    if (heard && this.#dropped > 0) {
      this.#log.warn(
        { dropped: this.#dropped },
        'redis never heard how these calls ended; their holds run out',
      );
      this.#dropped = 0;
    }
  }

  #tellAll(account: Account): Promise<boolean> {
    account.telling ??= this.#tellInOrder(account).finally(() => {
      account.telling = undefined;
    });
    return account.telling;
  }

  /** Until all is told, or something is not heard. */
  async #tellInOrder({ untold }: Account): Promise<boolean> {
    while (untold.size > 0) {
      const batch = firstOf(untold);
      const heard = await Promise.all(batch.map((item) => this.#tellAgain(item)));
      if (heard.includes(false)) return false;
    }
    return true;
  }

  async #tellAgain(untold: Untold): Promise<boolean> {
    try {
      await untold.message.tell(untold.hearing);
    } catch (error) {
      if (!hadNoEffect(error)) untold.hearing = 'again';
      return false;
    }
    this.#forget(untold);
    return true;
  }

  #dropOldest(): void {
    const [oldest] = this.#untold;
    if (oldest === undefined) return;
    this.#forget(oldest);
    oldest.message.drop?.();
    if (this.#dropped === 0) this.#log.warn({ kept: this.#sizeMax }, 'redis is away too long to be told all');
    this.#dropped += 1;
  }

  #forget(untold: Untold): void {
    const { accountId } = untold.message;
    const account = this.#accounts.get(accountId);
    this.#untold.delete(untold);
    account?.untold.delete(untold);
    if (account?.untold.size === 0) this.#accounts.delete(accountId);
  }
}

function firstOf(untold: ReadonlySet<Untold>): readonly Untold[] {
  const first: Untold[] = [];
  for (const item of untold) {
    if (first.length === GATE_UNTOLD_AT_ONCE) break;
    first.push(item);
  }
  return first;
}
