import type { Account } from '../../accounts/contract.ts';
import type { Route } from '../../catalog/contract.ts';
import { creditsMicro } from '../../catalog/price.ts';
import type { GateRefused, MoneyRequest } from '../../gate/contract.ts';
import { ERRORS, type LimitHit, type Refusal, refuse } from '../../kernel/errors.ts';
import { formatMicro } from '../../kernel/money.ts';
import type { Protocol } from '../../kernel/protocol-name.ts';
import type { RequestFacts } from '../../protocol/dialect.ts';
import { OUTPUT_FIELD } from '../../protocol/pass-through/limit-output.ts';
import { EXCHANGE } from './eligible.ts';
import { outputTokensPaid, type PricingContext, quote } from './quote.ts';
import { isGeneratingProtocol } from './route-protocols.ts';

/** A call that the gate refused because of money. */
export interface UnpaidCall {
  readonly facts: RequestFacts;
  readonly routes: readonly Route[];
  readonly pricing: PricingContext;
  readonly money: MoneyRequest;
  readonly protocol: Protocol;
  readonly hit: LimitHit;
}

/**
 * Rule L-30: the message says what the call may cost, what is free, what running calls hold, and what fits.
 */
export function refuseMoney(refused: GateRefused, call: UnpaidCall): Refusal {
  const name = refused.reason === 'cap' ? 'monthlyCapReached' : 'insufficientCredits';
  const free = formatMicro(refused.freeMicro > 0n ? refused.freeMicro : 0n);
  const left = refused.reason === 'cap' ? `${free} are left under the cap` : `${free} are free`;
  const held = refused.heldMicro === 0n ? '' : `, and running calls hold ${formatMicro(refused.heldMicro)}`;
  const sentences = [
    `${ERRORS[name].message}: the call may cost up to ${formatMicro(call.money.wantMicro)} Credits, ${left}${held}.`,
    whatFits(refused.freeMicro, call),
  ];
  if (refused.reason === 'credits' && couldExchange(call.pricing.account)) sentences.push(EXCHANGE);
  const { hit } = call;
  return refuse(name, { message: sentences.join(' '), hit });
}

function couldExchange({ autoExchange, funds }: Account): boolean {
  return !autoExchange && funds.balanceMicro > 0n;
}

const NO_INPUT = 'Its input alone costs more than that.';
/** How many input tokens the request grows by when it sets an output limit. */
const FIELD_TOKENS = 8;

function whatFits(freeMicro: bigint, call: UnpaidCall): string {
  const { facts, routes, pricing, money, protocol } = call;
  const { creditsPerYuan } = money;
  if (protocol === 'images' || facts.images > 0) {
    const isPayable = (images: number): boolean =>
      creditsMicro(quote({ ...facts, images }, routes, pricing).mostMicro, creditsPerYuan) <= freeMicro;
    let images = facts.images - 1;
    while (images > 0 && !isPayable(images)) images--;
    return images > 0 ? `It fits with "n": ${images}.` : 'Not even one image fits.';
  }
  if (facts.videos !== undefined) return 'Not even one video fits.';
  if (!isGeneratingProtocol(protocol)) return NO_INPUT;
  const bounded = { ...facts, inputTokensEstimate: facts.inputTokensEstimate + FIELD_TOKENS };
  const paid = routes.map((route) =>
    outputTokensPaid(freeMicro, bounded, route, { pricing, creditsPerYuan }),
  );
  const tokens = Math.min(...paid);
  if (tokens >= 1) return `It fits with "${OUTPUT_FIELD[protocol]}": ${tokens}.`;
  return NO_INPUT;
}
