import { createReprice } from '../../catalog/reprice.ts';
import { formatMicro } from '../../kernel/money.ts';
import { computeBill } from '../../ledger/end-record.ts';
import { readStoredCatalog } from '../../store/catalog/apply.ts';
import type { Database } from '../../store/database.ts';
import { correctionMicro, type DueCall, postCorrections } from '../../store/ledger/correction.ts';
import { type ChargedCall, chargedCalls } from '../../store/logs/priced-calls.ts';
import { findEmails } from '../../store/operations/operator-accounts.ts';
import {
  REPRICE_ACCOUNTS_SHOWN,
  REPRICE_BATCH_CALLS,
  REPRICE_CALLS_HELD,
  WHAT_IF_CALLS_MAX,
  WHAT_IF_MS_MAX,
  WHAT_IF_PAGE_ROWS,
} from '../bounds.ts';
import type { Context } from '../context.ts';
import { fail } from '../failure.ts';
import { ID, nullable, SHOWN_AMOUNT, TIME } from '../fields.ts';
import { data, type Operation, operation } from '../operation.ts';
import { OPERATORS, toActor } from '../operator.ts';
import { Type } from '../schema.ts';
import { REASON } from '../wallet/money.ts';
import { type Period, readPeriod } from './what-if.ts';

const COUNT = Type.Integer({ minimum: 0 });
const SUMS = {
  calls: Type.Integer({ minimum: 0, description: 'Calls whose charge is corrected.' }),
  refunded: Type.String({ ...SHOWN_AMOUNT, description: 'Credits that are given back.' }),
  extra: Type.String({ ...SHOWN_AMOUNT, description: 'Credits that are taken; of a dry run, at most.' }),
};

const ANSWER = Type.Object({
  ...{ from: TIME, to: TIME, dry_run: Type.Boolean() },
  truncated: Type.Boolean({ description: 'There are more calls: continue with `to` = `read_from`.' }),
  read_from: nullable(Type.String({ ...TIME, description: 'The oldest call that was read.' })),
  read_calls: Type.Integer({ minimum: 0, description: 'Calls of the model that Credits paid for.' }),
  not_offered_calls: Type.Integer({
    minimum: 0,
    description: 'Calls that stay as they are, because the catalogue does not offer the model.',
  }),
  total: Type.Object({
    ...SUMS,
    left: Type.String({
      ...SHOWN_AMOUNT,
      description: 'Credits that calls should have cost more, not taken.',
    }),
  }),
  accounts_total: COUNT,
  accounts: Type.Array(Type.Object({ account_id: ID, email: nullable(Type.String()), ...SUMS })),
});

const SUMS_EXAMPLE = { calls: 182, refunded: '1204.5', extra: '0' };

const reprice: Operation = operation({
  ...OPERATORS,
  name: 'catalog.reprice',
  id: 'correctChargesOfPastCalls',
  method: 'POST',
  path: '/catalog/reprice',
  tag: 'Catalogue',
  title: 'Correct charges of past calls',
  summary:
    'Price the calls of a model in a period with the catalogue as it is now, and correct what was charged for them.',
  body: Type.Object({
    model_id: Type.String({ minLength: 1, maxLength: 256 }),
    from: TIME,
    to: Type.Optional(TIME),
    reason: REASON,
    extra: Type.Optional(
      Type.Union([Type.Literal('skip'), Type.Literal('take')], {
        description:
          'Calls that should have cost more: `skip` (the default), or `take` as far as the Credits reach.',
      }),
    ),
    dry_run: Type.Optional(Type.Boolean({ description: 'Compute only, and change nothing.' })),
  }),
  data: ANSWER,
  fails: ['tooManyRequests'],
  example: {
    body: { model_id: 'claude-sonnet-5', from: '2026-11-14 00:00:00', reason: 'wrong price', dry_run: true },
    data: {
      ...{ from: '2026-11-14 00:00:00', to: '2026-11-15 09:05:00', dry_run: true, truncated: false },
      ...{ read_from: '2026-11-14 00:00:03', read_calls: 204, not_offered_calls: 0 },
      total: { ...SUMS_EXAMPLE, left: '0' },
      accounts_total: 1,
      accounts: [{ account_id: 7, email: 'ada@example.com', ...SUMS_EXAMPLE }],
    },
  },
  handle: async ({ body }, context) => {
    const period = readPeriod({ from: body.from, to: body.to }, context);
    if ('kind' in period) return period;
    if (running.has(context.database)) {
      return fail('tooManyRequests', 'Another correction is running, please try again', BUSY_MS);
    }
    running.add(context.database);
    try {
      const { model_id: modelId, reason, extra = 'skip', dry_run: isDry = false } = body;
      const wanted = { modelId, reason, extra, work: isDry ? ('preview' as const) : ('correct' as const) };
      return data(await correct(context, period, wanted));
    } finally {
      running.delete(context.database);
    }
  },
});

/** One at a time for each process: it reads a large part of the log. */
const running = new WeakSet<Database>();
const BUSY_MS = 1_000;

interface Wanted {
  readonly modelId: string;
  readonly reason: string;
  readonly extra: 'skip' | 'take';
  readonly work: 'preview' | 'correct';
}

interface Sums {
  calls: number;
  refundedMicro: bigint;
  extraMicro: bigint;
}

const newSums = (): Sums => ({ calls: 0, refundedMicro: 0n, extraMicro: 0n });

/** Calls as they are read, and what they should have cost. */
interface Found {
  readonly total: Sums;
  readonly accounts: Map<number, Sums>;
  leftMicro: bigint;
  calls: number;
  notOffered: number;
  oldestMs: number;
  /** Calls that were charged wrongly, by account, until there are enough to correct. */
  readonly held: Map<number, WrongCall[]>;
  heldCalls: number;
}

interface WrongCall extends DueCall {
  readonly changeMicro: bigint;
}

/**
 * Many calls of an account in one transaction, but never all of them: what was done stays done when the rest
 * fails, and the next run finds only the rest. The person at the terminal waits for all of it.
 */
async function correct(context: Context, period: Period, wanted: Wanted): Promise<object> {
  const { clock, database, actor } = context;
  const toPrice = createReprice(await readStoredCatalog(context));
  const found: Found = {
    ...{ total: newSums(), accounts: new Map<number, Sums>() },
    ...{ leftMicro: 0n, calls: 0, notOffered: 0, oldestMs: 0, held: new Map(), heldCalls: 0 },
  };
  const untilMs = actor === undefined ? clock.monotonic() + WHAT_IF_MS_MAX : Number.POSITIVE_INFINITY;
  const callsMax = actor === undefined ? WHAT_IF_CALLS_MAX : Number.POSITIVE_INFINITY;
  let isTruncated = false;
  const asked = { ...period, modelId: wanted.modelId, pageRows: WHAT_IF_PAGE_ROWS };
  for await (const page of chargedCalls(database, asked)) {
    found.calls += page.length;
    found.oldestMs = page.at(-1)?.createdAtMs ?? found.oldestMs;
    collectWrong(page, toPrice, found);
    if (found.heldCalls >= REPRICE_CALLS_HELD) await correctHeld(context, found, wanted);
    if (found.calls < callsMax && clock.monotonic() < untilMs) continue;
    isTruncated = page.length === WHAT_IF_PAGE_ROWS;
    break;
  }
  await correctHeld(context, found, wanted);
  return await toAnswer(context, { period, found, isTruncated, isDry: wanted.work === 'preview' });
}

function collectWrong(
  page: readonly ChargedCall[],
  toPrice: ReturnType<typeof createReprice>,
  found: Found,
): void {
  for (const call of page) {
    const made = toPrice(call);
    if (made.kind === 'not-offered') {
      found.notOffered += 1;
      continue;
    }
    const { callId, createdAtMs, takenMicro, shortfallMicro, creditsPerYuan, payer, usage } = call;
    const { chargeMicro: dueMicro } = computeBill({ price: made.price, payer }, usage, creditsPerYuan);
    const due = { callId, createdAtMs, dueMicro, takenMicro, shortfallMicro };
    const changeMicro = correctionMicro(due, call.correctedMicro);
    if (changeMicro === 0n) continue;
    const ofAccount = found.held.get(call.accountId) ?? [];
    found.held.set(call.accountId, ofAccount);
    ofAccount.push({ ...due, changeMicro });
    found.heldCalls += 1;
  }
}

async function correctHeld(context: Context, found: Found, wanted: Wanted): Promise<void> {
  for (const [accountId, all] of found.held) {
    for (let at = 0; at < all.length; at += REPRICE_BATCH_CALLS) {
      const calls = all.slice(at, at + REPRICE_BATCH_CALLS);
      const owedMicro = calls.reduce(
        (sum, { changeMicro }) => (changeMicro < 0n ? sum - changeMicro : sum),
        0n,
      );
      const isDry = wanted.work === 'preview';
      const done = isDry ? preview(calls, wanted) : await post(context, accountId, { calls, wanted });
      found.leftMicro += owedMicro - done.extraMicro;
      if (done.calls > 0) count(found, accountId, done);
    }
  }
  found.held.clear();
  found.heldCalls = 0;
}

function count({ total, accounts }: Found, accountId: number, done: Sums): void {
  const ofAccount = accounts.get(accountId) ?? newSums();
  accounts.set(accountId, ofAccount);
  for (const sums of [total, ofAccount]) {
    sums.calls += done.calls;
    sums.refundedMicro += done.refundedMicro;
    sums.extraMicro += done.extraMicro;
  }
}

function preview(calls: readonly WrongCall[], { extra }: Wanted): Sums {
  const sums = newSums();
  for (const { changeMicro } of calls) {
    if (changeMicro < 0n && extra === 'skip') continue;
    sums.calls += 1;
    if (changeMicro > 0n) sums.refundedMicro += changeMicro;
    else sums.extraMicro -= changeMicro;
  }
  return sums;
}

async function post(
  context: Context,
  accountId: number,
  { calls, wanted }: { readonly calls: readonly WrongCall[]; readonly wanted: Wanted },
): Promise<Sums> {
  const { extra, reason } = wanted;
  const due = extra === 'take' ? calls : calls.filter(({ changeMicro }) => changeMicro > 0n);
  if (due.length === 0) return newSums();
  const correction = { accountId, calls: due, extra, reason };
  const done = await postCorrections(context, correction, toActor(context, reprice));
  return { calls: done.calls, refundedMicro: done.refundedMicro, extraMicro: done.takenMicro };
}

interface Done {
  readonly period: Period;
  readonly found: Found;
  readonly isTruncated: boolean;
  readonly isDry: boolean;
}

async function toAnswer(context: Context, { period, found, isTruncated, isDry }: Done): Promise<object> {
  const { showTime } = context;
  const { total, accounts, leftMicro, calls, notOffered, oldestMs } = found;
  const shown = [...accounts]
    .toSorted(([, one], [, other]) => (one.refundedMicro > other.refundedMicro ? -1 : 1))
    .slice(0, REPRICE_ACCOUNTS_SHOWN);
  const emails = await findEmails(
    context.database,
    shown.map(([accountId]) => accountId),
  );
  return {
    ...{ from: showTime(period.fromMs), to: showTime(period.toMs), dry_run: isDry, truncated: isTruncated },
    ...{ read_from: calls === 0 ? null : showTime(oldestMs), read_calls: calls },
    not_offered_calls: notOffered,
    total: { ...shownSums(total), left: formatMicro(leftMicro) },
    accounts_total: accounts.size,
    accounts: shown.map(([accountId, sums]) => ({
      account_id: accountId,
      email: emails.get(accountId) ?? null,
      ...shownSums(sums),
    })),
  };
}

function shownSums({ calls, refundedMicro, extraMicro }: Sums): object {
  return { calls, refunded: formatMicro(refundedMicro), extra: formatMicro(extraMicro) };
}

/** Charges of past calls that were made with a wrong price. */
export const repriceOperations: readonly Operation[] = [reprice];
