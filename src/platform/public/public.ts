import { type FeedbackPort, feedbackEndpoints } from '../account/feedback.ts';
import type { Endpoint } from '../endpoint.ts';
import { type RankingNeeds, rankingEndpoints } from '../usage/ranking.ts';
import { type OfferNeeds, offerEndpoints } from './offer.ts';
import { type PlanNeeds, planEndpoints } from './plans.ts';
import { type PricingNeeds, pricingEndpoints } from './pricing.ts';
import { type SettingsNeeds, settingsEndpoints } from './settings.ts';

/** The public endpoints: the offer, the rankings, feedback. */
export interface PublicNeeds extends OfferNeeds, PlanNeeds, PricingNeeds, RankingNeeds, SettingsNeeds {
  readonly deps: OfferNeeds['deps'];
  readonly feedback: FeedbackPort;
}

export function publicEndpoints(needs: PublicNeeds): readonly Endpoint[] {
  return [
    ...settingsEndpoints(needs),
    ...offerEndpoints(needs),
    ...pricingEndpoints(needs),
    ...planEndpoints(needs),
    ...rankingEndpoints(needs),
    ...feedbackEndpoints(needs.feedback),
  ];
}
