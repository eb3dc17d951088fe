/** What is measured: databases of several sizes, and what is settled on each of them. */
import type { Size } from './fill.ts';
import type { Draw } from './settle.ts';

export interface Variant extends Size {
  readonly name: string;
  /** Of its accounts, how many call. */
  readonly callers: number;
  /** Smaller ones: it is compared with the first of them on which the same is drawn. */
  readonly against: readonly string[];
}

const TEN = { name: '10 accounts', rows: 1_000, accounts: 10, callers: 10, against: [] };
const THOUSAND = {
  name: '1 000 rows, 1 000 accounts',
  rows: 1_000,
  accounts: 1_000,
  callers: 1_000,
  against: [],
};
const AGAINST_ROWS = { accounts: 1_000, callers: 1_000, against: [THOUSAND.name] };
/** Against ten accounts as far as ten can make the calls. */
const AGAINST_ACCOUNTS = { rows: 1_000, against: [TEN.name, THOUSAND.name] };

export const VARIANTS: readonly Variant[] = [
  THOUSAND,
  { ...AGAINST_ROWS, name: '10 million rows', rows: 10_000_000 },
  TEN,
  { ...AGAINST_ACCOUNTS, name: '100 000 accounts', accounts: 100_000, callers: 100_000 },
  { ...AGAINST_ACCOUNTS, name: '100 000 accounts, 10 call', accounts: 100_000, callers: 10 },
];
export const SMALL: readonly Variant[] = [
  THOUSAND,
  { ...AGAINST_ROWS, name: '200 000 rows', rows: 200_000 },
  TEN,
  { ...AGAINST_ACCOUNTS, name: '5 000 accounts', accounts: 5_000, callers: 5_000 },
  { ...AGAINST_ACCOUNTS, name: '5 000 accounts, 10 call', accounts: 5_000, callers: 10 },
];

/**
 * Few calls, what half a thousand calls a second bring together in SETTLE_WAIT_MS, and a full batch. Apart,
 * they write as many rows however many accounts there are; at random, fewer where few accounts share them.
 */
const DRAWS: readonly Draw[] = [
  { batch: 10, draw: 'apart' },
  { batch: 25, draw: 'apart' },
  { batch: 1_000, draw: 'apart' },
  { batch: 25, draw: 'random' },
  { batch: 1_000, draw: 'random' },
];

/** For each draw the variants it is settled on: ten accounts cannot make 25 calls of different accounts. */
export function drawsOn<Each extends Variant>(
  variants: readonly Each[],
): readonly (readonly (Each & Draw)[])[] {
  return DRAWS.map((draw) =>
    variants
      .filter(({ callers }) => draw.draw === 'random' || draw.batch <= callers)
      .map((variant) => ({ ...variant, ...draw })),
  );
}
