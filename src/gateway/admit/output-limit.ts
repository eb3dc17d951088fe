import type { Route } from '../../catalog/contract.ts';
import { type Refusal, refuse } from '../../kernel/errors.ts';
import { formatMicro } from '../../kernel/money.ts';
import type { AttemptContext } from '../attempt/attempt-context.ts';
import { toTarget } from '../attempt/target.ts';
import { SHORTAGE_ERRORS } from './enter.ts';
import { outputBound, outputTokensPaid } from './quote.ts';
import { isGeneratingProtocol, lengthRules } from './route-protocols.ts';

/**
 * Rule L-31: the most output tokens that the vendor may produce for each answer, if the hold pays for fewer
 * than the request allows. `undefined`: the request is sent as it is.
 *
 * A plain answer cannot be stopped half-way, so its hold is its limit. A stream is watched and its hold can
 * grow. But reasoning may be invisible, so a model that reasons gets only what the account can pay now.
 */
export function findOutputLimit(context: AttemptContext, route: Route): number | undefined {
  const { call, facts, pricing, wantMicro, deps } = context;
  const { lease } = call;
  if (lease === undefined || lease.payer === 'none' || lease.heldMicro >= wantMicro) return undefined;
  if (facts.images > 0 || (facts.stream && !mayThink(route))) return undefined;
  const { creditsPerYuan } = deps.settlement;
  const payableMicro = facts.stream ? lease.heldMicro + lease.freeMicro : lease.heldMicro;
  const tokens = outputTokensPaid(payableMicro, facts, route, { pricing, creditsPerYuan });
  return tokens < outputBound(facts, route) ? Math.max(1, tokens) : undefined;
}

function mayThink(route: Route): boolean {
  return route.protocols.some(
    (protocol) =>
      isGeneratingProtocol(protocol) &&
      toTarget(route, lengthRules(protocol), 'own').capabilities.thinking !== 'none',
  );
}

/** The request asks for more reasoning tokens than its hold pays for. */
export function refuseThinking({ call }: AttemptContext, tokens: number, field: string): Refusal {
  const { lease } = call;
  const held = formatMicro(lease?.heldMicro ?? 0n);
  return refuse(SHORTAGE_ERRORS[lease?.shortOf ?? 'credits'], {
    message:
      `The budget for thinking is too large: ${held} Credits are held for this call, which pay for ` +
      `${tokens} output tokens. Ask for less thinking, or set "${field}"`,
  });
}
