import type { ApiKey, Subscription } from '../../accounts/contract.ts';
import { PAGE_SIZE_MAX } from '../../bounds.ts';
import type { Policy } from '../../catalog/contract.ts';
import type { Gate } from '../../gate/contract.ts';
import { type AccountPort, findCurrent, knownSubscriptions } from '../accounts/own-account.ts';
import { LIMITED_KEYS_MAX } from '../bounds.ts';
import { type AccountEndpointDeps, ownAccount } from '../context.ts';
import { fail } from '../failure.ts';
import { ID, nullable } from '../fields.ts';
import type { KeyPort } from '../keys/keys.ts';
import { data, type Operation, operation } from '../operation.ts';
import { Type } from '../schema.ts';
import { USED_COVERAGE, USED_EXAMPLE, USED_POLICY, usedCoverage, usedPolicy } from './limit-windows.ts';

/** The account whose limits are read. */
export interface Limited {
  readonly accountId: number;
  /** The policy that an operator set. */
  readonly policyId: number | undefined;
  readonly subscriptions: readonly Subscription[];
  /** Its newest keys, or the requested one. */
  readonly keys: readonly Pick<ApiKey, 'id' | 'policyId'>[];
}

/** A scope that counts calls, and its policy: rule L-10. */
export interface LimitScope {
  /** The name of the scope in the gate: `account:12`, `key:34`. */
  readonly scope: string;
  /** Undefined for the scope of the account. */
  readonly keyId: number | undefined;
  readonly policy: Policy | undefined;
}

export interface LimitNeeds {
  readonly accounts: Pick<AccountPort, 'find'>;
  readonly keys: Pick<KeyPort, 'list' | 'find'>;
  readonly gate: Pick<Gate, 'look'>;
  readonly creditsPerYuan: number;
  readonly deps: AccountEndpointDeps;
  /** All scopes that count calls now: first that of the account, then those of keys that have a policy. */
  limitScopes(limited: Limited, nowMs: number): readonly LimitScope[];
}

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
export function limitOperations(needs: LimitNeeds): readonly Operation[] {
  const { accounts, deps, gate, creditsPerYuan } = needs;
  return [
    operation({
      ...{ surface: 'user', access: 'user', tag: 'Account' },
      name: 'limits.get',
      method: 'GET',
      path: '/limits',
      title: 'Get my limits',
      summary: 'The limits in force, by account and by key: the use of each and when it resets.',
      query: Type.Object({ key_id: Type.Optional(ID) }),
      data: LIMITS,
      fails: ['notFound'],
      example: { data: EXAMPLE },
      handle: async ({ query }, context) => {
        const accountId = ownAccount(context);
        const account = await accounts.find(accountId);
        const keys = await limitedKeys(needs, accountId, query.key_id);
        if (account === undefined || keys === undefined) return fail('notFound');
        const catalog = deps.catalog();
        const nowMs = context.clock.now();
        const subscriptions = knownSubscriptions(account, catalog);
        const scopes = needs.limitScopes(
          { accountId, policyId: account.policyId, subscriptions, keys },
          nowMs,
        );
        const current = findCurrent(account, catalog, nowMs);
        const coverage = current && {
          scope: `subscription:${current.id}`,
          windows: current.plan.coverageWindows,
        };
        const looks = await Promise.all(
          scopes.map(({ scope, policy }) =>
            gate.look({ accountId, scope, policy, coverage, creditsPerYuan }),
          ),
        );
        const moment = { nowMs, showTime: deps.showTime };
        const [ofAccount] = looks;
        const names = new Map(keys.map(({ id, name }) => [id, name]));
        return data({
          scopes: scopes.map(({ keyId, policy }, place) => ({
            scope: keyId === undefined ? 'account' : 'key',
            key_id: keyId ?? null,
            key_name: keyId === undefined ? null : (names.get(keyId) ?? null),
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
        });
      },
    }),
  ];
}

const AWAY = { kind: 'gate-away', retryAfterMs: 0 } as const;

type NamedKey = Pick<ApiKey, 'id' | 'policyId' | 'name'>;

/** The requested key, or the newest keys that have a policy. Undefined: it is not a key of the account. */
async function limitedKeys(
  { keys }: LimitNeeds,
  accountId: number,
  keyId: number | undefined,
): Promise<readonly NamedKey[] | undefined> {
  if (keyId !== undefined) {
    const key = await keys.find(accountId, keyId);
    return key === undefined ? undefined : [key];
  }
  const found: NamedKey[] = [];
  for (let offset = 0; found.length < LIMITED_KEYS_MAX; offset += PAGE_SIZE_MAX) {
    const { items } = await keys.list(accountId, { offset, limit: PAGE_SIZE_MAX });
    found.push(...items.filter(({ policyId }) => policyId !== undefined));
    if (items.length < PAGE_SIZE_MAX) break;
  }
  return found.slice(0, LIMITED_KEYS_MAX);
}
