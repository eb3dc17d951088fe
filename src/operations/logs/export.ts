import { formatMicro } from '../../kernel/money.ts';
import type { Clock } from '../../kernel/time/clock.ts';
import { inputTokens, outputTokens } from '../../kernel/usage.ts';
import type { BalanceItem, ConsumptionItem, LoggedCall, TimeRange } from '../../ledger/log.ts';
import { wholeBalanceLog } from '../../store/logs/balance-log.ts';
import { wholeSearch } from '../../store/logs/call-search.ts';
import { wholeLog } from '../../store/logs/log-pages.ts';
import { EXPORT_DAYS_MAX } from '../bounds.ts';
import { type Context, ownAccount } from '../context.ts';
import { type Failure, fail } from '../failure.ts';
import { type Operation, operation, type TextAnswer } from '../operation.ts';
import { type Static, Type } from '../schema.ts';
import { type Cell, csvLine, type Figure } from './csv.ts';
import {
  BALANCE_FIELDS,
  CONSUMPTION_FIELDS,
  FOUND_FIELDS,
  type FoundFilter,
  readFoundFilter,
  readTimeRange,
} from './log-filter.ts';
import type { ShowTime } from './log-items.ts';

export type Columns<Item> = Readonly<Record<string, (item: Item, showTime: ShowTime) => Cell>>;

const figure = (amountMicro: bigint): Figure => ({ figure: formatMicro(amountMicro) });

export const CALL_COLUMNS: Columns<LoggedCall> = {
  id: ({ id }) => id,
  request_id: ({ callId }) => callId,
  created_at: ({ createdAtMs }, showTime) => showTime(createdAtMs),
  model_id: ({ modelAsked }) => modelAsked,
  model_used: ({ modelUsed }) => modelUsed,
  protocol: ({ protocolIn }) => protocolIn,
  stream: ({ stream }) => stream,
  status: ({ status }) => status,
  error_code: ({ errorCode }) => errorCode,
  verdict: ({ verdict }) => verdict,
  input_tokens: ({ usage }) => inputTokens(usage),
  output_tokens: ({ usage }) => outputTokens(usage),
  cache_read_tokens: ({ usage }) => usage.cacheRead,
  cache_write_tokens: ({ usage }) => usage.cacheWrite,
  reasoning_tokens: ({ usage }) => usage.outputReasoning,
  images: ({ usage }) => usage.images,
  estimated: ({ estimated }) => estimated,
  amount: ({ amountMicro }) => figure(amountMicro),
  credits: ({ creditsMicro }) => figure(creditsMicro),
  payer: ({ payer }) => payer,
  subscription_covered: ({ payer }) => payer === 'subscription',
  free_reason: ({ freeReason }) => freeReason,
  ttft_ms: ({ ttfbMs }) => ttfbMs,
  duration_ms: ({ durationMs }) => durationMs,
  key_id: ({ keyId }) => keyId,
  key_name: ({ keyName }) => keyName,
};

const CONSUMPTION_COLUMNS: Columns<ConsumptionItem> = {
  id: ({ id }) => id,
  call_id: ({ callId }) => callId,
  created_at: ({ createdAtMs }, showTime) => showTime(createdAtMs),
  model: ({ receipt }) => receipt.model,
  payer: ({ receipt }) => receipt.payer,
  list_amount: ({ receipt }) => ({ figure: receipt.list_amount }),
  amount: ({ amountMicro }) => figure(amountMicro),
  charge: ({ receipt }) => ({ figure: receipt.charge }),
  exchanged: ({ receipt }) => ({ figure: receipt.exchanged }),
  credits: ({ creditsMicro }) => figure(creditsMicro),
  shortfall: ({ shortfallMicro }) => figure(shortfallMicro),
  free_reason: ({ receipt }) => receipt.free_reason,
};

const BALANCE_COLUMNS: Columns<BalanceItem> = {
  id: ({ id }) => id,
  created_at: ({ createdAtMs }, showTime) => showTime(createdAtMs),
  kind: ({ kind }) => kind,
  pool: ({ pool }) => pool,
  change: ({ changeMicro }) => figure(changeMicro),
  after: ({ afterMicro }) => figure(afterMicro),
  ref: ({ ref }) => ref,
};

export const FORMAT = { format: Type.Optional(Type.Literal('csv', { default: 'csv' })) };
const CSV = Type.String({
  description: 'CSV (RFC 4180) in UTF-8. The first line has the names of the columns.',
});

const CSV_TYPE = 'text/csv; charset=utf-8';

const WAY = { surface: 'user', access: 'user', tag: 'Logs', method: 'GET' } as const;
export const CSV_FILE = { ...WAY, data: CSV, file: CSV_TYPE };

const exportCalls = operation({
  ...CSV_FILE,
  name: 'logs.exportCalls',
  id: 'exportCalls',
  path: '/call-log/export',
  title: 'Export my calls',
  summary: 'The call log as CSV, at most a year.',
  query: Type.Object({ ...FORMAT, ...FOUND_FIELDS }),
  example: { data: printCsvExample(CALL_COLUMNS) },
  handle: async ({ query }, context) => {
    const filter = readBoundedFilter(query, context);
    if ('kind' in filter) return filter;
    const pieces = wholeSearch(context, { ...filter, accountId: ownAccount(context) });
    return toCsvFile('call-log', printCsv(CALL_COLUMNS, pieces, context.showTime), context);
  },
});

const exportConsumptions = operation({
  ...CSV_FILE,
  name: 'logs.exportConsumptions',
  id: 'exportConsumption',
  path: '/consumption-log/export',
  title: 'Export my consumption',
  summary: 'The consumption log as CSV, at most a year.',
  query: Type.Object({ ...FORMAT, ...CONSUMPTION_FIELDS }),
  example: { data: printCsvExample(CONSUMPTION_COLUMNS) },
  handle: async ({ query }, context) => {
    const filter = readBoundedFilter(query, context);
    if ('kind' in filter) return filter;
    const asked = { accountId: ownAccount(context), filter };
    const pieces = wholeLog(context.database, 'consumptions', asked);
    return toCsvFile('consumption-log', printCsv(CONSUMPTION_COLUMNS, pieces, context.showTime), context);
  },
});

const exportBalance = operation({
  ...CSV_FILE,
  name: 'logs.exportBalance',
  id: 'exportBalanceChanges',
  path: '/balance-log/export',
  title: 'Export my balance changes',
  summary: 'The balance log as CSV, at most a year.',
  query: Type.Object({ ...FORMAT, ...BALANCE_FIELDS }),
  example: { data: printCsvExample(BALANCE_COLUMNS) },
  handle: async ({ query }, context) => {
    const range = toBoundedRange(readTimeRange(query, context), context.clock);
    if ('kind' in range) return range;
    const pieces = wholeBalanceLog(context.database, ownAccount(context), { range, pool: query.pool });
    return toCsvFile('balance-log', printCsv(BALANCE_COLUMNS, pieces, context.showTime), context);
  },
});

const FILTER = Type.Object(FOUND_FIELDS);
const DAYS_MS = EXPORT_DAYS_MAX * 86_400_000;

export function readBoundedFilter(query: Static<typeof FILTER>, context: Context): FoundFilter | Failure {
  const filter = readFoundFilter(query, context);
  if ('kind' in filter) return filter;
  const range = toBoundedRange(filter, context.clock);
  return 'kind' in range ? range : { ...filter, ...range };
}

/** An absent `to` is now, an absent `from` is a year before it. */
function toBoundedRange(range: TimeRange | Failure, clock: Clock): TimeRange | Failure {
  if ('kind' in range) return range;
  // `to` is exclusive, and the current millisecond belongs to the export.
  const { toMs = Math.max(clock.now(), range.fromMs ?? 0) + 1 } = range;
  const { fromMs = toMs - DAYS_MS } = range;
  if (toMs - fromMs > DAYS_MS) {
    return fail('badParameter', `from must be at most ${EXPORT_DAYS_MAX} days before to`);
  }
  return { fromMs, toMs };
}

/** The first line has the names of the columns. */
export async function* printCsv<Item>(
  columns: Columns<Item>,
  pieces: AsyncIterable<readonly Item[]>,
  showTime: ShowTime,
): AsyncGenerator<string, void, undefined> {
  const cells = Object.values(columns);
  yield csvLine(Object.keys(columns));
  for await (const items of pieces) {
    yield items.map((item) => csvLine(cells.map((cell) => cell(item, showTime)))).join('');
  }
}

export function toCsvFile(
  name: string,
  chunks: AsyncIterable<string>,
  { clock, showTime }: Context,
): TextAnswer {
  const day = showTime(clock.now()).slice(0, 10);
  return {
    kind: 'text',
    contentType: CSV_TYPE,
    fileName: `${name}-${day}.csv`,
    chunks,
  };
}

export function printCsvExample(columns: Readonly<Record<string, unknown>>): string {
  return csvLine(Object.keys(columns));
}

/** The logs as files. They are written while they are read, at any length. */
export const exportOperations: readonly Operation[] = [exportCalls, exportConsumptions, exportBalance];
