import type { Logger } from '../../kernel/log.ts';
import { GATE_RETELL_MS, GATE_UNTOLD_AT_ONCE, GATE_UNTOLD_MAX } from './bounds.ts';
import { goRound } from './round.ts';
import { hadNoEffect } from './script.ts';
import type { Repetition } from './script-arguments.ts';

/** A message that Redis must get sooner or later. `tell` sends it, and may be called again. */
export interface Message {
  readonly accountId: number;
  tell(hearing: Repetition): Promise<void>;
  /** It was dropped, because too many messages wait. */
  drop?(): void;
}

interface Untold {
  readonly message: Message;
  /** `again` once it may have arrived. */
  hearing: Repetition;
}

/** The waiting messages of one account. Servers of a cluster fail independently. */
interface Account {
  /** In order; each stays until Redis has answered. */
  readonly untold: Set<Untold>;
  telling: Promise<boolean> | undefined;
}

/**
 * Sends messages that must not be lost: at once, and after a failure again and again until Redis answers. A
 * message that arrives twice changes nothing, so order and repetition do no harm.
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

  /** Whether messages of the account wait. */
  holds(accountId: number): boolean {
    return this.#accounts.has(accountId);
  }

  async tell(message: Message): Promise<void> {
    // While messages of its account wait, a new one waits too and makes no attempt of its own.
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

  /** Sends the waiting messages of an account now. Returns whether all of them arrived. */
  async hurry(accountId: number): Promise<boolean> {
    // An attempt in progress may have begun before Redis was back.
    await this.#accounts.get(accountId)?.telling;
    const account = this.#accounts.get(accountId);
    return account === undefined || this.#tellAll(account);
  }

  /** What is not sent expires with the lease. */
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

  /** A bounded number of accounts at once, and of messages for each. */
  async #retell(): Promise<void> {
    const tell = (account: Account): Promise<boolean> => this.#tellAll(account);
    const heard = await goRound(this.#accounts, GATE_UNTOLD_AT_ONCE, tell);
    if (heard && this.#dropped > 0) {
      this.#log.warn(
        { dropped: this.#dropped },
        'ends of calls were dropped before they reached Redis; their holds expire there',
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

  /** Until all are sent, or one fails. */
  async #tellInOrder({ untold }: Account): Promise<boolean> {
    while (untold.size > 0) {
      const batch = selectBatch(untold);
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
    if (this.#dropped === 0)
      this.#log.warn(
        { kept: this.#sizeMax },
        'Redis does not answer for too long: the oldest ends of calls are dropped',
      );
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

function selectBatch(untold: ReadonlySet<Untold>): readonly Untold[] {
  const first: Untold[] = [];
  for (const item of untold) {
    if (first.length === GATE_UNTOLD_AT_ONCE) break;
    first.push(item);
  }
  return first;
}
