import type { Route } from '../../catalog/contract.ts';
import { costMicro, creditsMicro, outputTokensFor } from '../../catalog/price.ts';
import { outputTokens, type Usage } from '../../kernel/usage.ts';
import { capabilitiesOf } from '../../protocol/capability/table.ts';
import { thinkingAsked } from '../../protocol/meter/thinking-asked.ts';
import type { OutputSpeed } from '../../upstream/health/speed.ts';
import type { Passage } from '../attempt/attempt-context.ts';
import type { Translation } from '../convert/translation.ts';

/** What a model may write in a call although nobody sees it. */
export interface SecretReasoning {
  readonly reasons: 'surely' | 'perhaps' | 'never';
  readonly tokensPerSecond: number;
}

const NONE: SecretReasoning = { reasons: 'never', tokensPerSecond: 0 };

/** By the request, the table of capabilities, and what the route's answers have reported. */
export function secretReasoning(
  route: Route,
  { protocol, body }: Pick<Translation, 'protocol' | 'body'>,
  { reasons, tokensPerSecond }: OutputSpeed,
): SecretReasoning {
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
 * decisions.md 6: the usage of a cut answer with the reasoning that nobody saw: what the model writes in the
 * time of silence, beside what was seen, and both within the longest answer asked for.
 */
export function withSecretReasoning(usage: Usage, passage: Passage, written: Written): Usage {
  const likely = Math.floor((written.ms * written.tokensPerSecond) / 1_000);
  const unseen = Math.min(likely, longestOutput(passage) - outputTokens(usage));
  return unseen <= 0 ? usage : { ...usage, outputReasoning: usage.outputReasoning + unseen };
}

/** The same, as far as what is held pays for it: a guess of ours never leaves anybody short. */
export function withHeldReasoning(usage: Usage, passage: Passage, written: Written): Usage {
  const guessed = withSecretReasoning(usage, passage, written);
  const { lease, price } = passage.call;
  const unseen = guessed.outputReasoning - usage.outputReasoning;
  if (unseen === 0 || lease === undefined || lease.payer === 'none' || price === undefined) return guessed;
  const { creditsPerYuan } = passage.carriage.settlement;
  const leftMicro = lease.heldMicro - creditsMicro(costMicro(usage, price), creditsPerYuan);
  const paid = Math.min(unseen, outputTokensFor(leftMicro, price, creditsPerYuan));
  return { ...usage, outputReasoning: usage.outputReasoning + paid };
}

/** Of all answers asked for; nothing longer than the model's own maximum comes back. */
function longestOutput({ facts, model }: Passage): number {
  const most = model.maxOutputTokens ?? Number.POSITIVE_INFINITY;
  return Math.min(facts.outputTokensMax ?? most, most) * facts.answers;
}
