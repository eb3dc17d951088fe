import type { Place } from '../../ledger/log.ts';
import { pageOfBalanceLog } from '../../store/logs/balance-log.ts';
import { pageOfLog } from '../../store/logs/log-pages.ts';
import { ownAccount } from '../context.ts';
import { type Excerpt, pageQuery, readExcerpt, toPage } from '../fields.ts';
import { type Operation, operation } from '../operation.ts';
import { Type } from '../schema.ts';
import { callDetailOperations } from './call-detail.ts';
import { ownSearch } from './calls.ts';
import { BALANCE_EXAMPLE, CALL_EXAMPLE, CONSUMPTION_EXAMPLE } from './log-examples.ts';
import {
  BALANCE_FIELDS,
  CALL_LOG_FIELDS,
  CONSUMPTION_FIELDS,
  LOG_PAGE,
  readLogFilter,
  readTimeRange,
} from './log-filter.ts';
import {
  BALANCE_CHANGE,
  CALL,
  CONSUMPTION,
  shownBalanceChange,
  shownCall,
  shownConsumption,
} from './log-items.ts';

const GROUP = { surface: 'user', access: 'user', tag: 'Logs' } as const;

const toPlace = ({ offset, limit }: Excerpt): Place => ({ skip: offset, size: limit });

const callPage = operation({
  ...GROUP,
  name: 'logs.calls',
  id: 'listCalls',
  method: 'GET',
  path: '/call-log/page',
  title: 'List my calls',
  summary: 'The calls of the account, newest first.',
  query: pageQuery({ ...CALL_LOG_FIELDS, ...LOG_PAGE }),
  data: Type.Array(CALL),
  paged: true,
  example: { data: [CALL_EXAMPLE] },
  handle: async ({ query }, context) => {
    const filter = readLogFilter(query, context);
    if ('kind' in filter) return filter;
    const excerpt = readExcerpt(query);
    const question = { accountId: ownAccount(context), filter, place: toPlace(excerpt) };
    const { items, total } = await pageOfLog(context.database, 'calls', question);
    const rows = items.map((call) => shownCall(call, context.showTime));
    return toPage(rows, total, excerpt);
  },
});

const consumptionPage = operation({
  ...GROUP,
  name: 'logs.consumptions',
  id: 'listConsumption',
  method: 'GET',
  path: '/consumption-log/page',
  title: 'List my consumption',
  summary: 'The cost of each call that reached a vendor, with its receipt, newest first.',
  query: pageQuery({ ...CONSUMPTION_FIELDS, ...LOG_PAGE }),
  data: Type.Array(CONSUMPTION),
  paged: true,
  example: { data: [CONSUMPTION_EXAMPLE] },
  handle: async ({ query }, context) => {
    const filter = readLogFilter(query, context);
    if ('kind' in filter) return filter;
    const excerpt = readExcerpt(query);
    const question = { accountId: ownAccount(context), filter, place: toPlace(excerpt) };
    const { items, total } = await pageOfLog(context.database, 'consumptions', question);
    const rows = items.map((item) => shownConsumption(item, context));
    return toPage(rows, total, excerpt);
  },
});

const balancePage = operation({
  ...GROUP,
  name: 'logs.balance',
  id: 'listBalanceChanges',
  method: 'GET',
  path: '/balance-log/page',
  title: 'List my balance changes',
  summary: 'Every change of balance and Credits, newest first.',
  query: pageQuery({ ...BALANCE_FIELDS, ...LOG_PAGE }),
  data: Type.Array(BALANCE_CHANGE),
  paged: true,
  example: { data: [BALANCE_EXAMPLE] },
  handle: async ({ query }, context) => {
    const range = readTimeRange(query, context);
    if ('kind' in range) return range;
    const excerpt = readExcerpt(query);
    const wanted = { range, pool: query.pool, place: toPlace(excerpt) };
    const { items, total } = await pageOfBalanceLog(context.database, ownAccount(context), wanted);
    const rows = items.map((item) => shownBalanceChange(item, context.showTime));
    return toPage(rows, total, excerpt);
  },
});

/** The logs of an account (rule I-78 and rule I-79), with their filters (rule I-80). */
export const logOperations: readonly Operation[] = [
  ...[callPage, ownSearch, ...callDetailOperations],
  ...[consumptionPage, balancePage],
];
