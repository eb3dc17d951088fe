import type { CatalogSnapshot, Plan } from '../../catalog/contract.ts';
import { formatMicro } from '../../kernel/money.ts';
import { nullable, SHOWN_AMOUNT } from '../fields.ts';
import { COVERAGE, POLICY, shownCoverage, shownPolicy } from '../limits/limit-windows.ts';
import { data, type Operation, operation } from '../operation.ts';
import { Type } from '../schema.ts';

const PLAN = Type.Object({
  code: Type.String(),
  name: Type.String(),
  level: Type.Integer({ minimum: 1, maximum: 3 }),
  price: Type.String({ ...SHOWN_AMOUNT, description: 'Yuan for `days`.' }),
  days: Type.Integer({ minimum: 1 }),
  policy: nullable(POLICY),
  coverage: COVERAGE,
});

const POLICY_EXAMPLE = {
  ...{ id: 3, name: 'pro', concurrency: 20 },
  windows: [{ dimension: 'requests', seconds: 60, limit: '600' }],
};

const plans = operation({
  ...{ surface: 'user', access: 'public', tag: 'Public', method: 'GET' },
  name: 'public.plans',
  id: 'listOfferedPlans',
  path: '/plans',
  title: 'List offered plans',
  summary: 'The plans on offer, with price, coverage and limits.',
  data: Type.Array(PLAN),
  example: {
    data: [
      {
        ...{ code: 'PRO', name: 'Pro', level: 2, price: '199', days: 30, policy: POLICY_EXAMPLE },
        coverage: { models: '*', windows: [{ seconds: 18_000, amount: '60' }] },
      },
    ],
  },
  handle: async (_input, context) => {
    const catalog = context.catalog();
    const all = [...catalog.plans.values()].sort((one, other) => one.level - other.level);
    return data(all.map((plan) => shownPlan(plan, catalog)));
  },
});

function shownPlan(plan: Plan, { policies: known }: CatalogSnapshot): object {
  const policy = plan.policyId === undefined ? undefined : known.get(plan.policyId);
  return {
    ...{ code: plan.code, name: plan.name, level: plan.level },
    ...{ price: formatMicro(plan.priceMicro), days: plan.days },
    policy: policy === undefined ? null : shownPolicy(policy),
    coverage: shownCoverage(plan),
  };
}

const policies = operation({
  ...{ surface: 'user', access: 'user', tag: 'API keys', method: 'GET' },
  name: 'keys.policies',
  id: 'listPoliciesForKeys',
  path: '/api-key/policies',
  title: 'List policies for keys',
  summary: 'The policies that a key may have.',
  data: Type.Array(POLICY),
  example: { data: [POLICY_EXAMPLE] },
  handle: async (_input, context) => {
    const catalog = context.catalog();
    const all = [...catalog.policies.values()].filter(({ id }) => mayChoose(catalog, id));
    return data(all.map(shownPolicy));
  },
});

/**
 * What the operator has set, if anything. Otherwise the policies of plans are excluded: they come with the
 * subscription, and whoever could choose one would have the plan for free.
 */
export function mayChoose({ policies: known, plans: all }: CatalogSnapshot, policyId: number): boolean {
  const policy = known.get(policyId);
  if (policy === undefined) return false;
  if (policy.selectable !== undefined) return policy.selectable;
  for (const plan of all.values()) if (plan.policyId === policyId) return false;
  return true;
}

/** The public offer of plans, and the policies that users may set for their keys. */
export const planOperations: readonly Operation[] = [plans, policies];
