import type { StoredCatalog } from '../../catalog/document.ts';
import type { CatalogEdit } from '../../catalog/edit.ts';
import { findEffects, type RouteShare } from '../../catalog/effects.ts';
import { countPolicyUsers } from '../../store/catalog/use.ts';
import type { Context } from '../context.ts';
import { nullable, POLICY_ID } from '../fields.ts';
import { Type } from '../schema.ts';

const TEXT = Type.String();
const COUNT = Type.Integer({ minimum: 0 });
const SHARES = Type.Array(
  Type.Object({
    credential: TEXT,
    forward_model_id: TEXT,
    priority: Type.Integer(),
    share: Type.Number({ minimum: 0, maximum: 1, description: 'Of the calls that reach its priority.' }),
  }),
  { description: 'The routes that serve calls, in the order in which they are tried.' },
);

/** What a change means for calls, before and after. */
export const EFFECTS = Type.Object({
  shares: Type.Array(Type.Object({ model_id: TEXT, before: SHARES, after: SHARES })),
  prices: Type.Array(
    Type.Object({ model_id: TEXT, price: TEXT, before: nullable(TEXT), after: nullable(TEXT) }),
  ),
  rates: Type.Array(
    Type.Object({ entity: TEXT, key: TEXT, rate: TEXT, before: nullable(TEXT), after: TEXT }),
  ),
  limits: Type.Array(
    Type.Object({
      ...{ policy_id: POLICY_ID, name: TEXT, before: nullable(TEXT) },
      limit: Type.String({ description: 'concurrency, or the dimension of a window.' }),
      seconds: nullable(Type.Integer({ minimum: 1, description: 'Of the window.' })),
      after: nullable(Type.String({ description: 'Null: no limit.' })),
      accounts: Type.Integer({ minimum: 0, description: 'Accounts that have the policy now.' }),
      keys: COUNT,
    }),
  ),
});

const SHARE_EXAMPLE = { credential: 'openai-main', forward_model_id: 'gpt-5', priority: 100, share: 1 };
export const EFFECTS_EXAMPLE = {
  shares: [{ model_id: 'gpt-5', before: [], after: [SHARE_EXAMPLE] }],
  prices: [{ model_id: 'gpt-5', price: 'output', before: '30', after: '33' }],
  rates: [{ entity: 'vendor', key: 'openai', rate: 'rate', before: '100', after: '90' }],
  limits: [
    {
      ...{ policy_id: 3, name: 'pro', limit: 'concurrency', seconds: null },
      ...{ before: '16', after: '20', accounts: 214, keys: 3 },
    },
  ],
};

export async function shownEffects(
  { database, clock }: Context,
  stored: StoredCatalog,
  { after, changes }: CatalogEdit,
): Promise<object> {
  const { shares, prices, rates, limits } = findEffects(stored, after, changes);
  const users = await countPolicyUsers(database, {
    policyIds: [...new Set(limits.map(({ policyId }) => policyId))],
    defaultPolicyId: stored.defaults.policyId,
    nowMs: clock.now(),
  });
  return {
    shares: shares.map((each) => ({
      ...{ model_id: each.modelId, before: each.before.map(shownShare), after: each.after.map(shownShare) },
    })),
    prices: prices.map(({ modelId, ...rest }) => ({ model_id: modelId, ...rest })),
    rates,
    limits: limits.map(({ policyId, ...rest }) => ({
      policy_id: policyId,
      ...rest,
      ...(users.get(policyId) ?? { accounts: 0, keys: 0 }),
    })),
  };
}

const SHARE_UNITS = 10_000;

function shownShare({ credential, forwardModelId, priority, share }: RouteShare): object {
  return { credential, forward_model_id: forwardModelId, priority, share: share / SHARE_UNITS };
}
