import type { Subscription } from '../../accounts/contract.ts';
import type { CatalogSnapshot, Policy } from '../../catalog/contract.ts';
import type { GateAway, Look } from '../../gate/contract.ts';
import { findAccountView } from '../../store/accounts/account-view.ts';
import { listSubscriptions } from '../../store/accounts/subscriptions.ts';
import { findCurrent } from '../accounts/own-account.ts';
import { type Context, ownAccount } from '../context.ts';
import { fail } from '../failure.ts';
import { ID, nullable, PAGE_QUERY, readExcerpt, TIME, toPage } from '../fields.ts';
import {
  USED_COVERAGE,
  USED_EXAMPLE,
  USED_POLICY,
  usedCoverage,
  usedPolicy,
} from '../limits/limit-windows.ts';
import { data, type Operation, operation } from '../operation.ts';
import { Type } from '../schema.ts';

const STATES = ['active', 'upcoming', 'ended', 'cancelled'] as const;
const SUBSCRIPTION = Type.Object({
  id: ID,
  plan: Type.String(),
  plan_name: nullable(Type.String()),
  starts_at: TIME,
  ends_at: TIME,
  status: Type.Union(STATES.map((state) => Type.Literal(state))),
  created_at: TIME,
});
const CURRENT = Type.Object({
  id: ID,
  plan: Type.String(),
  plan_name: Type.String(),
  plan_level: Type.Integer({ minimum: 1, maximum: 3 }),
  starts_at: TIME,
  ends_at: TIME,
});
const LIMITS = Type.Object({
  subscription: nullable(CURRENT),
  policy: nullable(USED_POLICY),
  coverage: nullable(USED_COVERAGE),
});

const GROUP = { surface: 'user', access: 'user', tag: 'Subscriptions' } as const;

const page = operation({
  ...GROUP,
  name: 'subscriptions.page',
  id: 'listSubscriptions',
  method: 'GET',
  path: '/subscription/page',
  title: 'List my subscriptions',
  summary: 'The subscriptions of the account, the latest end first.',
  query: PAGE_QUERY,
  data: Type.Array(SUBSCRIPTION),
  paged: true,
  example: {
    data: [
      {
        id: 3,
        plan: 'PRO',
        plan_name: 'Pro',
        starts_at: '2026-11-01 00:00:00',
        ends_at: '2026-12-01 00:00:00',
        status: 'active',
        created_at: '2026-11-01 00:00:00',
      },
    ],
  },
  handle: async ({ query }, context) => {
    const excerpt = readExcerpt(query);
    const part = { ...excerpt, nowMs: context.clock.now() };
    const { items, total } = await listSubscriptions(context.database, ownAccount(context), part);
    const { plans } = context.catalog();
    const rows = items.map(({ id, planCode, startsAtMs, endsAtMs, status, createdAtMs }) => ({
      id,
      plan: planCode,
      plan_name: plans.get(planCode)?.name ?? null,
      starts_at: context.showTime(startsAtMs),
      ends_at: context.showTime(endsAtMs),
      status,
      created_at: context.showTime(createdAtMs),
    }));
    return toPage(rows, total, excerpt);
  },
});

const EXAMPLE_WINDOW = { seconds: 18_000, ...USED_EXAMPLE };

const policyLimit = operation({
  ...GROUP,
  name: 'subscriptions.policy-limit',
  id: 'getLimitsOfSubscription',
  method: 'GET',
  path: '/subscription/policy-limit',
  title: 'Get limits of my subscription',
  summary: 'The limits and the coverage of the current subscription, their use and when each window ends.',
  data: LIMITS,
  example: {
    data: {
      subscription: {
        id: 3,
        plan: 'PRO',
        plan_name: 'Pro',
        plan_level: 2,
        starts_at: '2026-11-01 00:00:00',
        ends_at: '2026-12-01 00:00:00',
      },
      policy: {
        id: 2,
        name: 'pro',
        concurrency: 20,
        concurrency_used: 1,
        windows: [{ dimension: 'amount', limit: '10', ...EXAMPLE_WINDOW }],
      },
      coverage: { models: '*', windows: [{ amount: '10', ...EXAMPLE_WINDOW }] },
    },
  },
  handle: async (_input, context) => {
    const account = await findAccountView(context.database, ownAccount(context));
    if (account === undefined) return fail('notFound');
    const nowMs = context.clock.now();
    const catalog = context.catalog();
    const current = findCurrent(account, catalog, nowMs);
    if (current === undefined) return data({ subscription: null, policy: null, coverage: null });
    const policy = findPlanPolicy(current, catalog);
    const moment = { showTime: context.showTime, nowMs };
    const look = await lookAt(context, { accountId: account.id, current, policy });
    return data({
      subscription: shownCurrent(current, context),
      policy: policy === undefined ? null : usedPolicy(policy, look, moment),
      coverage: usedCoverage(current.plan, look, moment),
    });
  },
});

function findPlanPolicy({ plan }: Subscription, { policies }: CatalogSnapshot): Policy | undefined {
  return plan.policyId === undefined ? undefined : policies.get(plan.policyId);
}

/** Rule L-24: the policy of a plan counts in the scope of the account, coverage in the subscription's. */
async function lookAt(
  { gate, config }: Context,
  of: { readonly accountId: number; readonly current: Subscription; readonly policy: Policy | undefined },
): Promise<Look | GateAway> {
  const { accountId, current, policy } = of;
  const windows = current.plan.coverageWindows;
  const coverage = { scope: `subscription:${current.id}`, windows };
  const { creditsPerYuan } = config;
  return gate.look({ accountId, scope: `account:${accountId}`, policy, coverage, creditsPerYuan });
}

function shownCurrent({ id, plan, startsAtMs, endsAtMs }: Subscription, { showTime }: Context): object {
  return {
    id,
    plan: plan.code,
    plan_name: plan.name,
    plan_level: plan.level,
    starts_at: showTime(startsAtMs),
    ends_at: showTime(endsAtMs),
  };
}

export const subscriptionOperations: readonly Operation[] = [page, policyLimit];
