import { timeOfCallId } from '../../kernel/id.ts';
import type { Protocol } from '../../kernel/protocol-name.ts';
import type { Attempt, FreeReason, LoggedRefusal, Payer, Verdict } from '../../ledger/contract.ts';
import type { LoggedCall } from '../../ledger/log.ts';
import { decodePrice, type PriceJson } from '../catalog/price-json.ts';
import { type Database, idNumber } from '../database.ts';
import { type UsageColumns, usageFromRow } from './usage-row.ts';

export interface CallRow extends UsageColumns {
  readonly id: bigint;
  readonly call_id: string;
  readonly created_at: Date;
  readonly account_id: bigint;
  readonly key_id: bigint;
  readonly key_name: string;
  readonly model_asked: string;
  readonly model_used: string;
  readonly vendor: string | null;
  readonly protocol_in: Protocol;
  readonly protocol_out: Protocol | null;
  readonly stream: boolean;
  readonly status: number;
  readonly error_code: number | null;
  readonly verdict: Verdict;
  readonly estimated: boolean;
  readonly payer: Payer;
  readonly free_reason: FreeReason | null;
  readonly price: PriceJson | null;
  readonly amount_micro: bigint;
  readonly credits_micro: bigint;
  readonly held_micro: bigint;
  readonly attempts: readonly Attempt[];
  readonly ttfb_ms: number | null;
  readonly duration_ms: number;
  readonly dropped_fields: readonly string[];
  readonly admitted_ms: number | null;
  readonly gate_ms: number | null;
  readonly refusal: LoggedRefusal | null;
}

const COLUMNS = `id, call_id, created_at, account_id, key_id, key_name, model_asked, model_used, vendor,
  protocol_in, protocol_out, stream, status, error_code, verdict, input_fresh, cache_read, cache_write,
  output_text, output_reasoning, images, videos, estimated, payer, free_reason, price, amount_micro, attempts,
  ttfb_ms, duration_ms, dropped_fields, admitted_ms, gate_ms, refusal, held_micro`;

/** `picked` selects the rows before their charges are looked up, so the size of the log does not matter. */
export const withCharges = (picked: string): string => `
  select picked.*, coalesce(consumptions.credits_micro, 0) as credits_micro
  from (select ${COLUMNS} from calls where ${picked}) as picked
  left join consumptions using (account_id, created_at, call_id) order by created_at desc, picked.id desc`;

const FIND = withCharges('created_at = $1 and call_id = $2');
const FIND_OWN = withCharges('account_id = $1 and id = $2');
const FIND_REQUEST = withCharges('created_at = $1 and call_id = $2 and account_id = $3');

/** A call of any account, by its id. The id contains the time, so one month is read. */
export async function findCall(database: Database, callId: string): Promise<LoggedCall | undefined> {
  const createdAtMs = timeOfCallId(callId);
  if (createdAtMs === undefined) return undefined;
  const [row] = await database.query<CallRow>(FIND, [new Date(createdAtMs).toISOString(), callId]);
  return row === undefined ? undefined : callFromRow(row);
}

/** One call of the account by the number of its row. A call of another account is not found. */
export async function findOwnCall(
  database: Database,
  accountId: number,
  id: number,
): Promise<LoggedCall | undefined> {
  const [row] = await database.query<CallRow>(FIND_OWN, [accountId, id]);
  return row === undefined ? undefined : callFromRow(row);
}

/** The same by its id as the client knows it. */
export async function findOwnRequest(
  database: Database,
  accountId: number,
  callId: string,
): Promise<LoggedCall | undefined> {
  const createdAtMs = timeOfCallId(callId);
  if (createdAtMs === undefined) return undefined;
  const values = [new Date(createdAtMs).toISOString(), callId, accountId];
  const [row] = await database.query<CallRow>(FIND_REQUEST, values);
  return row === undefined ? undefined : callFromRow(row);
}

export function callFromRow(row: CallRow): LoggedCall {
  return {
    id: idNumber(row.id),
    callId: row.call_id,
    createdAtMs: row.created_at.getTime(),
    accountId: idNumber(row.account_id),
    keyId: idNumber(row.key_id),
    keyName: row.key_name,
    modelAsked: row.model_asked,
    modelUsed: row.model_used,
    vendor: row.vendor,
    protocolIn: row.protocol_in,
    protocolOut: row.protocol_out,
    stream: row.stream,
    status: row.status,
    errorCode: row.error_code,
    verdict: row.verdict,
    usage: usageFromRow(row),
    estimated: row.estimated,
    payer: row.payer,
    freeReason: row.free_reason,
    amountMicro: row.amount_micro,
    creditsMicro: row.credits_micro,
    attempts: row.attempts,
    ttfbMs: row.ttfb_ms,
    durationMs: row.duration_ms,
    droppedFields: row.dropped_fields,
    admittedMs: row.admitted_ms ?? undefined,
    gateMs: row.gate_ms ?? undefined,
    refusal: row.refusal ?? undefined,
    heldMicro: row.held_micro,
    price: row.price === null ? null : decodePrice(row.price),
  };
}
