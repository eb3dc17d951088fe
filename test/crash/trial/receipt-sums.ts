import type { Receipt } from '../../../src/ledger/receipt.ts';

/** Decimals that every figure of a receipt fits into: a line has 12, and each of six rates up to 8 more. */
const DECIMALS = 60;

/** `1.25` as a whole number of the smallest unit. */
function exact(text: string): bigint {
  const [whole = '0', fraction = ''] = text.replace('-', '').split('.');
  const value = BigInt(whole) * 10n ** BigInt(DECIMALS) + BigInt(fraction.padEnd(DECIMALS, '0'));
  return text.startsWith('-') ? -value : value;
}

const UNIT = 10n ** BigInt(DECIMALS);
const MICRO = 10n ** BigInt(DECIMALS - 6);

/**
 * Recomputes a receipt as a person with paper would, from its own lines and nothing else, and tells each
 * figure that does not follow.
 */
export function wrongSums(receipt: Receipt): readonly string[] {
  const wrong: string[] = [];
  const check = (name: string, said: string, expected: bigint): void => {
    if (exact(said) !== expected) wrong.push(`${receipt.call_id} ${name}: ${said}`);
  };
  let list = 0n;
  for (const { item, quantity, price, per, amount } of receipt.lines) {
    check(item, amount, (BigInt(quantity) * exact(price)) / BigInt(per));
    list += exact(amount);
  }
  check('list_amount', receipt.list_amount, list);
  let product = list;
  for (const { factor } of receipt.rates) product = (product * exact(factor)) / UNIT;
  check('product', receipt.product, product);
  const amount = product - (product % MICRO);
  check('amount', receipt.amount, amount);
  check('cut', receipt.cut, product - amount);
  const credits = amount * BigInt(receipt.credits_per_yuan);
  check('amount_credits', receipt.amount_credits, credits);
  const isCharged = receipt.payer === 'credits' && credits >= UNIT;
  check('charge', receipt.charge, isCharged ? credits : 0n);
  check('credits', receipt.credits, exact(receipt.charge) - exact(receipt.shortfall));
  if (isCharged !== (receipt.free_reason === null)) wrong.push(`${receipt.call_id} ${receipt.free_reason}`);
  const taken = receipt.entries.filter(({ kind, pool }) => kind === 'consumption' && pool === 'credits');
  check('entries', receipt.credits, -taken.reduce((sum, { change }) => sum + exact(change), 0n));
  return wrong;
}
