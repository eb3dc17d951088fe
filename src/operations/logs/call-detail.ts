import { vendorCostMicro } from '../../catalog/price.ts';
import { ERRORS, type LimitHit } from '../../kernel/errors.ts';
import { formatMicro } from '../../kernel/money.ts';
import { outputTokens } from '../../kernel/usage.ts';
import type { Attempt, LoggedRefusal } from '../../ledger/contract.ts';
import type { LoggedCall } from '../../ledger/log.ts';
import { findOwnCall, findOwnRequest } from '../../store/logs/call-log.ts';
import { findReceipt } from '../../store/logs/receipts.ts';
import { type Context, ownAccount } from '../context.ts';
import { fail } from '../failure.ts';
import { ID, ID_PARAMS, nullable, SHOWN_AMOUNT, TIME } from '../fields.ts';
import { data, type Operation, operation } from '../operation.ts';
import { Type } from '../schema.ts';
import { CALL_EXAMPLE, RECEIPT_EXAMPLE, TRIES_EXAMPLE } from './log-examples.ts';
import { CALL, RECEIPT, type Reader, shownCall, shownReceipt, toReader } from './log-items.ts';

/** One call with everything that is known of it: its time line, its receipt, and why it was refused. */

const COUNT = Type.Integer({ minimum: 0 });
const OFFSET = nullable(
  Type.Number({ minimum: 0, description: 'Milliseconds since the call arrived. Null if unknown.' }),
);

const TRY = Type.Object({
  route_id: COUNT,
  vendor: Type.String(),
  credential: Type.Optional(
    Type.String({ description: 'The name of one of the own credentials. Operators see all names.' }),
  ),
  outcome: Type.String({ description: '`ok`, an HTTP status, or the kind of failure.' }),
  status: nullable(Type.Integer({ description: 'The HTTP status of the vendor, if it answered.' })),
  start_ms: OFFSET,
  first_byte_ms: OFFSET,
  duration_ms: Type.Number({ minimum: 0 }),
});

const LIMIT = Type.Object({
  dimension: Type.Union(
    (
      [
        'concurrency',
        'requests',
        'tokens',
        'images',
        'videos',
        'amount',
        'coverage',
        'credits',
        'cap',
      ] as const
    ).map((name) => Type.Literal(name)),
  ),
  scope: Type.Union((['account', 'key', 'subscription'] as const).map((name) => Type.Literal(name))),
  scope_id: nullable(ID),
  policy: nullable(Type.String({ description: 'The name of the limit policy.' })),
  unit: Type.Union((['count', 'yuan', 'credits'] as const).map((name) => Type.Literal(name))),
  limit: SHOWN_AMOUNT,
  used: Type.String({ ...SHOWN_AMOUNT, description: 'Includes what running calls hold.' }),
  held: Type.String({ ...SHOWN_AMOUNT, description: 'What running calls held of Credits or the cap.' }),
  needed: nullable(Type.String({ ...SHOWN_AMOUNT, description: 'What the call needed at least.' })),
  seconds: nullable(Type.Integer({ minimum: 1, description: 'The length of the window.' })),
  resets_at: nullable(
    Type.String({ ...TIME, description: 'When the limit was free again. Null if time does not free it.' }),
  ),
});

const REFUSAL = Type.Object({
  message: Type.String({ description: 'As the client got it.' }),
  remedy: nullable(Type.String({ description: 'What helps.' })),
  retry_after: nullable(Type.Integer({ minimum: 1, description: 'Seconds.' })),
  limit: nullable(LIMIT),
});

const DETAIL_FIELDS = {
  admitted_ms: OFFSET,
  gate_ms: nullable(
    Type.Number({ minimum: 0, description: 'The part of `admitted_ms` that the gate took.' }),
  ),
  held: Type.String({ ...SHOWN_AMOUNT, description: 'The Credits held for the call at its end.' }),
  tokens_per_second: nullable(
    Type.Number({ minimum: 0, description: 'Of a complete stream, from its first token on.' }),
  ),
  tries: Type.Array(TRY, { description: 'The attempts, in order.' }),
  refusal: nullable(REFUSAL),
  cost: Type.Optional(
    Type.String({ ...SHOWN_AMOUNT, description: 'What the call cost the platform in yuan. For operators.' }),
  ),
  receipt: nullable(RECEIPT),
};
export const CALL_DETAIL = Type.Object({ ...CALL.properties, ...DETAIL_FIELDS });

export const DETAIL_EXAMPLE = {
  ...CALL_EXAMPLE,
  ...{ admitted_ms: 3, gate_ms: 1, held: '40', tokens_per_second: 280.9 },
  ...{ tries: TRIES_EXAMPLE, refusal: null, receipt: RECEIPT_EXAMPLE },
};

export async function shownDetail(
  call: LoggedCall,
  context: Context,
  reader: Reader = toReader(context),
): Promise<object> {
  const { price, payer, usage } = call;
  const receipt =
    price === null ? undefined : await findReceipt(context.database, call.accountId, call.callId);
  const costMicro = price === null || payer === 'byok' ? 0n : vendorCostMicro(usage, price);
  return {
    ...shownCall(call, context.showTime),
    admitted_ms: call.admittedMs ?? null,
    gate_ms: call.gateMs ?? null,
    held: formatMicro(call.heldMicro),
    tokens_per_second: tokensPerSecond(call),
    tries: call.attempts.map((attempt) => shownTry(attempt, call, reader)),
    refusal: call.refusal === undefined ? null : shownRefusal(call.refusal, call, context),
    ...(reader === 'operator' ? { cost: formatMicro(costMicro) } : {}),
    receipt: receipt === undefined ? null : shownReceipt(receipt, reader),
  };
}

function shownTry(attempt: Attempt, { status }: LoggedCall, reader: Reader): object {
  const { routeId, vendor, credential, own, outcome, durationMs, startMs, headMs } = attempt;
  return {
    route_id: routeId,
    vendor,
    ...(own || reader === 'operator' ? { credential } : {}),
    outcome,
    status: outcome === 'ok' ? status : /^\d{3}$/.test(outcome) ? Number(outcome) : null,
    start_ms: startMs ?? null,
    first_byte_ms: headMs ?? null,
    duration_ms: durationMs,
  };
}

/** As in the rankings: of complete streams whose tokens the vendor counted. */
function tokensPerSecond({
  stream,
  verdict,
  estimated,
  usage,
  ttfbMs,
  durationMs,
}: LoggedCall): number | null {
  const tokens = outputTokens(usage);
  if (!stream || verdict !== 'complete' || estimated || ttfbMs === null || tokens === 0) return null;
  return durationMs > ttfbMs ? Math.round((tokens * 10_000) / (durationMs - ttfbMs)) / 10 : null;
}

const REMEDIES: ReadonlyMap<number, string> = new Map(
  Object.values(ERRORS).map(({ code, remedy }) => [code, remedy]),
);

function shownRefusal(refusal: LoggedRefusal, call: LoggedCall, { showTime }: Context): object {
  const { message, retryAfterSeconds, hit } = refusal;
  const resetsAt = hit === undefined || hit.resetMs === 0 ? null : showTime(call.createdAtMs + hit.resetMs);
  return {
    message,
    remedy: REMEDIES.get(call.errorCode ?? 0) ?? null,
    retry_after: retryAfterSeconds ?? null,
    limit: hit === undefined ? null : { ...shownLimit(hit), resets_at: resetsAt },
  };
}

const UNITS: Readonly<Record<string, 'yuan' | 'credits'>> = {
  amount: 'yuan',
  coverage: 'yuan',
  cap: 'yuan',
  credits: 'credits',
};

function shownLimit({ of, scope, policy, limit, used, held, needed, seconds }: LimitHit): object {
  const unit = UNITS[of] ?? 'count';
  const shown = (figure: string): string => (unit === 'count' ? figure : formatMicro(BigInt(figure)));
  const [whose = 'account', id] = scope?.split(':') ?? [];
  return {
    dimension: of,
    scope: whose,
    scope_id: id === undefined ? null : Number(id),
    ...{ policy, unit },
    limit: shown(limit),
    used: shown(used),
    held: shown(held),
    needed: needed === null ? null : shown(needed),
    seconds: seconds === 0 ? null : seconds,
  };
}

const GROUP = { surface: 'user', access: 'user', tag: 'Logs', method: 'GET' } as const;
const ANSWER = { data: CALL_DETAIL, fails: ['notFound'], example: { data: DETAIL_EXAMPLE } } as const;

const byId = operation({
  ...{ ...GROUP, ...ANSWER },
  name: 'logs.call',
  id: 'getCall',
  path: '/call-log/detail/:id',
  title: 'Get a call',
  summary: 'One call, with its attempts and its receipt.',
  params: ID_PARAMS,
  handle: async ({ params }, context) => {
    const call = await findOwnCall(context.database, ownAccount(context), params.id);
    return call === undefined ? fail('notFound') : data(await shownDetail(call, context));
  },
});

export const REQUEST_PARAMS = Type.Object({ request_id: Type.String({ minLength: 1, maxLength: 100 }) });

const byRequest = operation({
  ...{ ...GROUP, ...ANSWER },
  name: 'logs.request',
  id: 'getCallByItsRequestId',
  path: '/call-log/request/:request_id',
  title: 'Get a call by its request id',
  summary: 'One call, by the `x-request-id` of its answer.',
  params: REQUEST_PARAMS,
  handle: async ({ params }, context) => {
    const call = await findOwnRequest(context.database, ownAccount(context), params.request_id);
    return call === undefined ? fail('notFound') : data(await shownDetail(call, context));
  },
});

export const callDetailOperations: readonly Operation[] = [byId, byRequest];
