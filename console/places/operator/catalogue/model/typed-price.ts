import { toAmount } from '../changes/document.ts';

const PRICE = /^\d+(?:\.\d{1,6})?$/;
const CHANGE = /^([+\-−])\s*(\d+)(?:\.(\d+))?\s*%$/;
const BEGUN = /^[+\-−][\d.\s]*$/;
/** Prices have six decimals. */
const DECIMALS = 6;
const MILLION = 10n ** BigInt(DECIMALS);

export function isPrice(text: string): boolean {
  return PRICE.test(text);
}

function toMicro(price: string): bigint {
  const [whole = '0', fraction = ''] = price.split('.');
  return BigInt(whole) * MILLION + BigInt(fraction.padEnd(DECIMALS, '0'));
}

function fromMicro(micro: bigint): string {
  const fraction = String(micro % MILLION)
    .padStart(DECIMALS, '0')
    .replace(/0+$/, '');
  return fraction === '' ? String(micro / MILLION) : `${micro / MILLION}.${fraction}`;
}

/** `+10%` of a price, exact, rounded half up to six decimals. A price to enter: nothing is charged by it. */
export function changedPrice(price: string, change: string): string | undefined {
  const [, sign, whole = '', fraction = ''] = CHANGE.exec(change) ?? [];
  if (sign === undefined || !isPrice(price)) return undefined;
  const hundred = 100n * 10n ** BigInt(fraction.length);
  const step = BigInt(whole + fraction);
  const rate = sign === '+' ? hundred + step : hundred - step;
  if (rate < 0n) return undefined;
  return fromMicro((toMicro(price) * rate * 2n + hundred) / (hundred * 2n));
}

/** What was typed into a price: a price, a change of the one in force, or `begun` while a change is typed. */
export function readPrice(typed: string, inForce: string | undefined): string | undefined | { begun: true } {
  const text = toAmount(typed.replace('％', '%'));
  if (text === undefined || inForce === undefined) return text;
  if (BEGUN.test(text)) return { begun: true };
  return changedPrice(inForce, text) ?? text;
}
