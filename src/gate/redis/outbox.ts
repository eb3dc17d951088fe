import { GATE_RETELL_MS, GATE_UNTOLD_AT_ONCE, GATE_UNTOLD_MAX } from '../../bounds.ts';
import type { Logger } from '../../kernel/log.ts';
import type { Hearing } from './line.ts';
import { hadNoEffect } from './script.ts';

/** Something Redis must hear, sooner or later. `tell` says it, and may be called again. */
export interface Message {
  tell(hearing: Hearing): Promise<void>;
  /** It was given up, because too much is untold. */
  drop?(): void;
}

interface Untold {
  readonly message: Message;
  /** `again` once it may have been heard. */
  hearing: Hearing;
}

/**
 * Tells Redis what must not be lost: at once, and when that fails again and again until it is heard. Every
 * message changes nothing when it is heard twice, so order and repetition do no harm.
 */
export class Outbox {
  readonly #log: Logger;
  #untold: Untold[] = [];
  #timer: NodeJS.Timeout | undefined;
  #retelling: Promise<boolean> | undefined;
  #closed = false;
  #dropped = 0;
  readonly #sizeMax: number;

  constructor(log: Logger, sizeMax: number = GATE_UNTOLD_MAX) {
    this.#log = log;
    this.#sizeMax = sizeMax;
  }

  get size(): number {
    return this.#untold.length;
  }

  async tell(message: Message): Promise<void> {
    // While others wait to be told, nobody is held up by a try of its own.
    if (this.#untold.length > 0) return this.add(message, 'first');
    try {
      await message.tell('first');
    } catch (error) {
      this.add(message, hadNoEffect(error) ? 'first' : 'again');
    }
  }

  add(message: Message, hearing: Hearing): void {
    if (this.#untold.length >= this.#sizeMax) {
      this.#untold.shift()?.message.drop?.();
      if (this.#dropped === 0)
        this.#log.warn({ kept: this.#sizeMax }, 'redis is away too long to be told all');
      this.#dropped += 1;
    }
    this.#untold.push({ message, hearing });
    this.#plan();
  }

  /** Tells now what would be told soon; whether all of it was heard. */
  async hurry(): Promise<boolean> {
    await this.#retelling;
    return this.#retell();
  }

  /** What is still untold frees itself by the time to live of its lease. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#retelling;
    await this.#retell();
  }

  #plan(): void {
    if (this.#closed || this.#timer !== undefined || this.#untold.length === 0) return;
    this.#timer = setTimeout(() => {
      this.#retelling = this.#retell().finally(() => {
        this.#timer = undefined;
        this.#retelling = undefined;
        this.#plan();
      });
    }, GATE_RETELL_MS).unref();
  }

  /** Until all is told, or something is not heard. */
  async #retell(): Promise<boolean> {
    let heard = true;
    while (heard && this.#untold.length > 0) {
      const batch = this.#untold.splice(0, GATE_UNTOLD_AT_ONCE);
      const unheard = (await Promise.all(batch.map(retell))).filter((item) => item !== undefined);
      heard = unheard.length === 0;
      if (!heard) this.#untold = [...unheard, ...this.#untold];
    }
    if (heard && this.#dropped > 0) {
      this.#log.warn(
        { dropped: this.#dropped },
        'redis never heard how these calls ended; their holds run out',
      );
      this.#dropped = 0;
    }
    return heard;
  }
}

/** The message, when it was not heard. */
async function retell(untold: Untold): Promise<Untold | undefined> {
  try {
    await untold.message.tell(untold.hearing);
    return undefined;
  } catch (error) {
    if (!hadNoEffect(error)) untold.hearing = 'again';
    return untold;
  }
}
