import { setTimeout as sleep } from 'node:timers/promises';
import type { Member } from './visitor.ts';

/** Millionths of an amount as a page or the API writes it: ¥1,284.50. */
export function micro(text: string | null | undefined): bigint {
  const [, whole = '', decimals = ''] = /^¥?([\d,]+)(?:\.(\d{1,6}))?$/.exec(text?.trim() ?? '') ?? [];
  if (whole === '') throw new Error(`no amount: ${text}`);
  return BigInt(whole.replaceAll(',', '') + decimals.padEnd(6, '0'));
}

/** Waits until so many calls of the account are settled, and returns its sums. */
export async function settledCalls(member: Member, calls: number) {
  const total = async () => (await member.ask('GET', '/stats/overview')).body.data.total;
  let found = await total();
  for (; found.calls !== calls; found = await total()) await sleep(50);
  return found;
}

/** What the ledger has charged: the consumptions of the account, one by one. */
export async function chargedMicro(member: Member): Promise<bigint> {
  const { body } = await member.ask('GET', '/consumption-log/page?size=100');
  return body.data.reduce((sum: bigint, { amount }: { amount: string }) => sum + micro(amount), 0n);
}
