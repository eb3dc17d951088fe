import { type Capabilities, EFFORTS, type Effort } from '../../kernel/capability.ts';

/**
 * The effort level of the model that is nearest to the requested one; of two equally near ones the higher.
 * `none` on a model that cannot stop thinking becomes its lowest level. A request to think never becomes
 * `none`. `undefined` if the model takes no effort at all.
 */
export function clampEffort(effort: Effort, allowed: readonly Effort[]): Effort | undefined {
  if (allowed.includes(effort)) return effort;
  const wanted = EFFORTS.indexOf(effort);
  let nearest: Effort | undefined;
  let nearestDistance = Number.POSITIVE_INFINITY;
  for (const level of EFFORTS) {
    if (level === 'none' || !allowed.includes(level)) continue;
    const distance = Math.abs(EFFORTS.indexOf(level) - wanted);
    // Levels are tried upwards, so a later level at the same distance is the higher one.
    if (distance <= nearestDistance) {
      nearest = level;
      nearestDistance = distance;
    }
  }
  return nearest;
}

/** The effort of a token budget. A negative budget leaves the choice to the model, which means the middle. */
export function effortOfBudget(tokens: number): Effort {
  if (tokens < 0) return 'medium';
  if (tokens === 0) return 'none';
  if (tokens <= 512) return 'minimal';
  if (tokens <= 1024) return 'low';
  if (tokens <= 8192) return 'medium';
  if (tokens <= 24_576) return 'high';
  return 'xhigh';
}

/**
 * A convention, because vendors define no mapping (Google's own: 1k, 8k, 24k). `max` is what the model
 * allows.
 */
const BUDGETS: Readonly<Record<Exclude<Effort, 'none' | 'max'>, number>> = {
  minimal: 512,
  low: 1024,
  medium: 8192,
  high: 24_576,
  xhigh: 32_768,
};

/** The token budget of an effort, within the limits of the model. 0 switches thinking off. */
export function budgetOfEffort(effort: Effort, caps: Capabilities): number {
  if (effort === 'none') return caps.thinkingOff ? 0 : caps.budgetTokensMin;
  if (effort === 'max') return caps.budgetTokensMax;
  return Math.max(caps.budgetTokensMin, Math.min(BUDGETS[effort], caps.budgetTokensMax));
}
