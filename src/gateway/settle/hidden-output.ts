import type { Usage } from '../../kernel/usage.ts';
import type { StreamRelay } from '../../protocol/dialect.ts';
import type { AttemptContext } from '../attempt/attempt-context.ts';
import type { HiddenReasoning, withHeldReasoning } from './secret-reasoning.ts';
import { Silence } from './silence.ts';

/** What the model of one streamed answer may have written although nobody saw it. */
export class HiddenOutput {
  readonly #context: AttemptContext;
  readonly #relay: StreamRelay;
  readonly #ask: () => HiddenReasoning;
  readonly #headAt: number;
  readonly #silence: Silence;
  #secret: HiddenReasoning | undefined;
  #generatedEvents = 0;
  #skippedMs = 0;

  /** From the head of the answer on. `ask` is called when it matters: for most streams it never does. */
  constructor(context: AttemptContext, relay: StreamRelay, ask: () => HiddenReasoning) {
    this.#context = context;
    this.#relay = relay;
    this.#ask = ask;
    this.#headAt = context.deps.clock.monotonic();
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
    return add(usage, this.#context, { tokensPerSecond, ms });
  }

  #secretly(): HiddenReasoning {
    this.#secret ??= this.#ask();
    return this.#secret;
  }
}
