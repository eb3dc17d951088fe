import type { Subscription } from '../../accounts/contract.ts';
import type { CatalogSnapshot, Policy } from '../../catalog/contract.ts';
import type { Gate, GateAway, Look } from '../../gate/contract.ts';
import { type AccountPort, findCurrent } from '../accounts/own-account.ts';
import { type AccountEndpointDeps, ownAccount } from '../context.ts';
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

export interface SubscriptionView {
  readonly id: number;
  readonly planCode: string;
  readonly startsAtMs: number;
  readonly endsAtMs: number;
  readonly status: 'active' | 'upcoming' | 'ended' | 'cancelled';
  readonly createdAtMs: number;
}

export interface SubscriptionPort {
  list(
    accountId: number,
    part: { readonly offset: number; readonly limit: number; readonly nowMs: number },
  ): Promise<{ readonly items: readonly SubscriptionView[]; readonly total: number }>;
}

export interface SubscriptionNeeds {
  readonly subscriptions: SubscriptionPort;
  readonly accounts: Pick<AccountPort, 'find'>;
  readonly gate: Pick<Gate, 'look'>;
  readonly creditsPerYuan: number;
  readonly deps: AccountEndpointDeps;
}

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

export function subscriptionOperations(needs: SubscriptionNeeds): readonly Operation[] {
  return [page(needs), policyLimit(needs)];
}

function page({ subscriptions, deps }: SubscriptionNeeds): Operation {
  return operation({
    ...GROUP,
    name: 'subscriptions.page',
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
      const { items, total } = await subscriptions.list(ownAccount(context), part);
      const { plans } = deps.catalog();
      const rows = items.map(({ id, planCode, startsAtMs, endsAtMs, status, createdAtMs }) => ({
        id,
        plan: planCode,
        plan_name: plans.get(planCode)?.name ?? null,
        starts_at: deps.showTime(startsAtMs),
        ends_at: deps.showTime(endsAtMs),
        status,
        created_at: deps.showTime(createdAtMs),
      }));
      return toPage(rows, total, excerpt);
    },
  });
}

const EXAMPLE_WINDOW = { seconds: 18_000, ...USED_EXAMPLE };

function policyLimit(needs: SubscriptionNeeds): Operation {
  const { accounts, deps } = needs;
  return operation({
    ...GROUP,
    name: 'subscriptions.policy-limit',
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
      const account = await accounts.find(ownAccount(context));
      if (account === undefined) return fail('notFound');
      const nowMs = context.clock.now();
      const catalog = deps.catalog();
      const current = findCurrent(account, catalog, nowMs);
      if (current === undefined) return data({ subscription: null, policy: null, coverage: null });
      const policy = policyOf(current, catalog);
      const look = await lookAt(needs, { accountId: account.id, current, policy });
      return data({
        subscription: shownCurrent(current, deps),
        policy: policy === undefined ? null : usedPolicy(policy, look, { ...deps, nowMs }),
        coverage: usedCoverage(current.plan, look, { ...deps, nowMs }),
      });
    },
  });
}

function policyOf({ plan }: Subscription, { policies }: CatalogSnapshot): Policy | undefined {
  return plan.policyId === undefined ? undefined : policies.get(plan.policyId);
}

/** Rule L-24: the policy of a plan counts in the scope of the account, coverage in the subscription's. */
async function lookAt(
  { gate, creditsPerYuan }: SubscriptionNeeds,
  of: { readonly accountId: number; readonly current: Subscription; readonly policy: Policy | undefined },
): Promise<Look | GateAway> {
  const { accountId, current, policy } = of;
  const windows = current.plan.coverageWindows;
  const coverage = { scope: `subscription:${current.id}`, windows };
  return gate.look({ accountId, scope: `account:${accountId}`, policy, coverage, creditsPerYuan });
}

function shownCurrent(
  { id, plan, startsAtMs, endsAtMs }: Subscription,
  { showTime }: AccountEndpointDeps,
): object {
  return {
    id,
    plan: plan.code,
    plan_name: plan.name,
    plan_level: plan.level,
    starts_at: showTime(startsAtMs),
    ends_at: showTime(endsAtMs),
  };
}
