import type { Usage } from '../../kernel/usage.ts';
import type { Verdict } from '../../ledger/contract.ts';
import type { StreamRelay } from '../../protocol/dialect.ts';
import { type AttemptContext, completeUsage, likelyInput } from '../attempt/attempt-context.ts';
import type { Spent } from '../attempt/attempt-result.ts';
import type { HiddenOutput } from './hidden-output.ts';
import type { HoldWatch } from './hold-watch.ts';
import { withHeldReasoning } from './secret-reasoning.ts';
import { withinHold } from './within-hold.ts';

/** For the first marks of a stream, one a second, the input is estimated without the tokenizer. */
const MARKS_ESTIMATED = 5;

/** What a stream has used, at any moment of it. */
export class SpentSoFar {
  readonly #context: AttemptContext;
  readonly #relay: StreamRelay;
  readonly #hiddenOutput: HiddenOutput;
  readonly #hold: HoldWatch;
  #marks = 0;

  constructor(
    context: AttemptContext,
    relay: StreamRelay,
    watched: { hidden: HiddenOutput; hold: HoldWatch },
  ) {
    this.#context = context;
    this.#relay = relay;
    this.#hiddenOutput = watched.hidden;
    this.#hold = watched.hold;
  }

  /**
   * For a mark. Counting the input costs as much as some hundred events, and a mark is read only after a
   * crash. So the first marks use the cheap estimate. An answer that the client sees complete is counted in
   * full.
   */
  mark(kind: 'passing' | 'final'): Usage {
    const seen = this.#relay.usage();
    this.#marks++;
    if (seen.inputReported || kind === 'final' || this.#marks > MARKS_ESTIMATED) {
      return completeUsage(this.#context, seen).usage;
    }
    return { ...seen.usage, inputFresh: likelyInput(this.#context) };
  }

  /** What is charged if the answer ends now, early. */
  cut(verdict: Verdict, now: number): Spent {
    const seen = completeUsage(this.#context, this.#relay.usage());
    const { images } = this.#context.facts;
    // Images are produced whole or not at all: a client that leaves meanwhile pays for all that it requested.
    const left = verdict === 'cut-by-client' && images > seen.usage.images;
    const known = left ? { ...seen.usage, images } : this.#limitToHold(seen.usage);
    // If the vendor cut the answer, only what arrived is charged, without a guess.
    const isGuessed = verdict !== 'cut-by-upstream';
    const usage = isGuessed ? this.#hiddenOutput.addTo(known, now, withHeldReasoning) : known;
    return { usage, estimated: seen.estimated || usage !== seen.usage };
  }

  #limitToHold(usage: Usage): Usage {
    const { call, deps } = this.#context;
    if (!this.#hold.isShort || call.lease === undefined || call.price === undefined) return usage;
    return withinHold(usage, call.lease.heldMicro, call.price, deps.settlement.creditsPerYuan);
  }
}
