import type { CatalogSnapshot } from '../../catalog/contract.ts';
import type { ModelTraffic } from '../../ledger/log.ts';
import type { Database } from '../../store/database.ts';
import { loadModelTraffic } from '../../store/logs/model-traffic.ts';
import { RANKING_LIFE_MS } from '../bounds.ts';
import type { Context } from '../context.ts';
import { TIME } from '../fields.ts';
import { data, type Operation, operation } from '../operation.ts';
import { Type } from '../schema.ts';

const PERIOD_DAYS = { day: 1, week: 7, month: 30 } as const;
type Period = keyof typeof PERIOD_DAYS;

const PERIOD = Type.Optional(
  Type.Union([Type.Literal('day'), Type.Literal('week'), Type.Literal('month')], {
    default: 'week',
    description: 'The last 1, 7 or 30 days, from the midnight (UTC) at or before their start.',
  }),
);
const COUNT = Type.Integer({ minimum: 0 });
const TEXT = Type.String();
const GROUP = { surface: 'user', access: 'public', tag: 'Public', method: 'GET' } as const;

interface Named extends ModelTraffic {
  readonly name: string;
}

async function rankedSince(period: Period, context: Context) {
  const sinceMs = toPeriodStartMs(period, context.clock.now());
  const models = visible(await trafficSince(sinceMs, context), context.catalog());
  return { since: context.showTime(sinceMs), models };
}

const RANKED = {
  calls: ({ calls }: ModelTraffic) => calls,
  tokens: ({ tokens }: ModelTraffic) => tokens,
  users: ({ users }: ModelTraffic) => users,
} as const;
const BY = Type.Union([Type.Literal('calls'), Type.Literal('tokens'), Type.Literal('users')], {
  default: 'calls',
});

const list = operation({
  ...GROUP,
  name: 'public.ranking',
  id: 'rankModelsByUse',
  path: '/model-rank/list',
  title: 'Rank models by use',
  summary: 'The most used models, by calls, tokens or users.',
  query: Type.Object({
    by: Type.Optional(BY),
    period: PERIOD,
  }),
  data: Type.Object({
    since: TIME,
    models: Type.Array(
      Type.Object({ rank: COUNT, model_id: TEXT, name: TEXT, calls: COUNT, tokens: COUNT, users: COUNT }),
    ),
  }),
  example: {
    data: {
      since: '2026-11-08 00:00:00',
      models: [{ rank: 1, model_id: 'gpt-5', name: 'GPT-5', calls: 1200, tokens: 900000, users: 40 }],
    },
  },
  handle: async ({ query: { by = 'calls', period = 'week' } }, context) => {
    const { since, models } = await rankedSince(period, context);
    const ranked = models.toSorted((one, other) => RANKED[by](other) - RANKED[by](one));
    const rows = ranked.map(({ model, name, calls, tokens, users }, place) => ({
      ...{ rank: place + 1, model_id: model, name, calls, tokens, users },
    }));
    return data({ since, models: rows });
  },
});

/** Milliseconds and tokens per second, rounded for display. */
const FIGURE = Type.Number({ minimum: 0 });

const SPEED_EXAMPLE = {
  ...{ rank: 1, model_id: 'gpt-5', name: 'GPT-5', tokens_per_second: 85.3, tokens_per_second_samples: 310 },
  ...{ ttft_ms: 420.5, ttft_samples: 325 },
};

const speed = operation({
  ...GROUP,
  name: 'public.speed',
  id: 'rankModelsBySpeed',
  path: '/model-rank/speed',
  title: 'Rank models by speed',
  summary: 'The fastest models, by tokens per second and time to the first token of real streams.',
  query: Type.Object({ period: PERIOD }),
  data: Type.Object({
    since: TIME,
    models: Type.Array(
      Type.Object({
        rank: COUNT,
        model_id: TEXT,
        name: TEXT,
        tokens_per_second: Type.Union([FIGURE, Type.Null()]),
        tokens_per_second_samples: COUNT,
        ttft_ms: Type.Union([FIGURE, Type.Null()]),
        ttft_samples: COUNT,
      }),
    ),
  }),
  example: { data: { since: '2026-11-08 00:00:00', models: [SPEED_EXAMPLE] } },
  handle: async ({ query: { period = 'week' } }, context) => {
    const { since, models } = await rankedSince(period, context);
    const timed = models.filter(({ ttftCalls, speedCalls }) => ttftCalls + speedCalls > 0).map(shownSpeed);
    const rows = timed.toSorted(bySpeed).map((row, place) => ({ rank: place + 1, ...row }));
    return data({ since, models: rows });
  },
});

type Speed = ReturnType<typeof shownSpeed>;

function shownSpeed(traffic: Named) {
  const { model, name, ttftCalls, ttftMs, speedCalls, speedTokens, speedMs } = traffic;
  return {
    model_id: model,
    name,
    tokens_per_second: speedMs === 0 ? null : tenths((speedTokens * 1000) / speedMs),
    tokens_per_second_samples: speedCalls,
    ttft_ms: ttftCalls === 0 ? null : tenths(ttftMs / ttftCalls),
    ttft_samples: ttftCalls,
  };
}

/** The most tokens per second first; then, and if unknown, the shorter time to the first token. */
function bySpeed(one: Speed, other: Speed): number {
  const faster = (other.tokens_per_second ?? -1) - (one.tokens_per_second ?? -1);
  return faster === 0 ? (one.ttft_ms ?? Infinity) - (other.ttft_ms ?? Infinity) : faster;
}

function tenths(value: number): number {
  return Math.round(value * 10) / 10;
}

const DAY_MS = 86_400_000;

/** Users are counted per day (UTC), so every period begins with a day. */
function toPeriodStartMs(period: Period, nowMs: number): number {
  return Math.floor((nowMs - PERIOD_DAYS[period] * DAY_MS) / DAY_MS) * DAY_MS;
}

/** Models that are hidden from the list of models are not ranked either. */
function visible(traffic: readonly ModelTraffic[], { models }: CatalogSnapshot): readonly Named[] {
  const named: Named[] = [];
  for (const each of traffic) {
    const model = models.get(each.model);
    if (model?.status === 'enabled' && model.clientVisible) named.push({ ...each, name: model.name });
  }
  return named;
}

interface Kept {
  readonly until: number;
  readonly found: Promise<readonly ModelTraffic[]>;
}

/** By the start of the period. Each server of a process has a database of its own. */
const keptByDatabase = new WeakMap<Database, Map<number, Kept>>();

/** The ranking is public and adding up a month is expensive, so the result is cached for a while. */
function trafficSince(sinceMs: number, { database, clock }: Context): Promise<readonly ModelTraffic[]> {
  const known = keptByDatabase.get(database) ?? new Map<number, Kept>();
  keptByDatabase.set(database, known);
  const now = clock.monotonic();
  const kept = known.get(sinceMs);
  if (kept !== undefined && now < kept.until) return kept.found;
  // At most one per period: older ones are removed.
  for (const [since, { until }] of known) if (now >= until) known.delete(since);
  const found = loadModelTraffic(database, sinceMs);
  known.set(sinceMs, { until: now + RANKING_LIFE_MS, found });
  found.catch(() => known.delete(sinceMs));
  return found;
}

/** Rule I-63: rankings from real calls, of models that are public. */
export const rankingOperations: readonly Operation[] = [list, speed];
