import type { Rates } from '../../catalog/price.ts';
import { formatMicro } from '../../kernel/money.ts';
import { PROTOCOLS } from '../../kernel/protocol-name.ts';
import { inputTokens, outputTokens } from '../../kernel/usage.ts';
import type { Verdict } from '../../ledger/contract.ts';
import type { BalanceItem, ConsumptionItem, LoggedCall } from '../../ledger/log.ts';
import type { Context } from '../context.ts';
import { ID, nullable, SHOWN_AMOUNT, TIME } from '../fields.ts';
import { Type } from '../schema.ts';

/** The rows of the logs as an account reads them, with the names of rule I-78. */
const COUNT = Type.Integer({ minimum: 0 });
const RATE = Type.Number({ minimum: 0 });
const PROTOCOL = Type.Union(PROTOCOLS.map((name) => Type.Literal(name)));
const PAYER = Type.Union(
  (['byok', 'subscription', 'credits', 'none'] as const).map((name) => Type.Literal(name)),
);
const FREE_REASON = nullable(
  Type.Union(
    (['byok', 'covered', 'below-one-credit', 'nothing-produced'] as const).map((name) => Type.Literal(name)),
  ),
);

export const RATES = Type.Object(
  {
    rate_multiplier: RATE,
    system_rate: RATE,
    user_rate: RATE,
    vendor_rate: RATE,
    credential_rate: RATE,
    node_rate: RATE,
    batch_rate: Type.Optional(RATE),
  },
  { description: 'The values at the time of the call. Later changes do not alter them.' },
);

export const VERDICTS = [
  ...(['complete', 'cut-by-upstream', 'cut-by-client', 'cut-by-gateway'] as const),
  ...(['refused', 'failed'] as const),
] satisfies readonly Verdict[];

const CALL_FIELDS = {
  id: ID,
  request_id: Type.String({ description: 'The `x-request-id` of the answer.' }),
  model_id: Type.String({ description: 'The requested model.' }),
  model_used: Type.String({ description: 'The model that served the call; another one after a fallback.' }),
  protocol: PROTOCOL,
  upstream_protocol: nullable(PROTOCOL),
  stream: Type.Boolean(),
  status: Type.Integer({ description: 'The HTTP status that the client got.' }),
  error_code: nullable(Type.Integer()),
  input_tokens: Type.Integer({ minimum: 0, description: 'All input, including cached input.' }),
  output_tokens: Type.Integer({ minimum: 0, description: 'All output, including reasoning.' }),
  cache_read_tokens: COUNT,
  cache_write_tokens: COUNT,
  reasoning_tokens: COUNT,
  images: COUNT,
  amount: Type.String({ ...SHOWN_AMOUNT, description: 'The price of the call in yuan.' }),
  credits: Type.String({ ...SHOWN_AMOUNT, description: 'The Credits that were charged.' }),
  payer: PAYER,
  subscription_covered: Type.Boolean(),
  free_reason: FREE_REASON,
  rates: nullable(RATES),
  verdict: Type.Union(VERDICTS.map((name) => Type.Literal(name))),
  estimated: Type.Boolean({ description: 'The vendor did not count the tokens; they were estimated.' }),
  ttft_ms: nullable(COUNT),
  duration_ms: COUNT,
  attempts: Type.Integer({ minimum: 0, description: 'Number of attempts.' }),
  dropped_fields: Type.Array(Type.String()),
  key_id: Type.Integer({ minimum: 0 }),
  key_name: Type.String(),
  created_at: TIME,
};
export const CALL = Type.Object(CALL_FIELDS);

export type ShowTime = (timeMs: number) => string;

export function shownCall(call: LoggedCall, showTime: ShowTime): Record<keyof typeof CALL_FIELDS, unknown> {
  const { usage } = call;
  return {
    id: call.id,
    request_id: call.callId,
    model_id: call.modelAsked,
    model_used: call.modelUsed,
    protocol: call.protocolIn,
    upstream_protocol: call.protocolOut,
    stream: call.stream,
    status: call.status,
    error_code: call.errorCode,
    input_tokens: inputTokens(usage),
    output_tokens: outputTokens(usage),
    cache_read_tokens: usage.cacheRead,
    cache_write_tokens: usage.cacheWrite,
    reasoning_tokens: usage.outputReasoning,
    images: usage.images,
    amount: formatMicro(call.amountMicro),
    credits: formatMicro(call.creditsMicro),
    payer: call.payer,
    subscription_covered: call.payer === 'subscription',
    free_reason: call.freeReason,
    rates: call.price === null ? null : shownRates(call.price.rates),
    verdict: call.verdict,
    estimated: call.estimated,
    ttft_ms: call.ttfbMs,
    duration_ms: call.durationMs,
    attempts: call.attempts.length,
    dropped_fields: call.droppedFields,
    key_id: call.keyId,
    key_name: call.keyName,
    created_at: showTime(call.createdAtMs),
  };
}

/** A rate as the JSON number that prints the same decimal. */
export function rateNumber(rateMicro: bigint): number {
  return Number(formatMicro(rateMicro));
}

export function shownRates(rates: Rates): object {
  return {
    rate_multiplier: rateNumber(rates.rateMultiplierMicro),
    system_rate: rateNumber(rates.systemMicro),
    user_rate: rateNumber(rates.userMicro),
    vendor_rate: rateNumber(rates.vendorMicro),
    credential_rate: rateNumber(rates.credentialMicro),
    node_rate: rateNumber(rates.nodeMicro),
    ...(rates.batchMicro !== undefined && { batch_rate: rateNumber(rates.batchMicro) }),
  };
}

/** Values of a receipt are exact, with all their decimals. */
export const EXACT = Type.String({ pattern: '^-?\\d{1,60}(\\.\\d{1,60})?$' });
const TEXT = Type.String();

const TRY_FIELDS = { vendor: TEXT, outcome: TEXT, duration_ms: Type.Number({ minimum: 0 }) };

export const RECEIPT = Type.Object(
  {
    call_id: TEXT,
    model: TEXT,
    model_asked: TEXT,
    payer: PAYER,
    estimated: Type.Boolean(),
    lines: Type.Array(
      Type.Object({
        item: TEXT,
        quantity: COUNT,
        price: EXACT,
        per: Type.Integer({ minimum: 1 }),
        amount: EXACT,
      }),
    ),
    list_amount: EXACT,
    rates: Type.Array(Type.Object({ name: TEXT, rate: EXACT, factor: EXACT })),
    product: EXACT,
    cut: EXACT,
    amount: EXACT,
    credits_per_yuan: Type.Integer({ minimum: 1 }),
    amount_credits: EXACT,
    charge: EXACT,
    held: EXACT,
    exchanged: EXACT,
    credits: EXACT,
    shortfall: EXACT,
    free_reason: FREE_REASON,
    free_because: nullable(TEXT),
    attempts: Type.Array(Type.Object({ route_id: COUNT, ...TRY_FIELDS, credential: Type.Optional(TEXT) })),
    entries: Type.Array(Type.Object({ id: TEXT, kind: TEXT, pool: TEXT, change: EXACT, after: EXACT })),
  },
  { description: 'The computation of the charge. Each value follows from those before it.' },
);

/** Who reads a log: the owner of the account, who sees names of own credentials only, or an operator. */
export type Reader = 'owner' | 'operator';

/** At the terminal everybody is an operator. */
export function toReader({ actor }: Pick<Context, 'actor'>): Reader {
  return actor === undefined ? 'owner' : 'operator';
}

export function shownReceipt(receipt: ConsumptionItem['receipt'], reader: Reader): object {
  const attempts = receipt.attempts.map(({ own, credential, ...attempt }) =>
    own || reader === 'operator' ? { ...attempt, credential } : attempt,
  );
  return { ...receipt, attempts };
}

const CONSUMPTION_FIELDS = {
  id: ID,
  call_id: Type.String({ description: 'The request id of the call.' }),
  amount: SHOWN_AMOUNT,
  credits: SHOWN_AMOUNT,
  shortfall: SHOWN_AMOUNT,
  receipt: RECEIPT,
  created_at: TIME,
};
export const CONSUMPTION = Type.Object(CONSUMPTION_FIELDS);

export function shownConsumption(
  item: ConsumptionItem,
  context: Pick<Context, 'actor' | 'showTime'>,
): Record<keyof typeof CONSUMPTION_FIELDS, unknown> {
  return {
    id: item.id,
    call_id: item.callId,
    amount: formatMicro(item.amountMicro),
    credits: formatMicro(item.creditsMicro),
    shortfall: formatMicro(item.shortfallMicro),
    receipt: shownReceipt(item.receipt, toReader(context)),
    created_at: context.showTime(item.createdAtMs),
  };
}

const BALANCE_FIELDS = {
  id: ID,
  kind: Type.Union(
    (['top_up', 'exchange', 'consumption', 'grant', 'adjustment', 'hold'] as const).map((name) =>
      Type.Literal(name),
    ),
  ),
  pool: Type.Union([Type.Literal('balance'), Type.Literal('credits')]),
  change: SHOWN_AMOUNT,
  after: SHOWN_AMOUNT,
  ref: Type.String({ description: 'The request id of the call, or the reason of the change.' }),
  call_id: nullable(Type.String({ description: 'The request id, if the change belongs to a call.' })),
  model: nullable(Type.String({ description: 'The model of the call.' })),
  created_at: TIME,
};
export const BALANCE_CHANGE = Type.Object(BALANCE_FIELDS);

export function shownBalanceChange(
  item: BalanceItem,
  showTime: ShowTime,
): Record<keyof typeof BALANCE_FIELDS, unknown> {
  return {
    id: item.id,
    kind: item.kind,
    pool: item.pool,
    change: formatMicro(item.changeMicro),
    after: formatMicro(item.afterMicro),
    ref: item.ref,
    call_id: item.isOfCall ? item.ref : null,
    model: item.model ?? null,
    created_at: showTime(item.createdAtMs),
  };
}
