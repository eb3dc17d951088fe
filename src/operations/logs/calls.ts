import { PAGE_SIZE_MAX } from '../../bounds.ts';
import type { Times } from '../../kernel/time/calendar.ts';
import { findLogin } from '../../store/accounts/accounts.ts';
import { type CallCursor, type FoundCall, findAnyCall, searchCalls } from '../../store/logs/call-search.ts';
import { fail } from '../failure.ts';
import { ID, nullable } from '../fields.ts';
import { data, type Operation, operation } from '../operation.ts';
import { OPERATORS } from '../operator.ts';
import { Type } from '../schema.ts';
import { CALL_EXAMPLE } from './log-examples.ts';
import { CALL_LOG_FIELDS, filterOf } from './log-filter.ts';
import { CALL, shownCall } from './log-items.ts';

const FOUND = Type.Object({
  account_id: ID,
  email: Type.String(),
  vendor: nullable(Type.String()),
  ...CALL.properties,
});
const PAGE_SIZE = 20;
const QUERY = Type.Object({
  ...CALL_LOG_FIELDS,
  request_id: Type.Optional(
    Type.String({ minLength: 1, maxLength: 100, description: 'One call. All other filters are ignored.' }),
  ),
  account_id: Type.Optional(ID),
  email: Type.Optional(
    Type.String({ minLength: 1, maxLength: 254, description: 'Only calls of this account.' }),
  ),
  size: Type.Optional(Type.Integer({ minimum: 1, maximum: PAGE_SIZE_MAX, default: PAGE_SIZE })),
  cursor: Type.Optional(
    Type.String({
      ...{ pattern: '^\\d{1,15}-\\d{1,15}$', maxLength: 31 },
      form: 'the value of `next` of the page before',
      description: '`next` of the page before.',
    }),
  ),
});

function normal(email: string): string {
  return email.trim().toLowerCase();
}

/** The latest moment that a date can have. */
const TIME_MS_MAX = 8_640_000_000_000_000;

function cursorOf(text: string): CallCursor | undefined {
  const [createdAtMs = 0, id = 0] = text.split('-').map(Number);
  return createdAtMs > TIME_MS_MAX ? undefined : { createdAtMs, id };
}

function shownFound(call: FoundCall, { showTime }: Times): object {
  const { accountId, email, vendor } = call;
  return { account_id: accountId, email, vendor, ...shownCall(call, showTime) };
}

const search = operation({
  ...{ ...OPERATORS, tag: 'Calls' },
  name: 'calls.search',
  method: 'GET',
  path: '/calls',
  title: 'Search calls',
  summary: 'Search the calls of all accounts, newest first.',
  query: QUERY,
  data: Type.Object({
    calls: Type.Array(FOUND),
    next: nullable(
      Type.String({
        description: 'The cursor of the next page, also if this page is short. Null at the end.',
      }),
    ),
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
    const filter = filterOf(query, context);
    if ('kind' in filter) return filter;
    const login = query.email === undefined ? undefined : await findLogin(database, normal(query.email));
    const named = login?.accountId;
    const isNobody = query.email !== undefined && named === undefined;
    const isTwo = named !== undefined && query.account_id !== undefined && named !== query.account_id;
    if (isNobody || isTwo) return data({ calls: [], next: null });
    const before = query.cursor === undefined ? undefined : cursorOf(query.cursor);
    if (query.cursor !== undefined && before === undefined) {
      return fail('badParameter', 'cursor must be the value of `next` of the page before');
    }
    const { size = PAGE_SIZE } = query;
    const accountId = query.account_id ?? named;
    const { items, next } = await searchCalls(context, { ...filter, accountId, before, size });
    return data({
      calls: items.map((call) => shownFound(call, context)),
      next: next === undefined ? null : `${next.createdAtMs}-${next.id}`,
    });
  },
});

/** The calls of all accounts. One call with its receipt is below its account. */
export const callOperations: readonly Operation[] = [search];
