import { costMicro, creditsMicro, outputTokensFor, type PriceSnapshot } from '../../catalog/price.ts';
import type { Usage } from '../../kernel/usage.ts';

/**
 * The usage of a stream that was stopped because nothing is free, as far as its hold pays for the output. The
 * read that went beyond the hold was not delivered, so that nobody is charged for it.
 */
export function withinHold(
  usage: Usage,
  heldMicro: bigint,
  price: PriceSnapshot,
  creditsPerYuan: number,
): Usage {
  const overMicro = creditsMicro(costMicro(usage, price), creditsPerYuan) - heldMicro;
  if (overMicro <= 0n) return usage;
  // One more than they cost, because each cost is cut at six decimals by itself.
  const over = outputTokensFor(overMicro, price, creditsPerYuan) + 1;
  const text = Math.min(over, usage.outputText);
  return {
    ...usage,
    outputText: usage.outputText - text,
    outputReasoning: Math.max(0, usage.outputReasoning - (over - text)),
  };
}
