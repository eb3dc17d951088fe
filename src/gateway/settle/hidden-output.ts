import type { Usage } from '../../kernel/usage.ts';
import type { StreamRelay } from '../../protocol/dialect.ts';
import type { AttemptContext } from '../attempt/attempt-context.ts';
import { type HiddenReasoning, isOutOfSight, type withHeldReasoning } from './secret-reasoning.ts';
import { Silence } from './silence.ts';

/** Estimates the output of one stream that its model may have produced invisibly. */
export class HiddenOutput {
  readonly #context: AttemptContext;
  readonly #relay: StreamRelay;
  readonly #ask: () => HiddenReasoning;
  readonly #headAt: number;
  readonly #silence: Silence;
  #secret: HiddenReasoning | undefined;
  #generatedEvents = 0;
  #skippedMs = 0;

  /** Starts at the head of the answer. `ask` is called only when needed: for most streams never. */
  constructor(context: AttemptContext, relay: StreamRelay, ask: () => HiddenReasoning) {
    this.#context = context;
    this.#relay = relay;
    this.#ask = ask;
    this.#headAt = context.deps.clock.monotonic();
    this.#silence = new Silence(this.#headAt);
  }

  passed(now: number): void {
    const { generatedEvents } = this.#relay;
    if (this.#generatedEvents === generatedEvents) return;
    this.#generatedEvents = generatedEvents;
    this.#silence.broken(now);
  }

  /** The vendor was not read for this long, because the client did not read. */
  skip(ms: number): void {
    this.#skippedMs += ms;
    this.#silence.skip(ms);
  }

  /** The time since the head, without the time in which the vendor was not read. */
  ms(now: number): number {
    return now - this.#headAt - this.#skippedMs;
  }

  /** The answer may cost more every second, although nothing arrives. */
  get isLikely(): boolean {
    return this.#secretly().reasons !== 'never';
  }

  get isOutOfSight(): boolean {
    return isOutOfSight(this.#secretly(), this.#relay.reasoned ? 'reasoned' : 'shows-nothing');
  }

  /** Adds invisible output to the usage, unless the vendor reported its usage or the answer is complete. */
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
