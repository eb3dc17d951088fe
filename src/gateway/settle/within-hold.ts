import { costMicro, creditsMicro, outputTokensFor, type PriceSnapshot } from '../../catalog/price.ts';
import type { Usage } from '../../kernel/usage.ts';

/**
 * Limits the usage of a stream that was stopped for lack of money to what its hold pays for. The output
 * beyond the hold was not delivered, so it is not charged.
 */
export function withinHold(
  usage: Usage,
  heldMicro: bigint,
  price: PriceSnapshot,
  creditsPerYuan: number,
): Usage {
  const overMicro = creditsMicro(costMicro(usage, price), creditsPerYuan) - heldMicro;
  if (overMicro <= 0n) return usage;
  // One token more, because each cost is cut to six decimals separately.
  const over = outputTokensFor(overMicro, price, creditsPerYuan) + 1;
  const text = Math.min(over, usage.outputText);
  return {
    ...usage,
    outputText: usage.outputText - text,
    outputReasoning: Math.max(0, usage.outputReasoning - (over - text)),
  };
}
