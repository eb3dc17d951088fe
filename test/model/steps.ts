import fc from 'fast-check';

/** What a run may do. `which` picks one of the running calls. */
export type Step =
  | {
      readonly kind: 'begin';
      readonly model: number;
      readonly input: number;
      readonly most: number | undefined;
    }
  | { readonly kind: 'begin-own'; readonly input: number }
  | { readonly kind: 'produce'; readonly which: number; readonly tokens: number; readonly marked: boolean }
  | { readonly kind: 'extend'; readonly which: number; readonly moreMicro: bigint }
  | { readonly kind: 'rehold'; readonly which: number; readonly model: number; readonly own: boolean }
  | { readonly kind: 'end'; readonly which: number; readonly verdict: 'complete' | 'cut-by-client' }
  | { readonly kind: 'release'; readonly which: number }
  | { readonly kind: 'settle' }
  | { readonly kind: 'settle-again'; readonly which: number }
  | { readonly kind: 'top-up'; readonly pool: 'credits' | 'balance'; readonly micro: bigint }
  | { readonly kind: 'exchange'; readonly micro: bigint }
  | { readonly kind: 'auto-exchange'; readonly on: boolean }
  | { readonly kind: 'api-billing'; readonly on: boolean }
  | { readonly kind: 'cap'; readonly micro: bigint }
  | { readonly kind: 'subscribe'; readonly ms: number }
  | { readonly kind: 'unsubscribe' }
  | { readonly kind: 'price'; readonly model: number; readonly output: bigint }
  | { readonly kind: 'advance'; readonly ms: number }
  | { readonly kind: 'next-month' }
  | { readonly kind: 'restart' };

/** Small figures, so that random runs reach every limit: 1 Credit is 1 000 micro-yuan. */
export const POLICY = [
  { dimension: 'requests', seconds: 5, limit: 6n },
  { dimension: 'amount', seconds: 10, limit: 60_000n },
  { dimension: 'tokens', seconds: 20, limit: 400n },
] as const;
export const COVERAGE = [
  { seconds: 5, amountMicro: 8_000n },
  { seconds: 60, amountMicro: 25_000n },
] as const;
export const CREDITS_PER_YUAN = 1_000;
/** The most output tokens that the models can make. */
export const LONGEST = 600;
/** Micro-yuan per million input tokens, for every model. */
export const INPUT_PRICE = 10_000_000n;
/** The first prices of output; a step may change them. */
export const OUTPUT_PRICES = [100_000_000n, 33_333_333n] as const;
/** The account has a discount, so that amounts have to be cut. */
export const USER_RATE = 90_000_000n;
export const BEGIN_MS = Date.UTC(2026, 10, 20, 12);
/** Long enough to be in another month, whatever the day. */
export const MONTH_MS = 31 * 86_400_000;

const which = fc.nat(9);
const model = fc.nat(1);
const input = fc.constantFrom(0, 7, 40);

function step<Kind extends Step['kind'], Rest>(kind: Kind, rest: fc.Arbitrary<Rest>) {
  return rest.map((fields) => ({ kind, ...fields }));
}

const begin = step('begin', fc.record({ model, input, most: fc.constantFrom(5, 30, 90, 300, undefined) }));
const amount = fc.oneof(fc.bigInt({ min: 1n, max: 15_000_000n }), fc.constant(90_000_000n));
const yuan = fc.bigInt({ min: 1n, max: 15_000n });
const nothing = fc.constant({});

const CHOICES: readonly (readonly [number, fc.Arbitrary<Step>])[] = [
  [12, begin],
  [1, step('begin-own', fc.record({ input }))],
  [8, step('produce', fc.record({ which, tokens: fc.constantFrom(1, 9, 30, 80), marked: fc.boolean() }))],
  [4, step('extend', fc.record({ which, moreMicro: amount }))],
  [3, step('rehold', fc.record({ which, model, own: fc.boolean() }))],
  [8, step('end', fc.record({ which, verdict: fc.constantFrom('complete', 'cut-by-client') }))],
  [1, step('release', fc.record({ which }))],
  [4, step('settle', nothing)],
  [1, step('settle-again', fc.record({ which }))],
  [2, step('top-up', fc.record({ pool: fc.constant('credits' as const), micro: amount }))],
  [2, step('top-up', fc.record({ pool: fc.constant('balance' as const), micro: yuan }))],
  [1, step('exchange', fc.record({ micro: yuan }))],
  [2, step('auto-exchange', fc.record({ on: fc.boolean() }))],
  [1, step('api-billing', fc.record({ on: fc.constantFrom(true, true, false) }))],
  [2, step('cap', fc.record({ micro: fc.constantFrom(0n, 6_000n, 20_000n) }))],
  [2, step('subscribe', fc.record({ ms: fc.constantFrom(4_000, 3_600_000) }))],
  [1, step('unsubscribe', nothing)],
  [1, step('price', fc.record({ model, output: fc.constantFrom(1_000_000n, 50_000_001n, 120_000_000n) }))],
  // One millisecond before, at and after the end of every window.
  [6, step('advance', fc.record({ ms: fc.constantFrom(1, 999, 4_999, 5_000, 5_001, 10_000, 20_000) }))],
  [1, step('next-month', nothing)],
  [1, step('restart', nothing)],
];

export const anyStep: fc.Arbitrary<Step> = fc.oneof(
  ...CHOICES.map(([weight, arbitrary]) => ({ weight, arbitrary })),
);
