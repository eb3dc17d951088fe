import type { Route } from '../../catalog/contract.ts';
import { costMicro, creditsMicro, outputTokensFor } from '../../catalog/price.ts';
import { outputTokens, type Usage } from '../../kernel/usage.ts';
import { getCapabilities } from '../../protocol/capability/table.ts';
import { thinkingAsked } from '../../protocol/meter/thinking-asked.ts';
import type { OutputSpeed } from '../../upstream/health/speed.ts';
import { isTextProtocol } from '../admit/route-protocols.ts';
import type { AttemptContext } from '../attempt/attempt-context.ts';
import type { Translation } from '../convert/translation.ts';

/** Whether, and how fast, a model may reason invisibly in a call. */
export interface HiddenReasoning {
  readonly reasons: 'surely' | 'perhaps' | 'never';
  readonly tokensPerSecond: number;
  /** All of the reasoning is in the answer. */
  readonly isShown?: true;
  /** The request asks for reasoning of a model of which nothing is known. */
  readonly isAsked?: true;
}

const NONE: HiddenReasoning = { reasons: 'never', tokensPerSecond: 0 };
const SHOWN: HiddenReasoning = { ...NONE, isShown: true };
const ASKED: HiddenReasoning = { ...NONE, isAsked: true };

/**
 * Decides by the request, the table of capabilities, and the usage that the route's answers have reported.
 */
export function findHiddenReasoning(
  route: Route,
  { protocol, body }: Pick<Translation, 'protocol' | 'body'>,
  { reasons, tokensPerSecond }: OutputSpeed,
): HiddenReasoning {
  if (!isTextProtocol(protocol)) return NONE;
  const able = getCapabilities(protocol, route.forwardModelId, route.capabilities);
  const asked = thinkingAsked(protocol, body);
  // A model that needs its reasoning sent back shows all of it.
  if (able.reasoningContent) return SHOWN;
  if (asked === 'off') return NONE;
  const isRequested = asked === 'on' && able.thinking !== 'none';
  if (isRequested || reasons === 'usually') return { reasons: 'surely', tokensPerSecond };
  if (able.thinksByDefault || reasons === 'sometimes') return { reasons: 'perhaps', tokensPerSecond };
  return asked === 'on' ? ASKED : NONE;
}

/**
 * Rule M-10: whether the model of a call reasons out of sight, so that only its vendor knows what it
 * produces. Where nothing is known of the model, it does if the answer shows that it `reasoned`.
 */
export function isOutOfSight(
  { reasons, isAsked, isShown }: HiddenReasoning,
  answer: 'reasoned' | 'shows-nothing',
): boolean {
  if (isShown) return false;
  return reasons !== 'never' || isAsked === true || answer === 'reasoned';
}

/** The speed of invisible output, and for how long. */
export interface Written {
  readonly tokensPerSecond: number;
  readonly ms: number;
}

/**
 * Rule M-11: the usage of a cut answer with its invisible reasoning: what the model produces in the silent
 * time, in addition to the visible output. Both together stay within the longest answer that was requested.
 */
export function withHiddenReasoning(usage: Usage, context: AttemptContext, written: Written): Usage {
  const likely = Math.floor((written.ms * written.tokensPerSecond) / 1_000);
  const unseen = Math.min(likely, longestOutput(context) - outputTokens(usage));
  return unseen <= 0 ? usage : { ...usage, outputReasoning: usage.outputReasoning + unseen };
}

/** The same, but limited to what the hold pays for: a guess never causes a shortfall. */
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

/** The longest output of all requested answers, within the model's maximum. */
function longestOutput({ facts, model }: AttemptContext): number {
  const most = model.maxOutputTokens ?? Number.POSITIVE_INFINITY;
  return Math.min(facts.outputTokensMax ?? most, most) * facts.answers;
}
