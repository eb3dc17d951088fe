import type { GroupUsage, UsageFilter, UsageGroup } from '../../ledger/log.ts';
import { findKeyNames } from '../../store/accounts/api-keys.ts';
import { usageBy } from '../../store/logs/usage-sums.ts';
import { STATS_GROUPS_MAX } from '../bounds.ts';
import { type Context, ownAccount } from '../context.ts';
import type { Failure } from '../failure.ts';
import { ID, nullable } from '../fields.ts';
import { CONSUMPTION_FIELDS, readUsageFilter } from '../logs/log-filter.ts';
import { data, type Operation, operation } from '../operation.ts';
import { type Static, type TProperties, Type } from '../schema.ts';
import { GROUP, SUM_FIELDS, SUMS_EXAMPLE, shownSums } from './stats.ts';

const QUERY = Type.Object(CONSUMPTION_FIELDS);
const ORDER = 'the largest amount first. Default range: this month.';

/** The requested range, or this month. */
function askedRange(query: Static<typeof QUERY>, context: Context): UsageFilter | Failure {
  const asked = readUsageFilter(query, context);
  if ('kind' in asked || asked.fromMs !== undefined || asked.toMs !== undefined) return asked;
  return { ...asked, fromMs: context.days.startOfMonth(context.clock.now()) };
}

interface Grouped {
  readonly by: UsageGroup;
  readonly name: string;
  readonly id: string;
  readonly path: string;
  readonly title: string;
  readonly summary: string;
  readonly fields: TProperties;
  readonly example: object;
  shown(usage: GroupUsage): object;
}

function grouped({ by, fields, example, shown, ...named }: Grouped): Operation {
  return operation({
    ...GROUP,
    ...named,
    summary: `${named.summary}, ${ORDER}`,
    query: QUERY,
    data: Type.Array(Type.Object({ ...fields, ...SUM_FIELDS })),
    example: { data: [{ ...example, ...SUMS_EXAMPLE }] },
    handle: async ({ query }, context) => {
      const range = askedRange(query, context);
      if ('kind' in range) return range;
      const wanted = { by, range, most: STATS_GROUPS_MAX };
      const found = await usageBy(context.database, ownAccount(context), wanted);
      return data(found.map((each) => ({ ...shown(each), ...shownSums(each) })));
    },
  });
}

const KEY_NAME = nullable(Type.String({ description: 'Null for a deleted key.' }));

const keys = operation({
  ...GROUP,
  name: 'stats.keys',
  id: 'getUsageByKey',
  path: '/stats/keys',
  title: 'Get my usage by key',
  summary: `Usage by API key, ${ORDER}`,
  query: QUERY,
  data: Type.Array(Type.Object({ key_id: ID, key_name: KEY_NAME, ...SUM_FIELDS })),
  example: { data: [{ key_id: 12, key_name: 'laptop', ...SUMS_EXAMPLE }] },
  handle: async ({ query }, context) => {
    const range = askedRange(query, context);
    if ('kind' in range) return range;
    const accountId = ownAccount(context);
    const wanted = { by: 'key', range, most: STATS_GROUPS_MAX } as const;
    const found = await usageBy(context.database, accountId, wanted);
    const ids = found.map(({ group }) => Number(group));
    const names = await findKeyNames(context.database, accountId, ids);
    return data(
      found.map((each, place) => ({
        key_id: ids[place],
        key_name: names.get(ids[place] ?? 0) ?? null,
        ...shownSums(each),
      })),
    );
  },
});

/** Usage by model (rule I-81), by key, by protocol and by payer. */
export const groupOperations: readonly Operation[] = [
  grouped({
    ...{
      by: 'model',
      name: 'stats.models',
      id: 'getUsageByModel',
      path: '/stats/models',
      title: 'Get my usage by model',
      summary: 'Usage by model',
    },
    fields: { model_id: Type.String() },
    example: { model_id: 'gpt-5' },
    shown: ({ group }) => ({ model_id: group }),
  }),
  keys,
  grouped({
    ...{
      by: 'protocol',
      name: 'stats.protocols',
      id: 'getUsageByProtocol',
      path: '/stats/protocols',
      title: 'Get my usage by protocol',
      summary: 'Usage by protocol',
    },
    fields: { protocol: Type.String() },
    example: { protocol: 'chat' },
    shown: ({ group }) => ({ protocol: group }),
  }),
  grouped({
    ...{
      by: 'payer',
      name: 'stats.payers',
      id: 'getUsageByPayer',
      path: '/stats/payers',
      title: 'Get my usage by payer',
      summary: 'Usage by payer',
    },
    fields: { payer: Type.String() },
    example: { payer: 'credits' },
    shown: ({ group }) => ({ payer: group }),
  }),
];
