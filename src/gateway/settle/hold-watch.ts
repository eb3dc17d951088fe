import { costMicro, creditsMicro, outputTokensFor } from '../../catalog/price.ts';
import type { Lease } from '../../gate/contract.ts';
import type { ErrorName } from '../../kernel/errors.ts';
import { MICRO, maxMicro, minMicro } from '../../kernel/money.ts';
import { NO_USAGE, type Usage } from '../../kernel/usage.ts';
import { SHORTAGE_ERRORS } from '../admit/enter.ts';
import type { AttemptContext } from '../attempt/attempt-context.ts';

/** When a hold is extended: the Credits requested beyond what is already spent. */
const EXTENSION_MICRO = 10n * MICRO;
/**
 * A token has at least two bytes: this many may pass per remaining token before a tight hold is checked
 * again.
 */
const BYTES_PER_TOKEN = 2;
/** Output that a tight hold keeps in reserve, to pay for what arrives between two checks. */
const RESERVE: Usage = { ...NO_USAGE, outputText: 32 };

/** How a stream reacts to its hold. */
export interface HeldStream {
  /** A remote gate is being asked. */
  pause(): void;
  resume(): void;
  /** No more money is free: the stream must stop. */
  short(errorName: ErrorName): void;
}

/** Rule L-32: a stream whose cost reaches its hold gets more, or is stopped like a cut one. */
export class HoldWatch {
  readonly #context: AttemptContext;
  readonly #stream: HeldStream;
  #bytesToCheck = Number.POSITIVE_INFINITY;
  /** Bytes that TLS has already read arrive even after a pause, so only one extension runs at a time. */
  #extending = false;
  /** The stream is stopped because no more money is free. */
  isShort = false;

  constructor(context: AttemptContext, stream: HeldStream) {
    this.#context = context;
    this.#stream = stream;
  }

  get extending(): boolean {
    return this.#extending;
  }

  /** The stream begins. If the call is not held in full, its cost is checked closely. */
  begin(): void {
    const { call, wantMicro } = this.#context;
    if (call.lease !== undefined && call.lease.heldMicro < wantMicro) this.#bytesToCheck = 0;
  }

  /** Counts arrived bytes. True: so many since the last check that the hold may be used up. */
  passed(bytes: number): boolean {
    this.#bytesToCheck -= bytes;
    return this.#bytesToCheck <= 0;
  }

  /** `seen` is the visible usage; `likely` also has the invisible output. */
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
    // If all that the call may cost is held, it needs no more.
    if (tight ? spentMicro < usableMicro : spentMicro <= usableMicro) return;
    const beyondMicro = spentMicro - lease.heldMicro;
    const stepMicro = minMicro(wantMicro - lease.heldMicro, beyondMicro + shareMicro);
    const moreMicro = maxMicro(stepMicro, beyondMicro + EXTENSION_MICRO);
    const granted = deps.gate.extend(lease, moreMicro);
    // Invisible output may extend the hold, but a stream is never stopped for a guess.
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

/** A gate that grants nothing and names no shortage is unreachable. */
function shortageOf({ shortOf }: Lease): ErrorName {
  return shortOf === undefined ? 'unavailable' : SHORTAGE_ERRORS[shortOf];
}
