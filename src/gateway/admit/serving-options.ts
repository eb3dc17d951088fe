import { admit } from '../../accounts/admit.ts';
import type { Account } from '../../accounts/contract.ts';
import type { CatalogSnapshot, Model, Route } from '../../catalog/contract.ts';
import { type Refusal, refuse } from '../../kernel/errors.ts';
import type { Protocol } from '../../kernel/protocol-name.ts';
import { byokRoutes } from './byok-routes.ts';
import { findPaymentSources, type Moment, notBillable, type PaymentSources } from './eligible.ts';
import { canServe } from './route-protocols.ts';

/**
 * One way to serve a call: a model, the routes that may be tried for it, and the payer. Most calls have one
 * option. Others have a few, in this order; each is looked for only when the one before has failed:
 *
 *    the requested model, with the account's own credentials (BYOK)
 *    the same model by the platform, if no own credential can serve it or `byok_fallback` allows it
 *    the account's fallback model, in the same two ways
 *
 * An account with an own credential for the model that does not allow `byok_fallback` is not served by the
 * platform with this model. So it is never charged by surprise. The fallback model is the account's own
 * choice (rule S-26).
 */
export interface ServingOption {
  readonly model: Model;
  /** Not ordered yet, and disabled routes may be among them. */
  readonly routes: readonly Route[];
  /** `undefined`: the account's own credentials serve the call, and the platform charges nothing. */
  readonly payment: PaymentSources | undefined;
}

/** What decides which options a call has. */
export interface Eligibility {
  readonly account: Account;
  readonly catalog: CatalogSnapshot;
  readonly modelId: string;
  readonly protocol: Protocol;
  readonly moment: Moment;
}

/** Billability, then admission: steps 2 and 3 of rule S-15. */
export function firstOption(eligibility: Eligibility): ServingOption | Refusal {
  const { account, catalog, modelId, moment } = eligibility;
  const model = catalog.models.get(modelId);
  const own = ownRoutes(eligibility, model);
  const payment = own === undefined ? findPaymentSources(account, modelId, moment) : undefined;
  if (own === undefined && payment === undefined) return notBillable(account);
  if (model === undefined || model.status !== 'enabled') return refuse('noUpstream');
  const denied = admit(model, account, moment.nowMs);
  if (denied !== undefined) return denied;
  return { model, routes: own ?? model.routes, payment };
}

/** The option to try after `option` has failed, if there is one. */
export function nextOption(eligibility: Eligibility, option: ServingOption): ServingOption | undefined {
  const { preference } = eligibility.account;
  if (option.payment === undefined && preference.byokFallback) {
    const paid = paidOption(eligibility, option.model);
    if (paid !== undefined) return paid;
  }
  if (option.model.modelId !== eligibility.modelId) return undefined;
  return fallbackOption(eligibility, option.model);
}

/** Rule S-26: the fallback model passes routing, admission and billing like any model. */
function fallbackOption(eligibility: Eligibility, asked: Model): ServingOption | undefined {
  const { account, catalog, moment } = eligibility;
  const { fallbackModel } = account.preference;
  if (fallbackModel === null || fallbackModel === asked.modelId) return undefined;
  const model = catalog.models.get(fallbackModel);
  if (model === undefined || model.status !== 'enabled') return undefined;
  if (admit(model, account, moment.nowMs) !== undefined) return undefined;
  const own = ownRoutes(eligibility, model);
  return own === undefined ? paidOption(eligibility, model) : { model, routes: own, payment: undefined };
}

function paidOption({ account, moment }: Eligibility, model: Model): ServingOption | undefined {
  const payment = findPaymentSources(account, model.modelId, moment);
  return payment === undefined ? undefined : { model, routes: model.routes, payment };
}

/** The routes with own credentials, if at least one of them can serve clients of this protocol. */
function ownRoutes(
  { account, protocol }: Eligibility,
  model: Model | undefined,
): readonly Route[] | undefined {
  if (model === undefined || account.byok.length === 0) return undefined;
  const routes = byokRoutes(account, model);
  return routes.some((route) => canServe(route, protocol)) ? routes : undefined;
}
