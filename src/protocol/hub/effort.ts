import { type Capabilities, EFFORTS, type Effort } from '../../kernel/capability.ts';

/**
 * The rung of a model's own ladder that is nearest to the wanted one; of two equally near ones the higher.
 * `none` on a model that cannot stop thinking is its lowest rung, and a wish to think never becomes `none`.
 * Nothing when the model takes no effort at all.
 */
export function clampEffort(effort: Effort, allowed: readonly Effort[]): Effort | undefined {
  if (allowed.includes(effort)) return effort;
  const wanted = EFFORTS.indexOf(effort);
  let nearest: Effort | undefined;
  let nearestDistance = Number.POSITIVE_INFINITY;
  for (const rung of EFFORTS) {
    if (rung === 'none' || !allowed.includes(rung)) continue;
    const distance = Math.abs(EFFORTS.indexOf(rung) - wanted);
    // The ladder is climbed upwards, so that a later rung at the same distance is the higher one.
    if (distance <= nearestDistance) {
      nearest = rung;
      nearestDistance = distance;
    }
  }
  return nearest;
}

/** What a budget in tokens amounts to. A negative one leaves it to the model, which is the middle. */
export function effortOfBudget(tokens: number): Effort {
  if (tokens < 0) return 'medium';
  if (tokens === 0) return 'none';
  if (tokens <= 512) return 'minimal';
  if (tokens <= 1024) return 'low';
  if (tokens <= 8192) return 'medium';
  if (tokens <= 24_576) return 'high';
  return 'xhigh';
}

/** A convention, for vendors map nothing (Google's own: 1k, 8k, 24k); `max` is what the model allows. */
const BUDGETS: Readonly<Record<Exclude<Effort, 'none' | 'max'>, number>> = {
  minimal: 512,
  low: 1024,
  medium: 8192,
  high: 24_576,
  xhigh: 32_768,
};

/** The budget in tokens for an effort, within the bounds of the model; 0 switches thinking off. */
export function budgetOfEffort(effort: Effort, caps: Capabilities): number {
  if (effort === 'none') return caps.thinkingOff ? 0 : caps.budgetTokensMin;
  if (effort === 'max') return caps.budgetTokensMax;
  return Math.max(caps.budgetTokensMin, Math.min(BUDGETS[effort], caps.budgetTokensMax));
}
