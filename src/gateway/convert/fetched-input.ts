import type { Refusal } from '../../kernel/errors.ts';
import type { RequestFacts } from '../../protocol/dialect.ts';
import type { AttemptContext } from '../attempt/attempt-context.ts';

/**
 * Counts fetched media instead of the estimate for their addresses. If they come to more, the difference is
 * held before the vendor is asked, or the call is refused as at entry (rule L-27).
 */
export async function holdForFetched(
  context: AttemptContext,
  inputTokens: number,
): Promise<Refusal | undefined> {
  const moreTokens = inputTokens - context.fetchedTokens;
  if (moreTokens === 0) return undefined;
  const facts = withInput(context.facts, moreTokens);
  const refusal = moreTokens > 0 ? await context.holdFor(facts) : undefined;
  if (refusal !== undefined) return refusal;
  context.facts = facts;
  context.fetchedTokens = inputTokens;
  return undefined;
}

function withInput(facts: RequestFacts, moreTokens: number): RequestFacts {
  const { inputTokensEstimate, inputTokensLikely = inputTokensEstimate, mediaTokens = 0 } = facts;
  return {
    ...facts,
    inputTokensEstimate: inputTokensEstimate + moreTokens,
    inputTokensLikely: inputTokensLikely + moreTokens,
    mediaTokens: mediaTokens + moreTokens,
  };
}
