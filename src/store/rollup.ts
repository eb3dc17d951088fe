import { type PriceSnapshot, vendorCostMicro } from '../catalog/price.ts';
import { inputTokens, outputTokens } from '../kernel/usage.ts';
import type { CallRecord } from '../ledger/contract.ts';
import { encodeRows, storable } from './call-row.ts';
import type { Consumption } from './charge.ts';
import type { Database } from './database.ts';

/** Columns of the roll-ups with their types: first the key, then what is added up. */
const USAGE_KEY = {
  account_id: 'bigint',
  hour: 'timestamptz',
  model_id: 'text',
  key_id: 'bigint',
  protocol: 'text',
  status: 'int',
  payer: 'text',
  credential: 'text',
} as const;

const USAGE_SUMS = [
  'calls',
  'failed',
  'consumed',
  'input_fresh',
  'cache_read',
  'cache_write',
  'output_text',
  'output_reasoning',
  'images',
  'videos',
  'amount_micro',
  'credits_micro',
] as const;

const MODEL_KEY = {
  hour: 'timestamptz',
  model_id: 'text',
  vendor: 'text',
  credential: 'text',
  lane: 'int',
} as const;

const MODEL_SUMS = [
  'calls',
  'failed',
  'input_tokens',
  'output_tokens',
  'images',
  'amount_micro',
  'credits_micro',
  'spent_micro',
  'cost_micro',
  'ttft_calls',
  'ttft_ms',
  'speed_calls',
  'speed_tokens',
  'speed_ms',
] as const;

type Sums<Name extends string> = Record<Name, bigint>;
type RowKey = Readonly<Record<string, string | number>>;

/**
 * One statement for all three. Rows are written in the order of their keys, so two settlers never wait for
 * each other in a circle; rows of an account are written under its lock anyway.
 */
const ADD_ROLLUPS = `
  with usage as (${addStatement('usage_hourly', USAGE_KEY, USAGE_SUMS, 1)}),
  models as (${addStatement('model_hourly', MODEL_KEY, MODEL_SUMS, 2)})
  insert into model_users_daily (day, model_id, account_id)
  select day, model_id, account_id
  from json_to_recordset($3) as rows(day date, model_id text, account_id bigint)
  on conflict do nothing`;

function addStatement(
  table: string,
  key: Readonly<Record<string, string>>,
  sums: readonly string[],
  place: number,
): string {
  const keys = Object.keys(key);
  const names = [...keys, ...sums].join(', ');
  const types = [
    ...Object.entries(key).map(([name, type]) => `${name} ${type}`),
    ...sums.map((name) => `${name} bigint`),
  ];
  const added = sums.map((name) => `${name} = ${table}.${name} + excluded.${name}`);
  return `insert into ${table} (${names})
    select ${names} from json_to_recordset($${place}) as rows(${types.join(', ')}) order by ${keys.join(', ')}
    on conflict (${keys.join(', ')}) do update set ${added.join(', ')}`;
}

/** Adds calls that were not known before; `consumptions` says what was taken for them. */
export async function addRollups(
  transaction: Database,
  calls: readonly CallRecord[],
  { consumptions, lane }: { readonly consumptions: readonly Consumption[]; readonly lane: number },
): Promise<void> {
  const taken = new Map(consumptions.map((each) => [each.call.callId, each]));
  const usage = new Table<(typeof USAGE_SUMS)[number]>();
  const models = new Table<(typeof MODEL_SUMS)[number]>();
  const users = new Map<string, RowKey>();
  for (const call of calls) {
    const paid = taken.get(call.callId) ?? NOTHING_PAID;
    const model = storable(call.modelUsed);
    usage.add(usageKey(call, model), usageSums(call, paid.creditsMicro));
    // Names that never met a vendor are whatever clients made up: no ranking shall show them.
    if (call.price === null || call.vendor === null) continue;
    models.add({ ...modelKey(call, model, call.vendor), lane }, modelSums(call, call.price, paid));
    const day = hourText(call).slice(0, 10);
    users.set(`${day} ${call.accountId} ${model}`, { day, model_id: model, account_id: call.accountId });
  }
  const values = [usage.encode(), models.encode(), encodeRows([...users.values()])];
  await transaction.query(ADD_ROLLUPS, values, 'add-rollups');
}

/** Rows by their key; calls of one key are added up here, because one statement may touch a row only once. */
class Table<Name extends string> {
  readonly #rows = new Map<string, { readonly key: RowKey; readonly sums: Sums<Name> }>();

  add(key: RowKey, sums: Sums<Name>): void {
    const name = JSON.stringify(Object.values(key));
    const row = this.#rows.get(name);
    if (row === undefined) this.#rows.set(name, { key, sums });
    else for (const column of Object.keys(sums) as Name[]) row.sums[column] += sums[column];
  }

  encode(): string {
    const rows = [...this.#rows.values()].map(({ key, sums }) => ({ ...key, ...texts(sums) }));
    return encodeRows(rows);
  }
}

function texts(sums: Readonly<Record<string, bigint>>): Record<string, string> {
  return Object.fromEntries(Object.entries(sums).map(([name, sum]) => [name, String(sum)]));
}

type Paid = Pick<Consumption, 'creditsMicro' | 'spentMicro'>;
const NOTHING_PAID: Paid = { creditsMicro: 0n, spentMicro: 0n };

/** Users choose the names of their credentials; a model's rows know only those of the platform. */
function modelKey(call: CallRecord, model: string, vendor: string): RowKey {
  const platform = call.payer === 'byok' ? '' : (call.attempts.at(-1)?.credential ?? '');
  return {
    hour: hourText(call),
    model_id: model,
    vendor: storable(vendor),
    credential: storable(platform),
  };
}

function usageKey(call: CallRecord, model: string): RowKey {
  const own = call.payer === 'byok' ? (call.attempts.at(-1)?.credential ?? '') : '';
  return {
    account_id: call.accountId,
    hour: hourText(call),
    model_id: model,
    key_id: call.keyId,
    protocol: call.protocolIn,
    status: call.status,
    payer: call.payer,
    credential: storable(own),
  };
}

function usageSums(call: CallRecord, creditsMicro: bigint): Sums<(typeof USAGE_SUMS)[number]> {
  const { usage } = call;
  return {
    calls: 1n,
    failed: isFailed(call) ? 1n : 0n,
    consumed: call.price === null ? 0n : 1n,
    input_fresh: BigInt(usage.inputFresh),
    cache_read: BigInt(usage.cacheRead),
    cache_write: BigInt(usage.cacheWrite),
    output_text: BigInt(usage.outputText),
    output_reasoning: BigInt(usage.outputReasoning),
    images: BigInt(usage.images),
    videos: BigInt(usage.videos),
    amount_micro: call.amountMicro,
    credits_micro: creditsMicro,
  };
}

function modelSums(call: CallRecord, price: PriceSnapshot, paid: Paid): Sums<(typeof MODEL_SUMS)[number]> {
  const { usage } = call;
  // As the call log has them, so that everything can be added up again.
  const ttftMs = call.stream && call.ttfbMs !== null ? Math.round(call.ttfbMs) : undefined;
  const output = outputTokens(usage);
  const speedMs = ttftMs === undefined ? 0 : Math.round(call.durationMs) - ttftMs;
  const isTimed = call.verdict === 'complete' && !call.estimated && speedMs > 0 && output > 0;
  return {
    calls: 1n,
    failed: isFailed(call) ? 1n : 0n,
    input_tokens: BigInt(inputTokens(usage)),
    output_tokens: BigInt(output),
    images: BigInt(usage.images),
    amount_micro: call.amountMicro,
    credits_micro: paid.creditsMicro,
    spent_micro: paid.spentMicro,
    // A user's own credential costs the platform nothing.
    cost_micro: call.payer === 'byok' ? 0n : vendorCostMicro(usage, price),
    ttft_calls: ttftMs === undefined ? 0n : 1n,
    ttft_ms: BigInt(ttftMs ?? 0),
    speed_calls: isTimed ? 1n : 0n,
    speed_tokens: isTimed ? BigInt(output) : 0n,
    speed_ms: isTimed ? BigInt(speedMs) : 0n,
  };
}

/** A client that left got all it wanted. */
function isFailed({ verdict }: CallRecord): boolean {
  return verdict !== 'complete' && verdict !== 'cut-by-client';
}

const HOUR_MS = 3_600_000;
let lastHour = Number.NaN;
let lastHourText = '';

function hourText({ createdAtMs }: CallRecord): string {
  const hour = Math.floor(createdAtMs / HOUR_MS);
  if (hour !== lastHour) {
    lastHourText = new Date(hour * HOUR_MS).toISOString();
    lastHour = hour;
  }
  return lastHourText;
}
