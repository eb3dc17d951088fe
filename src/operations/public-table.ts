import { type OfferNeeds, offerOperations } from './catalog/offer.ts';
import { type PricingNeeds, pricingOperations } from './catalog/pricing.ts';
import { type SettingsNeeds, settingsOperations } from './catalog/settings.ts';
import { type FeedbackPort, feedbackOperations } from './inbox/feedback.ts';
import type { Operation } from './operation.ts';
import { type RankingNeeds, rankingOperations } from './stats/ranking.ts';
import { type PlanNeeds, planOperations } from './subscriptions/plans.ts';

/** The public endpoints: the offer, the rankings, feedback. */
export interface PublicNeeds extends OfferNeeds, PlanNeeds, PricingNeeds, RankingNeeds, SettingsNeeds {
  readonly deps: OfferNeeds['deps'];
  readonly feedback: FeedbackPort;
}

export function publicOperations(needs: PublicNeeds): readonly Operation[] {
  return [
    ...settingsOperations(needs),
    ...offerOperations(needs),
    ...pricingOperations(needs),
    ...planOperations(needs),
    ...rankingOperations(needs),
    ...feedbackOperations(needs.feedback),
  ];
}
