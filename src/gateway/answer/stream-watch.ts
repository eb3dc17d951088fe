import type { Measured } from '../../upstream/health/speed.ts';
import type { HiddenReasoning } from '../settle/secret-reasoning.ts';

export interface StreamTimes {
  readonly keepAliveMs: number;
  readonly clientStallMs: number;
}

/**
 * `waiting`: no event yet. `first-error`: the first event is an error. `foreign`: this is not a stream.
 * `no-room`: not enough memory. `flowing`: the answer is on its way.
 */
export type StreamState = 'waiting' | 'first-error' | 'foreign' | 'no-room' | 'flowing';

/** How a stream reports to its attempt and asks it. */
export interface StreamWatch {
  /** The first event has arrived. */
  began(): void;
  /** The answer was complete; `measured` is what its vendor reported. */
  measured(measured: Measured): void;
  secretReasoning(): HiddenReasoning;
  ended(outcome: string): void;
  /** Runs work that a timer or the gate causes. An error in it ends this call only. */
  guard(work: () => void): void;
}
