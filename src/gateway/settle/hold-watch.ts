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
const RESERVE_TOKENS = 32;
const RESERVE: Usage = { ...NO_USAGE, outputText: RESERVE_TOKENS };
const SLICE_BYTES_MIN = RESERVE_TOKENS * BYTES_PER_TOKEN;

/** How a stream reacts to its hold. */
export interface HeldStream {
  /** A remote gate is being asked. */
  pause(): void;
  resume(): void;
  /** No more money is free: the stream must stop. */
  short(errorName: ErrorName): void;
}

interface HeldMoney {
  readonly heldMicro: bigint;
  /** Less than the call may cost. */
  readonly isTight: boolean;
  micro(usage: Usage): bigint;
  /** Output tokens that an amount pays for. */
  tokens(restMicro: bigint): number;
}

/** Rule L-32: a stream whose cost reaches its hold gets more, or is stopped like a cut one. */
export class HoldWatch {
  readonly #context: AttemptContext;
  readonly #stream: HeldStream;
  #bytesToCheck = Number.POSITIVE_INFINITY;
  #extending = false;
  /** The stream is stopped because no more money is free. */
  isShort = false;

  constructor(context: AttemptContext, stream: HeldStream) {
    this.#context = context;
    this.#stream = stream;
    const { call, wantMicro } = context;
    // If the call is not held in full, its cost is checked closely.
    if (call.lease !== undefined && call.lease.heldMicro < wantMicro) this.#bytesToCheck = 0;
  }

  /** As many bytes as the hold pays for, whatever they are, before the next check. */
  get sliceBytes(): number {
    return Math.max(this.#bytesToCheck, SLICE_BYTES_MIN);
  }

  get extending(): boolean {
    return this.#extending;
  }

  /** Counts arrived bytes. True: so many since the last check that the hold may be used up. */
  passed(bytes: number): boolean {
    this.#bytesToCheck -= bytes;
    return this.#bytesToCheck <= 0;
  }

  /** `seen` is the visible usage; `likely` also has the invisible output. */
  look(seen: Usage, likely: Usage): void {
    const held = this.#held();
    if (held === undefined) return;
    const { heldMicro, isTight, micro } = held;
    const seenMicro = micro(seen);
    const usableMicro = isTight ? heldMicro - micro(RESERVE) : heldMicro;
    this.#bytesToCheck = isTight ? held.tokens(usableMicro - seenMicro) * BYTES_PER_TOKEN : Infinity;
    const spentMicro = likely === seen ? seenMicro : micro(likely);
    // If all that the call may cost is held, it needs no more.
    if (isTight ? spentMicro < usableMicro : spentMicro <= usableMicro) return;
    // Invisible output may extend the hold, but a stream is never stopped for a guess.
    this.#extend(spentMicro - heldMicro, seenMicro < usableMicro ? 'goes-on' : 'stops');
  }

  /** The answer is complete. What a tight hold does not pay for is not sent on. */
  lookAtEnd(seen: Usage): void {
    const held = this.#held();
    if (held === undefined || !held.isTight) return;
    const beyondMicro = held.micro(seen) - held.heldMicro;
    if (beyondMicro > 0n) this.#extend(beyondMicro, 'stops');
  }

  /** The hold as it is now, and how money and tokens are converted. Undefined: nothing is checked now. */
  #held(): HeldMoney | undefined {
    const { call, wantMicro, deps } = this.#context;
    const { lease, price } = call;
    if (this.#extending || lease === undefined || price === undefined || lease.payer === 'none') return;
    const { creditsPerYuan } = deps.settlement;
    return {
      heldMicro: lease.heldMicro,
      isTight: lease.heldMicro < wantMicro,
      micro: (usage) => creditsMicro(costMicro(usage, price), creditsPerYuan),
      tokens: (restMicro) => outputTokensFor(restMicro, price, creditsPerYuan),
    };
  }

  #extend(beyondMicro: bigint, without: 'goes-on' | 'stops'): void {
    const { call, wantMicro, shareMicro, deps } = this.#context;
    const { lease } = call;
    if (lease === undefined) return;
    const stepMicro = minMicro(wantMicro - lease.heldMicro, beyondMicro + shareMicro);
    const granted = deps.gate.extend(lease, maxMicro(stepMicro, beyondMicro + EXTENSION_MICRO));
    const short = (): void => {
      if (without === 'goes-on') return;
      this.isShort = true;
      this.#stream.short(toShortageError(lease));
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
function toShortageError({ shortOf }: Lease): ErrorName {
  return shortOf === undefined ? 'unavailable' : SHORTAGE_ERRORS[shortOf];
}
