import type { Caller } from '../../accounts/contract.ts';
import type { Route } from '../../catalog/contract.ts';
import { isRefusal, type Refusal, refuse } from '../../kernel/errors.ts';
import type { Protocol } from '../../kernel/protocol-name.ts';
import { showText } from '../../protocol/bytes/text.ts';
import { orderRoutes } from '../admit/route.ts';
import { firstOption, nextOption, type ServingOption } from '../admit/serving-options.ts';
import type { Gateway } from '../gateway.ts';

const NO_BODY = Buffer.alloc(0);

/**
 * The route whose vendor gets a file. The batch goes the same way later, because only this credential knows
 * the file. A fallback model is not asked: the lines name their model.
 */
export function chooseFileRoute(
  { account }: Caller,
  { modelId, protocol }: { readonly modelId: string; readonly protocol: Protocol },
  { directory, deps, calendar, random }: Gateway,
): Route | Refusal {
  // It stands in a line of a file, so the client mends the file. A call for such a model is 50201.
  if (directory.catalog().models.get(modelId)?.status !== 'enabled') {
    return refuse('notExpressible', { message: `The model ${showText(modelId)} is unknown or disabled` });
  }
  const nowMs = deps.clock.now();
  const moment = { nowMs, month: calendar.month(nowMs) };
  const eligibility = { account, catalog: directory.catalog(), modelId, protocol, moment };
  let refusal: Refusal | undefined;
  let option: ServingOption | Refusal | undefined = firstOption(eligibility);
  while (option !== undefined) {
    if (isRefusal(option)) return refusal ?? option;
    if (option.model.modelId !== modelId) break;
    const routes = option.routes.filter((route) => takesFiles(route, protocol));
    const { routing } = option.model;
    const order = { routing, protocol, health: deps.health, random, body: NO_BODY };
    const ordered = routes.length === 0 ? NO_BATCHES : orderRoutes(routes, order);
    if (!isRefusal(ordered) && ordered[0] !== undefined) return ordered[0];
    if (isRefusal(ordered)) refusal ??= ordered;
    option = nextOption(eligibility, option);
  }
  return refusal ?? NO_BATCHES;
}

function takesFiles({ vendor, protocols }: Route, protocol: Protocol): boolean {
  return vendor.cloud === undefined && protocols.includes(protocol);
}

const NO_BATCHES = refuse('notExpressible', {
  message: 'No usable upstream of this model takes batches in this protocol',
});
