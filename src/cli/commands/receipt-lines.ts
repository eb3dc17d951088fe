import type { Receipt } from '../../ledger/receipt.ts';
import { facts, table } from '../table.ts';

/** A receipt from top to bottom: each value follows from those above it. */
export function receiptLines(receipt: Receipt): readonly string[] {
  return [
    '',
    ...priceLines(receipt),
    '',
    ...facts([
      ['paid by', receipt.payer],
      ...paymentFacts(receipt),
      ['taken', `${receipt.credits} Credits`],
      ...(receipt.free_because === null ? [] : [['free', receipt.free_because] as const]),
    ]),
    ...attemptLines(receipt),
    ...entryLines(receipt),
  ];
}

function priceLines(receipt: Receipt): readonly string[] {
  const items = receipt.lines.map(({ item, quantity, price, per, amount }) => [
    item.replaceAll('_', ' '),
    String(quantity),
    per === 1 ? price : `${price} for ${per}`,
    amount,
  ]);
  const rates = receipt.rates.map(({ name, rate, factor }) => [
    name.replaceAll('_', ' '),
    rate,
    `× ${factor}`,
    '',
  ]);
  return table(
    ['PRICE', 'QUANTITY', 'YUAN', 'AMOUNT'],
    [
      ...items,
      ['list price', '', '', receipt.list_amount],
      ...rates,
      ['product', '', '', receipt.product],
      ['rounded off', '', '', receipt.cut],
      ['amount', '', '', receipt.amount],
      ['in Credits', '', `× ${receipt.credits_per_yuan}`, receipt.amount_credits],
    ],
  );
}

/** Values that are zero are left out. */
function paymentFacts(receipt: Receipt): readonly (readonly [string, string])[] {
  const figures: readonly (readonly [string, string, string])[] = [
    ['charge', receipt.charge, 'Credits'],
    ['held', receipt.held, receipt.payer === 'subscription' ? 'Credits of coverage' : 'Credits'],
    ['exchanged', receipt.exchanged, 'yuan of balance'],
    ['shortfall', receipt.shortfall, 'Credits that could not be taken'],
  ];
  return figures
    .filter(([, figure]) => figure !== '0')
    .map(([name, figure, unit]) => [name, `${figure} ${unit}`] as const);
}

function attemptLines({ attempts }: Receipt): readonly string[] {
  if (attempts.length === 0) return [];
  const rows = attempts.map((attempt) => [
    String(attempt.route_id),
    attempt.vendor,
    attempt.credential,
    attempt.outcome,
    `${attempt.duration_ms} ms`,
  ]);
  return ['', ...table(['ROUTE', 'VENDOR', 'CREDENTIAL', 'OUTCOME', 'TIME'], rows)];
}

function entryLines({ entries }: Receipt): readonly string[] {
  if (entries.length === 0) return [];
  const rows = entries.map(({ id, kind, pool, change, after }) => [id, kind, pool, change, after]);
  return ['', ...table(['ENTRY', 'KIND', 'POOL', 'CHANGE', 'AFTER'], rows)];
}
