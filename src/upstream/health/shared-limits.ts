import type { Credential, CredentialLimits, Policy, PolicyWindow } from '../../catalog/contract.ts';
import type { EnterRequest, EnterResult, Lease, SharedGate } from '../../gate/contract.ts';
import type { Tasks } from '../../kernel/async/task.ts';
import { systemRandom } from '../../kernel/random.ts';

/** The wait for a slot of another node, because it is unknown when one will be free. */
const SLOT_WAIT_MS = 100;
const MINUTE_SECONDS = 60;

/** A place in a credential's limits, or the wait for one. `unknown`: the gate is unreachable. */
export type LimitLease = Lease | { readonly waitMs: number } | 'unknown';

type CountingGate = Pick<SharedGate, 'enter' | 'enterBeside' | 'leave' | 'cancel'>;

/**
 * A place that was asked for together with the entry of a call, before its first attempt. It is taken for
 * that attempt, or cancelled.
 */
export interface Reservation {
  /** Undefined if none was asked for after all: then it is asked for by itself. */
  take(): Promise<LimitLease | undefined>;
  /** Returns a place that was not taken. Nothing else happens, also the second time. */
  cancel(): void;
}

/**
 * The limits of credentials that several nodes use. A shared gate counts them, so that they do not grow
 * with the number of nodes. The places of a dead node are released like those of its calls.
 */
export class SharedLimits {
  readonly #gate: CountingGate;
  readonly #tasks: Tasks;
  readonly #policies = new WeakMap<CredentialLimits, Policy>();
  /** Names of attempts are unique over all nodes. */
  readonly #process = systemRandom.bytes(12).toString('hex');
  #attempts = 0;

  constructor(gate: CountingGate, tasks: Tasks) {
    this.#gate = gate;
    this.#tasks = tasks;
  }

  async enter(credential: Credential, tokens: number): Promise<LimitLease> {
    return toLimitLease(await this.#gate.enter(this.#toRequest(credential, tokens)));
  }

  /** To be asked right after the call asked the gate to enter: Redis then decides both at once. */
  reserve(callId: string, credential: Credential, tokens: number): Reservation {
    const asked = this.#enterBeside(callId, credential, tokens);
    let isOpen = true;
    return {
      take: () => {
        const taken = isOpen ? asked : Promise.resolve(undefined);
        isOpen = false;
        return taken;
      },
      cancel: () => {
        if (!isOpen) return;
        isOpen = false;
        this.#tasks.run('return a place in the limits of a credential', async () => {
          const place = await asked;
          if (typeof place === 'object' && 'callId' in place) await this.#gate.cancel(place);
        });
      },
    };
  }

  async #enterBeside(
    callId: string,
    credential: Credential,
    tokens: number,
  ): Promise<LimitLease | undefined> {
    const answer = await this.#gate.enterBeside(callId, this.#toRequest(credential, tokens));
    return answer.kind === 'not-tried' ? undefined : toLimitLease(answer);
  }

  #toRequest({ id, ownerAccountId, limits }: Credential, tokens: number): EnterRequest {
    return {
      callId: `${this.#process}:${++this.#attempts}`,
      // The place of the figures in the gate. The scope says what is counted.
      accountId: ownerAccountId ?? id,
      accountVersion: 0,
      accountAgeMs: 0,
      limits: [
        {
          scope: `${ownerAccountId === undefined ? 'credential' : 'own'}:${id}`,
          policy: this.#toPolicy(limits),
        },
      ],
      inputTokens: tokens,
      images: 0,
      imagesGuess: 0,
      videos: 0,
      money: undefined,
    };
  }

  leave(lease: Lease, tokens: number): void {
    const left = this.#gate.leave(lease, { tokens, amountMicro: 0n, chargeMicro: 0n, images: 0 });
    if (left instanceof Promise) this.#tasks.run('leave the limits of a credential', () => left);
  }

  #toPolicy(limits: CredentialLimits): Policy {
    let policy = this.#policies.get(limits);
    if (policy === undefined) {
      const { concurrency, rpm, tpm } = limits;
      const windows: PolicyWindow[] = [];
      if (rpm !== undefined) windows.push(perMinute('requests', rpm));
      if (tpm !== undefined) windows.push(perMinute('tokens', tpm));
      policy = { id: 0, name: 'credential', concurrency, windows };
      this.#policies.set(limits, policy);
    }
    return policy;
  }
}

function toLimitLease(answer: EnterResult): LimitLease {
  if (answer.kind === 'entered') return answer.lease;
  if (answer.kind !== 'gate-refused') return 'unknown';
  return { waitMs: answer.reason === 'concurrency' ? SLOT_WAIT_MS : answer.retryAfterMs };
}

function perMinute(dimension: 'requests' | 'tokens', limit: number): PolicyWindow {
  return { dimension, seconds: MINUTE_SECONDS, limit: BigInt(limit) };
}

export function isLimited({ concurrency, rpm, tpm }: CredentialLimits): boolean {
  return concurrency !== undefined || rpm !== undefined || tpm !== undefined;
}
