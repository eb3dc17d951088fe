import type { Route } from '../../catalog/contract.ts';
import { costMicro, creditsMicro, outputTokensFor } from '../../catalog/price.ts';
import { outputTokens, type Usage } from '../../kernel/usage.ts';
import { capabilitiesOf } from '../../protocol/capability/table.ts';
import { thinkingAsked } from '../../protocol/meter/thinking-asked.ts';
import type { OutputSpeed } from '../../upstream/health/speed.ts';
import type { AttemptContext } from '../attempt/attempt-context.ts';
import type { Translation } from '../convert/translation.ts';

/** What a model may write in a call although nobody sees it. */
export interface HiddenReasoning {
  readonly reasons: 'surely' | 'perhaps' | 'never';
  readonly tokensPerSecond: number;
}

const NONE: HiddenReasoning = { reasons: 'never', tokensPerSecond: 0 };

/** By the request, the table of capabilities, and what the route's answers have reported. */
export function findHiddenReasoning(
  route: Route,
  { protocol, body }: Pick<Translation, 'protocol' | 'body'>,
  { reasons, tokensPerSecond }: OutputSpeed,
): HiddenReasoning {
  if (protocol === 'images') return NONE;
  const able = capabilitiesOf(protocol, route.forwardModelId, route.capabilities);
  const asked = thinkingAsked(protocol, body);
  // A model that must be given its reasoning back shows all of it.
  if (able.reasoningContent || asked === 'off') return NONE;
  const isTold = asked === 'on' && able.thinking !== 'none';
  if (isTold || reasons === 'usually') return { reasons: 'surely', tokensPerSecond };
  return able.thinksByDefault || reasons === 'sometimes' ? { reasons: 'perhaps', tokensPerSecond } : NONE;
}

/** What was written in a time of silence. */
export interface Written {
  readonly tokensPerSecond: number;
  readonly ms: number;
}

/**
 * Rule M-11: the usage of a cut answer with the reasoning that nobody saw: what the model writes in the
 * time of silence, beside what was seen, and both within the longest answer asked for.
 */
export function withHiddenReasoning(usage: Usage, context: AttemptContext, written: Written): Usage {
  const likely = Math.floor((written.ms * written.tokensPerSecond) / 1_000);
  const unseen = Math.min(likely, longestOutput(context) - outputTokens(usage));
  return unseen <= 0 ? usage : { ...usage, outputReasoning: usage.outputReasoning + unseen };
}

/** The same, as far as what is held pays for it: a guess of ours never leaves anybody short. */
export function withHeldReasoning(usage: Usage, context: AttemptContext, written: Written): Usage {
  const guessed = withHiddenReasoning(usage, context, written);
  const { lease, price } = context.call;
  const unseen = guessed.outputReasoning - usage.outputReasoning;
  if (unseen === 0 || lease === undefined || lease.payer === 'none' || price === undefined) return guessed;
  const { creditsPerYuan } = context.deps.settlement;
  const leftMicro = lease.heldMicro - creditsMicro(costMicro(usage, price), creditsPerYuan);
  const paid = Math.min(unseen, outputTokensFor(leftMicro, price, creditsPerYuan));
  return { ...usage, outputReasoning: usage.outputReasoning + paid };
}

/** Of all answers asked for; nothing longer than the model's own maximum comes back. */
function longestOutput({ facts, model }: AttemptContext): number {
  const most = model.maxOutputTokens ?? Number.POSITIVE_INFINITY;
  return Math.min(facts.outputTokensMax ?? most, most) * facts.answers;
}
