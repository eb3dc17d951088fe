import { formatMicro } from '../../kernel/money.ts';
import type { Clock } from '../../kernel/time/clock.ts';
import { CHECKS, type Finding } from '../../ledger/doctor.ts';
import { describeShortfall, listCauses, type Shortfall } from '../../ledger/shortfall.ts';
import type { Database } from '../../store/database.ts';
import { examine } from '../../store/operations/doctor.ts';
import { listShortfalls, type Shortfalls } from '../../store/operations/doctor-shortfalls.ts';
import { DOCTOR_LIFE_MS, DOCTOR_MS_MAX, DOCTOR_REST, DOCTOR_WAIT_MS } from '../bounds.ts';
import type { Context } from '../context.ts';
import { ID, nullable, SHOWN_AMOUNT, TIME } from '../fields.ts';
import { data, type Operation, operation } from '../operation.ts';
import { OPERATORS } from '../operator.ts';
import { Type } from '../schema.ts';

const TEXT = Type.String();
const COUNT = Type.Integer({ minimum: 0 });

const FINDING = Type.Object({
  ...{ check: TEXT, subject: TEXT, detail: TEXT },
  promise: Type.String({ description: 'What must hold.' }),
  reading: Type.String({ description: 'What it means, and where to look.' }),
});
const SHORTFALL = Type.Object({
  ...{ call_id: TEXT, account_id: ID, model: TEXT, vendor: nullable(TEXT) },
  ...{ charge: SHOWN_AMOUNT, held: SHOWN_AMOUNT, shortfall: SHOWN_AMOUNT, short_of: nullable(TEXT) },
  ...{ causes: Type.Array(TEXT), expected: nullable(Type.Record(Type.Unknown())), detail: TEXT },
});

const REPORT = Type.Object({
  state: Type.Union(
    ['sound', 'findings', 'running', 'unfinished'].map((state) => Type.Literal(state)),
    {
      description:
        'The last result. `running`: there is none yet. `unfinished`: the checks took too long or failed.',
    },
  ),
  is_running: Type.Boolean({ description: 'A check is running now.' }),
  checked_at: nullable(TIME),
  duration_ms: nullable(COUNT),
  checks: Type.Integer({ minimum: 0, description: 'The number of promises that are checked.' }),
  findings: Type.Array(FINDING),
  shortfalls: Type.Object({
    calls: Type.Integer({
      minimum: 0,
      description: 'Calls that were not paid in full. They are recorded correctly.',
    }),
    ...{ credits: SHOWN_AMOUNT, newest: Type.Array(SHORTFALL) },
  }),
});

const get = operation({
  ...OPERATORS,
  name: 'doctor.get',
  id: 'checkLedger',
  method: 'GET',
  path: '/doctor',
  tag: 'Overview',
  title: 'Check the ledger',
  summary: 'The findings of the ledger’s checks. They run once a minute at most; the answer says when.',
  data: REPORT,
  example: {
    data: {
      ...{ state: 'sound', is_running: false, checked_at: '2026-11-15 09:05:00', duration_ms: 840 },
      ...{ checks: 24, findings: [], shortfalls: { calls: 0, credits: '0', newest: [] } },
    },
  },
  handle: async (_input, context) => {
    // The person at the terminal waits for a check of all there is.
    if (context.actor !== undefined)
      return data(shownReport({ last: await check(context, () => true) }, context));
    return data(await lookAfter(context));
  },
});

interface Checked {
  readonly atMs: number;
  readonly durationMs: number;
  /** Undefined: it was not finished. */
  readonly result: { readonly findings: readonly Finding[]; readonly shortfalls: Shortfalls } | undefined;
}

interface Watch {
  last?: Checked;
  running?: Promise<void>;
}

/** One check at a time for each process: it reads the whole ledger. */
const watches = new WeakMap<Database, Watch>();

async function lookAfter(context: Context): Promise<object> {
  const watch = watches.get(context.database) ?? {};
  watches.set(context.database, watch);
  if (watch.running === undefined && isOver(watch.last, context.clock)) start(watch, context);
  if (watch.running !== undefined) await Promise.race([watch.running, rest(DOCTOR_WAIT_MS)]);
  return shownReport(watch, context);
}

function isOver(last: Checked | undefined, clock: Clock): boolean {
  if (last === undefined) return true;
  return clock.now() - last.atMs > Math.max(DOCTOR_LIFE_MS, DOCTOR_REST * last.durationMs);
}

function start(watch: Watch, context: Context): void {
  const untilMs = context.clock.monotonic() + DOCTOR_MS_MAX;
  watch.running = check(context, () => context.clock.monotonic() < untilMs).then((checked) => {
    watch.last = checked;
    delete watch.running;
  });
}

/** A check that cannot be finished is told as such. It never throws at a server. */
async function check(context: Context, hasTime: () => boolean): Promise<Checked> {
  const { database, clock, log } = context;
  const startedMs = clock.monotonic();
  const timed = (result: Checked['result']): Checked => ({
    ...{ atMs: clock.now(), durationMs: Math.round(clock.monotonic() - startedMs), result },
  });
  try {
    const findings = await examine(database, hasTime);
    return timed({ findings, shortfalls: await listShortfalls(database) });
  } catch (error) {
    if (context.actor !== undefined) throw error;
    log.warn({ error }, 'the ledger could not be checked to the end');
    return timed(undefined);
  }
}

function rest(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}

const NO_SHORTFALLS: Shortfalls = { calls: 0, sumMicro: 0n, newest: [] };

function shownReport({ last, running }: Watch, context: Context): object {
  const { findings = [], shortfalls = NO_SHORTFALLS } = last?.result ?? {};
  return {
    state: toCheckState(last),
    is_running: running !== undefined,
    checked_at: last === undefined ? null : context.showTime(last.atMs),
    duration_ms: last?.durationMs ?? null,
    checks: Object.keys(CHECKS).length,
    findings: findings.map((finding) => ({ ...finding, ...CHECKS[finding.check] })),
    shortfalls: {
      calls: shortfalls.calls,
      credits: formatMicro(shortfalls.sumMicro),
      newest: shortfalls.newest.map(shownShortfall),
    },
  };
}

function toCheckState(last: Checked | undefined): string {
  if (last === undefined) return 'running';
  if (last.result === undefined) return 'unfinished';
  return last.result.findings.length === 0 ? 'sound' : 'findings';
}

function shownShortfall(shortfall: Shortfall): object {
  const { callId, accountId, model, vendor, of, expected } = shortfall;
  return {
    ...{ call_id: callId, account_id: accountId, model, vendor },
    charge: formatMicro(shortfall.chargeMicro),
    held: formatMicro(shortfall.heldMicro),
    shortfall: formatMicro(shortfall.shortfallMicro),
    short_of: of ?? null,
    causes: listCauses(shortfall),
    expected: expected ?? null,
    detail: describeShortfall(shortfall),
  };
}

/** The health of the ledger. */
export const doctorOperations: readonly Operation[] = [get];
