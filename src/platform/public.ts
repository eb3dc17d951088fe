import type { Endpoint } from './endpoint.ts';
import { type FeedbackPort, feedbackEndpoints } from './feedback.ts';
import { type OfferNeeds, offerEndpoints } from './offer.ts';
import { type RankingNeeds, rankingEndpoints } from './ranking.ts';

/** What everybody may ask and say: the offer, the rankings, feedback. */
export interface PublicNeeds extends OfferNeeds, RankingNeeds {
  readonly feedback: FeedbackPort;
}

export function publicEndpoints(needs: PublicNeeds): readonly Endpoint[] {
  return [...offerEndpoints(needs), ...rankingEndpoints(needs), ...feedbackEndpoints(needs.feedback)];
}
