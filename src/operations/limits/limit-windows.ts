import { type CoverageWindow, DIMENSIONS, type Plan, type Policy } from '../../catalog/contract.ts';
import type { GateAway, Look, WindowLook } from '../../gate/contract.ts';
import { formatMicro } from '../../kernel/money.ts';
import type { Times } from '../../kernel/time/calendar.ts';
import { ID, nullable, SHOWN_AMOUNT, TIME } from '../fields.ts';
import { Type } from '../schema.ts';

/** Limits in the form of the API, and their use. */

const SECONDS = Type.Integer({ minimum: 1 });
const RULE = {
  dimension: Type.Union(DIMENSIONS.map((dimension) => Type.Literal(dimension))),
  seconds: SECONDS,
  limit: Type.String({ description: 'A count, or yuan for `amount`.' }),
};
const USED = {
  used: nullable(Type.String({ ...SHOWN_AMOUNT, description: 'Null if the counters cannot be read now.' })),
  ends_at: nullable(TIME),
  resets_in: nullable(
    Type.Integer({
      minimum: 0,
      description: 'Seconds until the window ends. Null if it has not begun.',
    }),
  ),
};
const COVERAGE_RULE = { seconds: SECONDS, amount: SHOWN_AMOUNT };
const MODELS = Type.Union([Type.Literal('*'), Type.Array(Type.String())]);
const CONCURRENCY = nullable(
  Type.Integer({ minimum: 0, description: 'Calls at the same time. Null if unlimited.' }),
);

/** A policy of the catalogue. */
export const POLICY = Type.Object({
  id: ID,
  name: Type.String(),
  concurrency: CONCURRENCY,
  windows: Type.Array(Type.Object(RULE)),
});
export const COVERAGE = Type.Object({
  models: MODELS,
  windows: Type.Array(Type.Object(COVERAGE_RULE)),
});

/** A policy in force, with its use. */
export const USED_POLICY = Type.Object({
  id: ID,
  name: Type.String(),
  concurrency: CONCURRENCY,
  concurrency_used: nullable(Type.Integer({ minimum: 0 })),
  windows: Type.Array(Type.Object({ ...RULE, ...USED })),
});
export const USED_COVERAGE = Type.Object({
  models: MODELS,
  windows: Type.Array(Type.Object({ ...COVERAGE_RULE, ...USED })),
});

export const USED_EXAMPLE = { used: '1.25', ends_at: '2026-11-15 14:05:00', resets_in: 11_040 };

export function shownPolicy({ id, name, concurrency, windows }: Policy): object {
  return { id, name, concurrency: concurrency ?? null, windows: windows.map(shownRule) };
}

export function shownCoverage({ coversModels, coverageWindows }: Plan): object {
  return { models: coversModels, windows: coverageWindows.map(shownCoverageRule) };
}

/** When the gate was read. */
export interface Moment extends Pick<Times, 'showTime'> {
  readonly nowMs: number;
}

/** If the gate cannot be reached, the limits are still known; only the use is not. */
export function usedPolicy(policy: Policy, look: Look | GateAway, moment: Moment): object {
  const { id, name, concurrency = null, windows } = policy;
  const seen = look.kind === 'look' ? look.windows : windows.map(unknownUse);
  return {
    id,
    name,
    concurrency,
    concurrency_used: look.kind === 'look' ? look.concurrent : null,
    windows: seen.map((window) => ({ ...shownRule(window), ...shownUse(window, moment) })),
  };
}

export function usedCoverage({ coversModels, coverageWindows }: Plan, look: Look | GateAway, moment: Moment) {
  const unknown = coverageWindows.map(({ seconds, amountMicro }) =>
    unknownUse({ dimension: 'amount', seconds, limit: amountMicro }),
  );
  const seen = look.kind === 'look' ? look.coverage : unknown;
  return {
    models: coversModels,
    windows: seen.map((window) => ({
      ...shownCoverageRule({ seconds: window.seconds, amountMicro: window.limit }),
      ...shownUse(window, moment),
    })),
  };
}

type Rule = Pick<WindowLook, 'dimension' | 'seconds' | 'limit'>;
type Seen = Omit<WindowLook, 'used'> & { readonly used: bigint | undefined };

function shownRule({ dimension, seconds, limit }: Rule) {
  return { dimension, seconds, limit: shownAmount(limit, dimension) };
}

function shownCoverageRule({ seconds, amountMicro }: CoverageWindow) {
  return { seconds, amount: formatMicro(amountMicro) };
}

function unknownUse(rule: Rule): Seen {
  return { ...rule, used: undefined, endsInMs: undefined };
}

function shownUse({ dimension, used, endsInMs }: Seen, { showTime, nowMs }: Moment) {
  return {
    used: used === undefined ? null : shownAmount(used, dimension),
    ends_at: endsInMs === undefined ? null : showTime(nowMs + endsInMs),
    resets_in: endsInMs === undefined ? null : Math.max(0, Math.ceil(endsInMs / 1_000)),
  };
}

function shownAmount(amount: bigint, dimension: WindowLook['dimension']): string {
  return dimension === 'amount' ? formatMicro(amount) : String(amount);
}
