import { costMicro, creditsMicro, outputTokensFor } from '../../catalog/price.ts';
import type { Lease } from '../../gate/contract.ts';
import type { ErrorName } from '../../kernel/errors.ts';
import { MICRO, maxMicro, minMicro } from '../../kernel/money.ts';
import { NO_USAGE, type Usage } from '../../kernel/usage.ts';
import { SHORTAGE_ERRORS } from '../admit/enter.ts';
import type { AttemptContext } from '../attempt/attempt-context.ts';

/** Credits asked for beyond what is already spent when a hold is extended. */
const EXTENSION_MICRO = 10n * MICRO;
/** A token is two bytes and more: so many may pass for each that is left before a tight hold is looked at. */
const BYTES_PER_TOKEN = 2;
/** Output that a hold keeps back, so that what comes between two looks is paid for. */
const RESERVE: Usage = { ...NO_USAGE, outputText: 32 };

/** What a stream does about its hold. */
export interface HeldStream {
  /** The gate is elsewhere and is being asked. */
  pause(): void;
  resume(): void;
  /** Nothing is free: the stream is to be stopped. */
  short(errorName: ErrorName): void;
}

/** Rule L-32: a stream whose cost reaches its hold gets more, or is stopped like a cut one. */
export class HoldWatch {
  readonly #context: AttemptContext;
  readonly #stream: HeldStream;
  #bytesToCheck = Number.POSITIVE_INFINITY;
  /** What TLS had read already comes although we paused: one question at a time. */
  #extending = false;
  /** The stream is stopped because nothing is free. */
  isShort = false;

  constructor(context: AttemptContext, stream: HeldStream) {
    this.#context = context;
    this.#stream = stream;
  }

  get extending(): boolean {
    return this.#extending;
  }

  /** The stream begins: what is not held in full is looked at closely. */
  begin(): void {
    const { call, wantMicro } = this.#context;
    if (call.lease !== undefined && call.lease.heldMicro < wantMicro) this.#bytesToCheck = 0;
  }

  /** Bytes came. True: so many since the last look that the hold may be used up. */
  passed(bytes: number): boolean {
    this.#bytesToCheck -= bytes;
    return this.#bytesToCheck <= 0;
  }

  /** `likely` is what was seen, with what the model may have written unseen. */
  look(seen: Usage, likely: Usage): void {
    const { call, wantMicro, shareMicro, deps } = this.#context;
    const { lease, price } = call;
    if (this.#extending || lease === undefined || price === undefined || lease.payer === 'none') return;
    const { creditsPerYuan } = deps.settlement;
    const seenMicro = creditsMicro(costMicro(seen, price), creditsPerYuan);
    const spentMicro = likely === seen ? seenMicro : creditsMicro(costMicro(likely, price), creditsPerYuan);
    const tight = lease.heldMicro < wantMicro;
    const reserveMicro = tight ? creditsMicro(costMicro(RESERVE, price), creditsPerYuan) : 0n;
    const usableMicro = lease.heldMicro - reserveMicro;
    this.#bytesToCheck = tight
      ? outputTokensFor(usableMicro - seenMicro, price, creditsPerYuan) * BYTES_PER_TOKEN
      : Number.POSITIVE_INFINITY;
    // Whoever holds all that the call may cost has reached the end of it, and needs no more.
    if (tight ? spentMicro < usableMicro : spentMicro <= usableMicro) return;
    const beyondMicro = spentMicro - lease.heldMicro;
    const stepMicro = minMicro(wantMicro - lease.heldMicro, beyondMicro + shareMicro);
    const moreMicro = maxMicro(stepMicro, beyondMicro + EXTENSION_MICRO);
    const granted = deps.gate.extend(lease, moreMicro);
    // More is asked for what nobody has seen; but nobody is stopped for a guess.
    const short = (): void => {
      if (seenMicro < usableMicro) return;
      this.isShort = true;
      this.#stream.short(shortageOf(lease));
    };
    if (granted instanceof Promise) this.#extendLater(granted, short);
    else if (granted === 0n) short();
  }

  #extendLater(granted: Promise<bigint>, short: () => void): void {
    this.#extending = true;
    this.#stream.pause();
    this.#context.deps.tasks.run('gate.extend', async () => {
      const grantedMicro = await granted.catch(() => 0n);
      this.#extending = false;
      if (grantedMicro === 0n) short();
      this.#stream.resume();
    });
  }
}

/** A gate that grants nothing and names no shortage cannot be reached: nothing is known to be free. */
function shortageOf({ shortOf }: Lease): ErrorName {
  return shortOf === undefined ? 'unavailable' : SHORTAGE_ERRORS[shortOf];
}
