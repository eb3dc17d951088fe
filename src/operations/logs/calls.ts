import { PAGE_SIZE_MAX } from '../../bounds.ts';
import type { Times } from '../../kernel/time/calendar.ts';
import type { LoggedCall } from '../../ledger/log.ts';
import { findLogin } from '../../store/accounts/accounts.ts';
import type { Database } from '../../store/database.ts';
import {
  type CallCursor,
  type CallSearch,
  type FoundCall,
  findAnyCall,
  searchCalls,
  wholeSearch,
  withEmails,
} from '../../store/logs/call-search.ts';
import { type Context, ownAccount } from '../context.ts';
import { type Failure, fail } from '../failure.ts';
import { ID, nullable } from '../fields.ts';
import { data, type Operation, operation } from '../operation.ts';
import { OPERATORS } from '../operator.ts';
import { type Static, Type } from '../schema.ts';
import { CALL_DETAIL, DETAIL_EXAMPLE, REQUEST_PARAMS, shownDetail } from './call-detail.ts';
import {
  CALL_COLUMNS,
  type Columns,
  CSV_FILE,
  FORMAT,
  printCsv,
  printCsvExample,
  readBoundedFilter,
  toCsvFile,
} from './export.ts';
import { CALL_EXAMPLE } from './log-examples.ts';
import { FOUND_FIELDS, readFoundFilter } from './log-filter.ts';
import { CALL, shownCall } from './log-items.ts';

const WHOSE = { account_id: ID, email: Type.String(), vendor: nullable(Type.String()) };
export const FOUND = Type.Object({ ...WHOSE, ...CALL.properties });
const PAGE_SIZE = 20;
const SEARCH_FIELDS = {
  ...FOUND_FIELDS,
  size: Type.Optional(Type.Integer({ minimum: 1, maximum: PAGE_SIZE_MAX, default: PAGE_SIZE })),
  cursor: Type.Optional(
    Type.String({
      ...{ pattern: '^\\d{1,15}-\\d{1,15}$', maxLength: 31 },
      form: 'the value of `next` of the page before',
      description: '`next` of the page before.',
    }),
  ),
};
const OF_ACCOUNT = {
  account_id: Type.Optional(ID),
  email: Type.Optional(
    Type.String({ minLength: 1, maxLength: 254, description: 'Only calls of this account.' }),
  ),
};
const QUERY = Type.Object({
  ...SEARCH_FIELDS,
  request_id: Type.Optional(
    Type.String({ minLength: 1, maxLength: 100, description: 'One call. All other filters are ignored.' }),
  ),
  ...OF_ACCOUNT,
});

const NEXT = nullable(
  Type.String({ description: 'The cursor of the next page, also if this page is short. Null at the end.' }),
);

function normal(email: string): string {
  return email.trim().toLowerCase();
}

/** The latest moment that a date can have. */
const TIME_MS_MAX = 8_640_000_000_000_000;

function parseCursor(text: string): CallCursor | undefined {
  const [createdAtMs = 0, id = 0] = text.split('-').map(Number);
  return createdAtMs > TIME_MS_MAX ? undefined : { createdAtMs, id };
}

const SEARCH = Type.Object(SEARCH_FIELDS);

/** The meaning of the query besides the account. */
function readCallSearch(query: Static<typeof SEARCH>, times: Times): CallSearch | Failure {
  const filter = readFoundFilter(query, times);
  if ('kind' in filter) return filter;
  const { size = PAGE_SIZE } = query;
  const before = query.cursor === undefined ? undefined : parseCursor(query.cursor);
  if (query.cursor !== undefined && before === undefined) {
    return fail('badParameter', 'cursor must be the value of `next` of the page before');
  }
  return { ...filter, before, size };
}

function shownNext(next: CallCursor | undefined): string | null {
  return next === undefined ? null : `${next.createdAtMs}-${next.id}`;
}

export function shownFound(call: FoundCall, { showTime }: Times): object {
  const { accountId, email, vendor } = call;
  return { account_id: accountId, email, vendor, ...shownCall(call, showTime) };
}

const search = operation({
  ...{ ...OPERATORS, tag: 'Calls' },
  name: 'calls.search',
  id: 'searchCalls',
  method: 'GET',
  path: '/calls',
  title: 'Search calls',
  summary: 'Search the calls of all accounts, newest first.',
  query: QUERY,
  data: Type.Object({
    calls: Type.Array(FOUND),
    next: NEXT,
  }),
  example: {
    data: {
      calls: [{ account_id: 12, email: 'user@example.com', vendor: 'openai', ...CALL_EXAMPLE }],
      next: '1763197500000-5021',
    },
  },
  handle: async ({ query }, context) => {
    const { database } = context;
    if (query.request_id !== undefined) {
      const found = await findAnyCall(database, query.request_id);
      return data({ calls: found === undefined ? [] : [shownFound(found, context)], next: null });
    }
    const wanted = readCallSearch(query, context);
    if ('kind' in wanted) return wanted;
    const accountId = await whoseCalls(query, context);
    if (accountId === NOBODY) return data({ calls: [], next: null });
    const { items, next } = await searchCalls(context, { ...wanted, accountId });
    const found = await withEmails(database, items);
    return data({ calls: found.map((call) => shownFound(call, context)), next: shownNext(next) });
  },
});

const WHOSE_QUERY = Type.Object(OF_ACCOUNT);
/** No account has this number. */
const NOBODY = 0;

/** The account that the query names, if it names one. */
async function whoseCalls(
  { account_id: id, email }: Static<typeof WHOSE_QUERY>,
  { database }: Context,
): Promise<number | undefined> {
  if (email === undefined) return id;
  const known = (await findLogin(database, normal(email)))?.accountId ?? NOBODY;
  return id === undefined || id === known ? known : NOBODY;
}

const EXPORT_COLUMNS: Columns<FoundCall> = {
  account_id: ({ accountId }) => accountId,
  email: ({ email }) => email,
  vendor: ({ vendor }) => vendor,
  ...CALL_COLUMNS,
};

const exportAll = operation({
  ...{ ...CSV_FILE, ...OPERATORS, tag: 'Calls' },
  name: 'calls.export',
  id: 'exportCallsOfAllAccounts',
  path: '/calls/export',
  title: 'Export calls of all accounts',
  summary: 'The calls of all accounts as CSV, with the filters of the search, at most a year.',
  query: Type.Object({ ...FORMAT, ...FOUND_FIELDS, ...OF_ACCOUNT }),
  example: { data: printCsvExample(EXPORT_COLUMNS) },
  handle: async ({ query }, context) => {
    const filter = readBoundedFilter(query, context);
    if ('kind' in filter) return filter;
    const accountId = await whoseCalls(query, context);
    const pieces = named(wholeSearch(context, { ...filter, accountId }), context.database);
    return toCsvFile('calls', printCsv(EXPORT_COLUMNS, pieces, context.showTime), context);
  },
});

async function* named(
  pieces: AsyncIterable<readonly LoggedCall[]>,
  database: Database,
): AsyncGenerator<readonly FoundCall[], void, undefined> {
  for await (const calls of pieces) yield await withEmails(database, calls);
}

const detail = operation({
  ...{ ...OPERATORS, tag: 'Calls' },
  name: 'calls.detail',
  id: 'getAnyCall',
  method: 'GET',
  path: '/calls/:request_id',
  title: 'Get any call',
  summary: 'One call of any account, with its attempts, credentials, cost and receipt.',
  params: REQUEST_PARAMS,
  data: Type.Object({ ...WHOSE, ...CALL_DETAIL.properties }),
  fails: ['notFound'],
  example: {
    data: { account_id: 12, email: 'user@example.com', vendor: 'openai', ...DETAIL_EXAMPLE, cost: '0.025' },
  },
  handle: async ({ params }, context) => {
    const call = await findAnyCall(context.database, params.request_id);
    if (call === undefined) return fail('notFound');
    const { accountId, email, vendor } = call;
    return data({ account_id: accountId, email, vendor, ...(await shownDetail(call, context, 'operator')) });
  },
});

/** The calls of all accounts. */
export const callOperations: readonly Operation[] = [search, exportAll, detail];

/** For lists without an end: a page costs the same at any depth, but there is no total. */
export const ownSearch = operation({
  ...{ surface: 'user', access: 'user', tag: 'Logs' },
  name: 'logs.search',
  id: 'browseCalls',
  method: 'GET',
  path: '/call-log/search',
  title: 'Browse my calls',
  summary:
    'The calls of the account, newest first, also by verdict and error code; page by page with a cursor.',
  query: SEARCH,
  data: Type.Object({ calls: Type.Array(CALL), next: NEXT }),
  example: { data: { calls: [CALL_EXAMPLE], next: '1763197500000-5021' } },
  handle: async ({ query }, context) => {
    const wanted = readCallSearch(query, context);
    if ('kind' in wanted) return wanted;
    const { items, next } = await searchCalls(context, { ...wanted, accountId: ownAccount(context) });
    return data({ calls: items.map((call) => shownCall(call, context.showTime)), next: shownNext(next) });
  },
});
