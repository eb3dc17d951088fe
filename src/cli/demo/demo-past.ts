import type { StoredAccount } from '../../accounts/contract.ts';
import type { CatalogSnapshot, Model, Route } from '../../catalog/contract.ts';
import { type PriceSnapshot, takeSnapshot } from '../../catalog/price.ts';
import { newCallId } from '../../kernel/id.ts';
import type { Random } from '../../kernel/random.ts';
import { NO_USAGE, totalTokens, type Usage } from '../../kernel/usage.ts';
import type { Attempt, CallRecord, Course, Outcome, Payer } from '../../ledger/contract.ts';
import { computeBill, endRecord } from '../../ledger/end-record.ts';
import type { Habit, KeyHabits } from './demo-habits.ts';
import type { DemoKey } from './demo-people.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Whose past it is, and the terms that its calls had. */
export interface Past {
  readonly account: StoredAccount;
  readonly catalog: CatalogSnapshot;
  readonly creditsPerYuan: number;
  readonly nodeName: string;
  readonly nowMs: number;
  readonly days: number;
  /** Of the time zone that the platform shows. */
  readonly offsetMs: number;
  readonly random: Random;
}

/** The calls of one key in the past days, in the order of their times. */
export function pastCalls(past: Past, key: DemoKey, habits: KeyHabits): readonly CallRecord[] {
  return pastTimes(past, habits).map((atMs) =>
    pastCall(past, { key, atMs, habit: pick(habits, past.random) }),
  );
}

/** More from week to week, less at weekends, each day a little different. */
function pastTimes(
  { nowMs, days, offsetMs, random }: Past,
  { perDay, rhythm }: KeyHabits,
): readonly number[] {
  const today = Math.floor((nowMs + offsetMs) / DAY_MS);
  const weights = rhythm.hours.reduce((sum, weight) => sum + weight, 0);
  const times: number[] = [];
  for (let day = today - days; day <= today; day++) {
    // 1 January 1970 was a Thursday.
    const isWeekend = (day + 4) % 7 === 0 || (day + 4) % 7 === 6;
    const growth = 0.6 + (0.5 * (day - today + days)) / days;
    const busy = perDay * growth * (isWeekend ? rhythm.weekend : 1) * (0.75 + random.unit() / 2);
    for (const [hour, weight] of rhythm.hours.entries()) {
      const count = Math.floor((busy * weight) / weights + random.unit());
      const hourMs = day * DAY_MS + hour * HOUR_MS - offsetMs;
      for (let index = 0; index < count; index++) times.push(hourMs + Math.floor(random.unit() * HOUR_MS));
    }
  }
  return times.filter((atMs) => atMs < nowMs).sort((one, other) => one - other);
}

function pick({ habits }: KeyHabits, random: Random): Habit {
  let at = random.unit() * habits.reduce((sum, { share }) => sum + share, 0);
  for (const habit of habits) {
    at -= habit.share;
    if (at < 0) return habit;
  }
  return habits[0] as Habit;
}

interface PastCall {
  readonly key: DemoKey;
  readonly atMs: number;
  readonly habit: Habit;
}

function pastCall(past: Past, { key, atMs, habit }: PastCall): CallRecord {
  const { catalog, random, account, creditsPerYuan } = past;
  const model = catalog.models.get(habit.model) as Model;
  const payer = choosePastPayer(past, model, atMs);
  const fate = drawFate(random);
  const routes = choosePastRoutes(past, model, payer);
  const { route, ...course } = drawCourse({ habit, fate, routes, random });
  const protocolOut = protocolTo(route, habit);
  const outcome = drawOutcome(habit, fate, random);
  const terms = {
    callId: newCallId(atMs),
    createdAtMs: atMs,
    accountId: account.id,
    keyId: key.keyId,
    keyName: key.name,
    modelAsked: model.modelId,
    modelUsed: model.modelId,
    protocolIn: habit.protocol,
    stream: habit.stream === true,
    windows: [],
  };
  const price = takePastPrice(past, model, route);
  const bill = computeBill({ price, payer }, outcome.usage, creditsPerYuan);
  const routed = { routeId: route.id, vendor: route.vendor.code, protocolOut, payer, price };
  return endRecord({ ...terms, ...routed, heldMicro: bill.chargeMicro }, outcome, {
    ...course,
    bill,
    counted: { tokens: totalTokens(outcome.usage), images: outcome.usage.images },
    droppedFields: protocolOut === habit.protocol ? [] : (habit.dropped ?? []),
  });
}

/** As the gateway chooses: an own vendor key, the plan, Credits. */
function choosePastPayer({ account, catalog }: Past, model: Model, atMs: number): Payer {
  const isOwn = account.byok.some(({ vendorCode }) => model.routes[0]?.vendor.code === vendorCode);
  if (isOwn) return 'byok';
  const isCovered = account.subscriptions.some(({ planCode, startsAtMs }) => {
    const covered = catalog.plans.get(planCode)?.coversModels ?? [];
    return atMs >= startsAtMs && (covered === '*' || covered.includes(model.modelId));
  });
  return isCovered ? 'subscription' : 'credits';
}

function choosePastRoutes({ account, random }: Past, model: Model, payer: Payer): readonly Route[] {
  const [first, second] = model.routes;
  if (first === undefined) return [];
  const own = account.byok.find(({ vendorCode }) => vendorCode === first.vendor.code);
  if (payer === 'byok' && own !== undefined) return [{ ...first, credential: own }];
  if (second === undefined) return [first];
  const isShared = first.priority === second.priority && random.unit() < 0.25;
  return isShared ? [second, first] : [first, second];
}

const prices = new WeakMap<Route, PriceSnapshot>();

function takePastPrice({ catalog, account, nodeName }: Past, model: Model, route: Route): PriceSnapshot {
  const known = prices.get(route);
  // The rate of the user is part of a price, so accounts do not share them.
  if (known !== undefined && known.rates.userMicro === account.userRateMicro) return known;
  const made = takeSnapshot(route, { catalog, model, nodeName, userRateMicro: account.userRateMicro });
  prices.set(route, made);
  return made;
}

type Fate = 'complete' | 'second-route' | 'left' | 'broken' | 'failed';

/** Out of a thousand. What is left is complete. */
const FATES: readonly (readonly [fate: Fate, share: number])[] = [
  ['second-route', 9],
  ['left', 12],
  ['broken', 2],
  ['failed', 3],
];

function drawFate(random: Random): Fate {
  let at = random.unit() * 1_000;
  for (const [fate, share] of FATES) {
    at -= share;
    if (at < 0) return fate;
  }
  return 'complete';
}

type PastCourse = Pick<Course, 'attempts' | 'durationMs' | 'ttfbMs' | 'admittedMs' | 'gateMs'> & {
  readonly route: Route;
};

const OUTCOMES: Readonly<Record<Fate, string>> = {
  complete: 'ok',
  'second-route': 'ok',
  left: 'cut-by-client',
  broken: 'reset',
  failed: '529',
};

function drawCourse(given: {
  readonly habit: Habit;
  readonly fate: Fate;
  readonly routes: readonly Route[];
  readonly random: Random;
}): PastCourse {
  const { habit, fate, routes, random } = given;
  const [first, second] = routes as readonly [Route, Route | undefined];
  const admittedMs = 1 + Math.floor(3 * random.unit());
  const headMs = Math.round(180 + 900 * random.unit() ** 2);
  const madeMs = Math.round(habit.output[1] * (6 + 14 * random.unit()) * (0.3 + random.unit()));
  const lastsMs = fate === 'failed' ? headMs : headMs + madeMs;
  const last = fate === 'second-route' && second !== undefined ? second : first;
  const attempts: Attempt[] = [];
  let startMs = admittedMs;
  if (last !== first) {
    const lostMs = Math.round(headMs / 3);
    attempts.push(attemptOn(first, '529', { startMs, durationMs: lostMs, headMs: startMs + lostMs }));
    startMs += lostMs;
  }
  attempts.push(attemptOn(last, OUTCOMES[fate], { startMs, durationMs: lastsMs, headMs: startMs + headMs }));
  const durationMs = startMs + lastsMs;
  const firstByteMs = habit.stream === true ? startMs + headMs : durationMs;
  const ttfbMs = fate === 'failed' ? null : firstByteMs;
  return { route: last, attempts, durationMs, ttfbMs, admittedMs, gateMs: 0 };
}

type Times = Pick<Attempt, 'startMs' | 'headMs' | 'durationMs'>;

function attemptOn({ id, vendor, credential }: Route, outcome: string, times: Times): Attempt {
  const own = credential.ownerAccountId === undefined ? {} : { own: true as const };
  return { routeId: id, vendor: vendor.code, credential: credential.name, ...own, outcome, ...times };
}

function protocolTo(route: Route, { protocol }: Habit): Route['protocols'][number] {
  if (route.protocols.includes(protocol)) return protocol;
  return route.protocols[0] ?? protocol;
}

function drawOutcome(habit: Habit, fate: Fate, random: Random): Outcome {
  if (fate === 'failed') {
    return { status: 529, errorCode: null, verdict: 'failed', usage: NO_USAGE, estimated: false };
  }
  const usage = drawUsage(habit, random);
  const isWhole = fate === 'complete' || fate === 'second-route' || habit.stream !== true;
  if (isWhole) return { status: 200, errorCode: null, verdict: 'complete', usage, estimated: false };
  const cut = { ...usage, outputText: Math.floor(usage.outputText / 3), outputReasoning: 0 };
  const verdict = fate === 'left' ? 'cut-by-client' : 'cut-by-upstream';
  return { status: 200, errorCode: fate === 'left' ? null : 50202, verdict, usage: cut, estimated: true };
}

function drawUsage({ input, output, cached = 0, reasoning = 0, images = 0 }: Habit, random: Random): Usage {
  // Few are long.
  const within = ([least, most]: Habit['input']): number =>
    Math.round(least + (most - least) * random.unit() ** 2);
  const [asked, made] = [within(input), within(output)];
  const cacheRead = cached > 0 && random.unit() < 0.8 ? Math.floor(asked * cached) : 0;
  const outputReasoning = Math.floor(made * reasoning);
  const known = {
    inputFresh: asked - cacheRead,
    cacheRead,
    outputReasoning,
    outputText: made - outputReasoning,
  };
  return { ...NO_USAGE, ...known, images };
}
