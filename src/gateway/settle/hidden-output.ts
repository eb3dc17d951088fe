import type { Usage } from '../../kernel/usage.ts';
import type { StreamRelay } from '../../protocol/dialect.ts';
import type { Passage } from '../attempt/attempt-context.ts';
import type { SecretReasoning, withHeldReasoning } from './secret-reasoning.ts';
import { Silence } from './silence.ts';

/** What the model of one streamed answer may have written although nobody saw it. */
export class Unseen {
  readonly #passage: Passage;
  readonly #relay: StreamRelay;
  readonly #ask: () => SecretReasoning;
  readonly #headAt: number;
  readonly #silence: Silence;
  #secret: SecretReasoning | undefined;
  #generatedEvents = 0;
  #skippedMs = 0;

  /** From the head of the answer on. `ask` is called when it matters: for most streams it never does. */
  constructor(passage: Passage, relay: StreamRelay, ask: () => SecretReasoning) {
    this.#passage = passage;
    this.#relay = relay;
    this.#ask = ask;
    this.#headAt = passage.carriage.clock.monotonic();
    this.#silence = new Silence(this.#headAt);
  }

  /** Bytes came. */
  passed(now: number): void {
    const { generatedEvents } = this.#relay;
    if (this.#generatedEvents === generatedEvents) return;
    this.#generatedEvents = generatedEvents;
    this.#silence.broken(now);
  }

  /** The vendor was not read for so long, because the client did not read. */
  skip(ms: number): void {
    this.#skippedMs += ms;
    this.#silence.skip(ms);
  }

  /** Since the head, without the time in which nobody read. */
  ms(now: number): number {
    return now - this.#headAt - this.#skippedMs;
  }

  /** The answer may cost more by the second, although nothing comes. */
  get isLikely(): boolean {
    return this.#secretly().reasons !== 'never';
  }

  /**
   * What the vendor reported is all there is, and so is what a whole answer says; else what was written in
   * silence is added.
   */
  addTo(usage: Usage, now: number, add: typeof withHeldReasoning): Usage {
    const { reported, concluded, reasoned } = this.#relay;
    if (reported || concluded) return usage;
    const { reasons, tokensPerSecond } = this.#secretly();
    if (reasons === 'never') return usage;
    const ms = this.#silence.ms(now, reasoned ? 'surely' : reasons);
    return add(usage, this.#passage, { tokensPerSecond, ms });
  }

  #secretly(): SecretReasoning {
    this.#secret ??= this.#ask();
    return this.#secret;
  }
}
