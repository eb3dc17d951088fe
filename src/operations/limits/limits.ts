import type { ApiKey } from '../../accounts/contract.ts';
import { chooseLimits } from '../../accounts/limits.ts';
import { PAGE_SIZE_MAX } from '../../bounds.ts';
import type { CatalogSnapshot } from '../../catalog/contract.ts';
import type { ScopedPolicy } from '../../gate/contract.ts';
import { assert } from '../../kernel/assert.ts';
import { type AccountView, findAccountView } from '../../store/accounts/account-view.ts';
import { findKey, listKeys } from '../../store/accounts/api-keys.ts';
import type { Database } from '../../store/database.ts';
import { findCurrent, knownSubscriptions } from '../accounts/own-account.ts';
import { LIMITED_KEYS_MAX } from '../bounds.ts';
import { type OperationDeps, ownAccount } from '../context.ts';
import { fail } from '../failure.ts';
import { ID, nullable } from '../fields.ts';
import { data, type Operation, operation } from '../operation.ts';
import { Type } from '../schema.ts';
import { USED_COVERAGE, USED_EXAMPLE, USED_POLICY, usedCoverage, usedPolicy } from './limit-windows.ts';

const LIMITS = Type.Object({
  scopes: Type.Array(
    Type.Object({
      scope: Type.Union([Type.Literal('account'), Type.Literal('key')]),
      key_id: nullable(ID),
      key_name: nullable(Type.String()),
      policy: nullable(USED_POLICY),
    }),
    { description: 'The account, and each key that has its own policy.' },
  ),
  coverage: nullable(Type.Object({ subscription_id: ID, plan: Type.String(), ...USED_COVERAGE.properties })),
});

const EXAMPLE = {
  scopes: [
    {
      ...{ scope: 'account', key_id: null, key_name: null },
      policy: {
        ...{ id: 1, name: 'default', concurrency: 20, concurrency_used: 1 },
        windows: [
          {
            ...{ dimension: 'requests', seconds: 60, limit: '600' },
            ...{ used: '412', ends_at: '2026-11-15 09:05:38', resets_in: 38 },
          },
        ],
      },
    },
  ],
  coverage: {
    ...{ subscription_id: 3, plan: 'PRO', models: '*' },
    windows: [{ seconds: 18_000, amount: '60', ...USED_EXAMPLE }],
  },
};

/** The use of every limit of the account that is in force. */
const limits = operation({
  ...{ surface: 'user', access: 'user', tag: 'Account' },
  name: 'limits.get',
  id: 'getLimits',
  method: 'GET',
  path: '/limits',
  title: 'Get my limits',
  summary: 'The limits in force, by account and by key: the use of each and when it resets.',
  query: Type.Object({ key_id: Type.Optional(ID) }),
  data: LIMITS,
  fails: ['notFound'],
  example: { data: EXAMPLE },
  handle: async ({ query }, context) => {
    const { database } = context;
    const accountId = ownAccount(context);
    const account = await findAccountView(database, accountId);
    const keys = await limitedKeys(database, accountId, query.key_id);
    if (account === undefined || keys === undefined) return fail('notFound');
    return data(await shownLimits(account, keys, context));
  },
});

/** The limits of an account as it reads them. */
export async function readLimits(account: AccountView, deps: LimitDeps): Promise<object> {
  return shownLimits(account, (await limitedKeys(deps.database, account.id, undefined)) ?? [], deps);
}

type LimitDeps = Pick<OperationDeps, 'database' | 'gate' | 'config' | 'clock' | 'catalog' | 'showTime'>;

async function shownLimits(
  account: AccountView,
  keys: readonly NamedKey[],
  { gate, config, clock, showTime, ...deps }: LimitDeps,
): Promise<object> {
  const catalog = deps.catalog();
  const nowMs = clock.now();
  const scopes = limitScopes({ account, keys }, catalog, nowMs);
  const current = findCurrent(account, catalog, nowMs);
  const coverage = current && {
    scope: `subscription:${current.id}`,
    windows: current.plan.coverageWindows,
  };
  const { creditsPerYuan } = config;
  const asked = { accountId: account.id, coverage, creditsPerYuan };
  const looks = await Promise.all(scopes.map(({ scope, policy }) => gate.look({ ...asked, scope, policy })));
  const moment = { nowMs, showTime };
  const [ofAccount] = looks;
  return {
    scopes: scopes.map(({ key, policy }, place) => ({
      scope: key === undefined ? 'account' : 'key',
      key_id: key?.id ?? null,
      key_name: key?.name ?? null,
      policy: policy === undefined ? null : usedPolicy(policy, looks[place] ?? AWAY, moment),
    })),
    coverage:
      current === undefined
        ? null
        : {
            subscription_id: current.id,
            plan: current.plan.code,
            ...usedCoverage(current.plan, ofAccount ?? AWAY, moment),
          },
  };
}

const AWAY = { kind: 'gate-away', retryAfterMs: 0 } as const;

type NamedKey = Pick<ApiKey, 'id' | 'policyId' | 'name'>;

/** A scope that counts calls, with its policy; without a key it is that of the account. */
interface LimitScope extends ScopedPolicy {
  readonly key: NamedKey | undefined;
}

/** Rule L-10: all scopes that count calls now, first the account's, then those of keys that have a policy. */
function limitScopes(
  { account, keys }: { readonly account: AccountView; readonly keys: readonly NamedKey[] },
  catalog: CatalogSnapshot,
  nowMs: number,
): readonly LimitScope[] {
  const { id, policyId } = account;
  const whose = { id, policyId, subscriptions: knownSubscriptions(account, catalog) };
  const choose = (key: Pick<NamedKey, 'id' | 'policyId'>) =>
    chooseLimits({ account: whose, key }, catalog, nowMs);
  const [own] = choose({ id: 0, policyId: undefined });
  assert(own !== undefined, 'an account has a policy scope');
  const ofKeys = keys.flatMap((key) =>
    choose(key)
      .slice(1)
      .map((scoped) => ({ ...scoped, key })),
  );
  return [{ ...own, key: undefined }, ...ofKeys];
}

/** The requested key, or the newest keys that have a policy. Undefined: it is not a key of the account. */
async function limitedKeys(
  database: Database,
  accountId: number,
  keyId: number | undefined,
): Promise<readonly NamedKey[] | undefined> {
  if (keyId !== undefined) {
    const key = await findKey(database, accountId, keyId);
    return key === undefined ? undefined : [key];
  }
  const found: NamedKey[] = [];
  for (let offset = 0; found.length < LIMITED_KEYS_MAX; offset += PAGE_SIZE_MAX) {
    const { items } = await listKeys(database, accountId, { offset, limit: PAGE_SIZE_MAX });
    found.push(...items.filter(({ policyId }) => policyId !== undefined));
    if (items.length < PAGE_SIZE_MAX) break;
  }
  return found.slice(0, LIMITED_KEYS_MAX);
}

export const limitOperations: readonly Operation[] = [limits];
