import type { ReactNode } from 'react';
import { money, NOTHING } from '../../../parts/text/format.ts';
import { Dim } from '../../../parts/text/text.tsx';
import type { Call } from '../search.ts';

type Charged = Pick<Call, 'payer' | 'verdict' | 'amount' | 'credits'>;

const ZERO = /^0(\.0*)?$/;

function isServed({ verdict }: Charged): boolean {
  return verdict === 'complete' || verdict === 'cut-by-client';
}

/** What was paid for a call; else who bears it; nothing for a call that failed and was not charged. */
export function costOf(call: Charged, payers: Readonly<Record<Call['payer'], string>>): ReactNode {
  const { payer, verdict, amount, credits } = call;
  if (payer === 'none' || verdict === 'refused') return NOTHING;
  if (!isServed(call) && (payer !== 'credits' || ZERO.test(credits))) return NOTHING;
  return payer === 'credits' ? money(amount, { decimals: 6 }) : <Dim>{payers[payer]}</Dim>;
}
