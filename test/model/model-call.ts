import { INPUT_PRICE } from './steps.ts';

/** What the reference knows of one call, and the arithmetic that needs nothing else. */
export interface Window {
  readonly name: 'requests' | 'tokens' | 'amount' | 'coverage';
  readonly scope: string;
  readonly seconds: number;
  readonly limit: bigint;
  readonly startedAtMs: number;
}

export interface Tokens {
  readonly input: number;
  readonly output: number;
}

export interface ModelCall {
  readonly id: string;
  readonly createdAtMs: number;
  readonly input: number;
  readonly windows: Window[];
  /** Yuan per million output tokens when the call was routed; nothing for own credentials. */
  outputPrice: bigint | undefined;
  payer: 'subscription' | 'credits' | 'byok';
  pots: Window[];
  heldMicro: bigint;
  /** What stood in the journal last, and would be left after a crash. */
  openHeldMicro: bigint;
  holdMonth: string;
  autoExchange: boolean;
  capMicro: bigint;
  /** The cap it was settled under; nothing when there was none. */
  settledCapMicro: bigint | undefined;
  produced: Tokens;
  marked: Tokens | undefined;
  state: 'running' | 'ended' | 'settled';
  amountMicro: bigint;
  chargeMicro: bigint;
  /** What the windows count of it: not always all, see `restart`. */
  countedMicro: bigint;
  countedTokens: number;
  paidMicro: bigint;
}

export interface Ask {
  readonly id: string;
  readonly input: number;
  /** Nothing: the request does not say. */
  readonly most: number | undefined;
  readonly outputPrice: bigint | undefined;
}

/** Why not, and for how long. */
export interface Refused {
  readonly reason: string;
  readonly waitMs: number;
}

export type Hurdle = Omit<Window, 'startedAtMs'>;

export function counts(call: ModelCall, window: Window): boolean {
  return call.pots.includes(window) || call.windows.includes(window);
}

/** One exact product, cut at six decimals; the account pays nine tenths. */
export function costMicro({ input, output }: Tokens, outputPrice: bigint | undefined): bigint {
  if (outputPrice === undefined) return 0n;
  return ((BigInt(input) * INPUT_PRICE + BigInt(output) * outputPrice) * 90n) / 100n / 1_000_000n;
}

export function sum<Item>(items: readonly Item[], of: (item: Item) => bigint): bigint {
  return items.reduce((total, item) => total + of(item), 0n);
}

export const least = (amounts: readonly bigint[]): bigint =>
  amounts.reduce((one, other) => (one < other ? one : other));
export const larger = (one: bigint, other: bigint): bigint => (one > other ? one : other);

/** It cost more than was held for it. */
export function isOverrun(call: ModelCall): boolean {
  return call.chargeMicro > call.heldMicro;
}
