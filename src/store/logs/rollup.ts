import { type PriceSnapshot, vendorCostMicro } from '../../catalog/price.ts';
import { inputTokens, outputTokens } from '../../kernel/usage.ts';
import type { CallRecord } from '../../ledger/contract.ts';
import type { ModelUser, ModelUsers, Users } from '../catalog/model-users.ts';
import { type Columns, columnNames, encodeColumns, storable, text, time, whole } from '../columns.ts';
import type { Consumption } from '../ledger/charge.ts';
import type { Part, Writes } from '../writes.ts';

/** An account's hour. Counts of one batch are far below 2^53; money is not. */
interface UsageRow {
  readonly call: CallRecord;
  readonly hourMs: number;
  readonly model: string;
  readonly credential: string;
  calls: number;
  failed: number;
  consumed: number;
  /** The calls that reached a vendor. */
  served: number;
  inputFresh: number;
  cacheRead: number;
  cacheWrite: number;
  outputText: number;
  outputReasoning: number;
  images: number;
  videos: number;
  amountMicro: bigint;
  creditsMicro: bigint;
  ttftCalls: number;
  ttftMs: number;
}

const USAGE_KEY: Columns<UsageRow> = {
  account_id: whole('bigint', ({ call }) => call.accountId),
  hour: time((row) => row.hourMs),
  model_id: text((row) => row.model),
  key_id: whole('bigint', ({ call }) => call.keyId),
  protocol: text(({ call }) => call.protocolIn),
  status: whole('int', ({ call }) => call.status),
  payer: text(({ call }) => call.payer),
  credential: text((row) => row.credential),
};

const USAGE_SUMS: Columns<UsageRow> = {
  calls: whole('bigint', (row) => row.calls),
  failed: whole('bigint', (row) => row.failed),
  consumed: whole('bigint', (row) => row.consumed),
  input_fresh: whole('bigint', (row) => row.inputFresh),
  cache_read: whole('bigint', (row) => row.cacheRead),
  cache_write: whole('bigint', (row) => row.cacheWrite),
  output_text: whole('bigint', (row) => row.outputText),
  output_reasoning: whole('bigint', (row) => row.outputReasoning),
  images: whole('bigint', (row) => row.images),
  videos: whole('bigint', (row) => row.videos),
  amount_micro: whole('bigint', (row) => row.amountMicro),
  credits_micro: whole('bigint', (row) => row.creditsMicro),
  ttft_calls: whole('bigint', (row) => row.ttftCalls),
  ttft_ms: whole('bigint', (row) => row.ttftMs),
};

/** A model's hour over all accounts, for the calls of this process. */
interface ModelRow {
  readonly hourMs: number;
  readonly model: string;
  readonly vendor: string;
  readonly credential: string;
  readonly lane: number;
  calls: number;
  failed: number;
  inputTokens: number;
  outputTokens: number;
  images: number;
  amountMicro: bigint;
  creditsMicro: bigint;
  spentMicro: bigint;
  costMicro: bigint;
  ttftCalls: number;
  ttftMs: number;
  speedCalls: number;
  speedTokens: number;
  speedMs: number;
}

const MODEL_KEY: Columns<ModelRow> = {
  hour: time((row) => row.hourMs),
  model_id: text((row) => row.model),
  vendor: text((row) => row.vendor),
  credential: text((row) => row.credential),
  lane: whole('int', (row) => row.lane),
};

const MODEL_SUMS: Columns<ModelRow> = {
  calls: whole('bigint', (row) => row.calls),
  failed: whole('bigint', (row) => row.failed),
  input_tokens: whole('bigint', (row) => row.inputTokens),
  output_tokens: whole('bigint', (row) => row.outputTokens),
  images: whole('bigint', (row) => row.images),
  amount_micro: whole('bigint', (row) => row.amountMicro),
  credits_micro: whole('bigint', (row) => row.creditsMicro),
  spent_micro: whole('bigint', (row) => row.spentMicro),
  cost_micro: whole('bigint', (row) => row.costMicro),
  ttft_calls: whole('bigint', (row) => row.ttftCalls),
  ttft_ms: whole('bigint', (row) => row.ttftMs),
  speed_calls: whole('bigint', (row) => row.speedCalls),
  speed_tokens: whole('bigint', (row) => row.speedTokens),
  speed_ms: whole('bigint', (row) => row.speedMs),
};

/**
 * Rows of an account are written under its lock. Rows of a model are shared: they are written in the
 * order of their keys, so that there are no deadlocks.
 */
const USAGE = { ...USAGE_KEY, ...USAGE_SUMS };
const ADD_USAGE: Part = {
  name: 'used',
  columns: USAGE,
  text: (given) => `
    insert into usage_hourly (${columnNames(USAGE)}) select ${columnNames(USAGE)} from ${given}
    ${addedUp('usage_hourly', USAGE_KEY, USAGE_SUMS)}`,
};

const MODELS = { ...MODEL_KEY, ...MODEL_SUMS };
const ADD_MODELS: Part = {
  name: 'ranked',
  columns: MODELS,
  text: (given) => `
    insert into model_hourly (${columnNames(MODELS)})
    select ${columnNames(MODELS)} from ${given} order by ${columnNames(MODEL_KEY)}
    ${addedUp('model_hourly', MODEL_KEY, MODEL_SUMS)}`,
};

function addedUp(table: string, key: Columns<never>, sums: Columns<never>): string {
  const added = Object.keys(sums).map((name) => `${name} = ${table}.${name} + excluded.${name}`);
  return `on conflict (${columnNames(key)}) do update set ${added.join(', ')}`;
}

/**
 * Adds new calls, with their charges. Shared rows come last,
 * so that they are locked for a short time. Returns the users that were written.
 */
export function addRollups(
  writes: Writes,
  consumptions: readonly Consumption[],
  { lane, modelUsers }: { readonly lane: number; readonly modelUsers: ModelUsers },
): Users {
  const usage = new Map<string, UsageRow>();
  const models = new Map<string, ModelRow>();
  for (const consumption of consumptions) {
    const { call } = consumption;
    const model = storable(call.modelUsed);
    addUsage(usage, model, consumption);
    // Names that never reached a vendor are arbitrary texts of clients, and not for rankings.
    if (isServed(call))
      addModel(models, { model, lane, price: call.price, vendor: call.vendor }, consumption);
  }
  const rows = [...usage.values()];
  if (rows.length > 0) writes.add(ADD_USAGE, encodeColumns(USAGE, rows));
  const users = modelUsers.add(writes, rows.filter((row) => row.served > 0).map(toModelUser));
  if (models.size > 0) writes.add(ADD_MODELS, encodeColumns(MODELS, [...models.values()]));
  return users;
}

function toModelUser({ hourMs, model, call }: UsageRow): ModelUser {
  return { day: Math.floor(hourMs / DAY_MS), model, accountId: call.accountId };
}

type Served = CallRecord & { readonly price: PriceSnapshot; readonly vendor: string };

function isServed(call: CallRecord): call is Served {
  return call.price !== null && call.vendor !== null;
}

function addUsage(rows: Map<string, UsageRow>, model: string, { call, creditsMicro }: Consumption): void {
  const row = usageRow(rows, model, call);
  const { usage } = call;
  row.calls += 1;
  row.failed += isFailed(call) ? 1 : 0;
  row.consumed += call.price === null ? 0 : 1;
  row.served += isServed(call) ? 1 : 0;
  row.inputFresh += usage.inputFresh;
  row.cacheRead += usage.cacheRead;
  row.cacheWrite += usage.cacheWrite;
  row.outputText += usage.outputText;
  row.outputReasoning += usage.outputReasoning;
  row.images += usage.images;
  row.videos += usage.videos;
  row.amountMicro += call.amountMicro;
  row.creditsMicro += creditsMicro;
  addFirstToken(row, call);
}

/** As in the call log, so that it can be summed again. Undefined without a stream that began. */
function addFirstToken(row: { ttftCalls: number; ttftMs: number }, call: CallRecord): number | undefined {
  if (!call.stream || call.ttfbMs === null) return undefined;
  const ttftMs = Math.round(call.ttfbMs);
  row.ttftCalls += 1;
  row.ttftMs += ttftMs;
  return ttftMs;
}

function usageRow(rows: Map<string, UsageRow>, model: string, call: CallRecord): UsageRow {
  const hourMs = toHourMs(call);
  const credential = call.payer === 'byok' ? lastCredential(call) : '';
  // Arbitrary texts come last, the first of them with its length.
  const key =
    `${call.accountId} ${call.keyId} ${hourMs} ${call.status} ${call.payer} ${call.protocolIn} ` +
    `${model.length} ${model} ${credential}`;
  const known = rows.get(key);
  if (known !== undefined) return known;
  const counts = { calls: 0, failed: 0, consumed: 0, served: 0, images: 0, videos: 0 };
  const tokens = { inputFresh: 0, cacheRead: 0, cacheWrite: 0, outputText: 0, outputReasoning: 0 };
  const sums = { ...counts, ...tokens, amountMicro: 0n, creditsMicro: 0n, ttftCalls: 0, ttftMs: 0 };
  const row = { call, hourMs, model, credential, ...sums };
  rows.set(key, row);
  return row;
}

interface ModelPlace {
  readonly model: string;
  readonly vendor: string;
  readonly lane: number;
  readonly price: PriceSnapshot;
}

function addModel(rows: Map<string, ModelRow>, place: ModelPlace, consumption: Consumption): void {
  const { call, creditsMicro, spentMicro } = consumption;
  const row = modelRow(rows, place, call);
  const { usage } = call;
  const output = outputTokens(usage);
  row.calls += 1;
  row.failed += isFailed(call) ? 1 : 0;
  row.inputTokens += inputTokens(usage);
  row.outputTokens += output;
  row.images += usage.images;
  row.amountMicro += call.amountMicro;
  row.creditsMicro += creditsMicro;
  row.spentMicro += spentMicro;
  // A credential of the user costs the platform nothing.
  if (call.payer !== 'byok') row.costMicro += vendorCostMicro(usage, place.price);
  const ttftMs = addFirstToken(row, call);
  if (ttftMs === undefined) return;
  const speedMs = Math.round(call.durationMs) - ttftMs;
  if (call.verdict !== 'complete' || call.estimated || speedMs <= 0 || output <= 0) return;
  row.speedCalls += 1;
  row.speedTokens += output;
  row.speedMs += speedMs;
}

/** Users choose the names of their credentials. A model's rows contain only those of the platform. */
function modelRow(rows: Map<string, ModelRow>, place: ModelPlace, call: CallRecord): ModelRow {
  const { model, lane } = place;
  const hourMs = toHourMs(call);
  const vendor = storable(place.vendor);
  const credential = call.payer === 'byok' ? '' : lastCredential(call);
  const key = `${hourMs} ${model.length} ${model} ${vendor.length} ${vendor} ${credential}`;
  const known = rows.get(key);
  if (known !== undefined) return known;
  const counts = { calls: 0, failed: 0, inputTokens: 0, outputTokens: 0, images: 0 };
  const money = { amountMicro: 0n, creditsMicro: 0n, spentMicro: 0n, costMicro: 0n };
  const times = { ttftCalls: 0, ttftMs: 0, speedCalls: 0, speedTokens: 0, speedMs: 0 };
  const row = { hourMs, model, vendor, credential, lane, ...counts, ...money, ...times };
  rows.set(key, row);
  return row;
}

function lastCredential(call: CallRecord): string {
  return storable(call.attempts.at(-1)?.credential ?? '');
}

/** A client that left counts as a success. */
function isFailed({ verdict }: CallRecord): boolean {
  return verdict !== 'complete' && verdict !== 'cut-by-client';
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

function toHourMs({ createdAtMs }: CallRecord): number {
  return createdAtMs - (createdAtMs % HOUR_MS);
}
