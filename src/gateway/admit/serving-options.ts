import type { Account } from '../../accounts/contract.ts';
import type { CatalogSnapshot, Model, Route } from '../../catalog/contract.ts';
import { type Refusal, refuse } from '../../kernel/errors.ts';
import type { Protocol } from '../../kernel/protocol-name.ts';
import { admit } from './admit.ts';
import { byokRoutes } from './byok-routes.ts';
import { findPaymentSources, type Moment, notBillable, type PaymentSources } from './eligible.ts';
import { canServe } from './route-protocols.ts';

/**
 * One way to serve a call: a model, the routes that may be tried for it, and who pays. Most calls have one;
 * the others have a few, one after the other, each only looked for when the one before has failed:
 *
 *   the model asked for, by the account's own credentials (BYOK)
 *   the same by the platform: when no own credential can serve it, or `byok_fallback` allows it
 *   the account's fallback model, in the same two ways
 *
 * Who has an own credential for the model and did not allow `byok_fallback` is not served with this model by
 * the platform: nobody is charged by surprise. A fallback model is the account's own wish (rule S-26).
 */
export interface ServingOption {
  readonly model: Model;
  /** Before they are put in order: disabled ones may be among them. */
  readonly routes: readonly Route[];
  /** Nothing: the account's own credentials, so nobody has to pay us. */
  readonly payment: PaymentSources | undefined;
}

/** What the options of a call follow from. */
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

/** After `option` has failed; nothing when there is no further one. */
export function nextOption(eligibility: Eligibility, option: ServingOption): ServingOption | undefined {
  const { preference } = eligibility.account;
  if (option.payment === undefined && preference.byokFallback) {
    const paid = paidOption(eligibility, option.model);
    if (paid !== undefined) return paid;
  }
  if (option.model.modelId !== eligibility.modelId) return undefined;
  return fallbackOption(eligibility, option.model);
}

/** Rule S-26: the fallback goes through routing, admission and billing like any model. */
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

/** The routes by own credentials, when at least one of them can serve clients of this protocol. */
function ownRoutes(
  { account, protocol }: Eligibility,
  model: Model | undefined,
): readonly Route[] | undefined {
  if (model === undefined || account.byok.length === 0) return undefined;
  const routes = byokRoutes(account, model);
  return routes.some((route) => canServe(route, protocol)) ? routes : undefined;
}
