/** What one run measures, part by part. Each part has targets of its own, started for it. */
import type { Part } from './report/result.ts';
import {
  atOnceScenarios,
  pairScenarios,
  type Scenario,
  scenarios,
  slowStreams,
  TIMING,
  TIMING_GROWTH,
  TIMING_PAIRS,
  TIMING_QUICK,
  type Timing,
} from './scenario.ts';
import type { Target } from './target.ts';
import { bare } from './targets/bare.ts';
import { bifrost } from './targets/bifrost.ts';
import { litellm } from './targets/litellm.ts';
import { newApi } from './targets/new-api.ts';
import { nginx } from './targets/nginx.ts';
import { oneApi } from './targets/one-api.ts';
import { portkey } from './targets/portkey.ts';
import { type Deployment, tollgate, tollgateRedis, tollgateTarget } from './targets/tollgate.ts';

export const TARGETS: readonly Target[] = [
  bare,
  nginx,
  tollgate,
  tollgateRedis,
  portkey,
  litellm,
  bifrost,
  newApi,
  oneApi,
];

export interface PlannedPart {
  readonly part: Part;
  readonly targets: readonly Target[];
  readonly scenarios: readonly Scenario[];
  readonly timing: Timing;
  /** Slow streams that are open at once, where memory is measured. */
  readonly streams: readonly number[];
}

export interface Wanted {
  readonly length: 'full' | 'quick';
  readonly targets: readonly string[] | undefined;
  readonly scenarios: readonly string[] | undefined;
  readonly repeats: number | undefined;
}

/** Names of parts, besides those of kinds of traffic. */
export const PARTS = ['convert', 'growth', 'workers', 'memory', 'loop'] as const;
const SIZES = {
  full: { accounts: [10, 1_000, 100_000], routes: [1, 100, 10_000], streams: [1_000, 2_500, 5_000] },
  quick: { accounts: [10, 200], routes: [1, 100], streams: [50, 200] },
} as const;

/** Without names everything is measured; in a quick run, the traffic. */
export function planOf(wanted: Wanted): readonly PlannedPart[] {
  const known = [...scenarios(wanted.length).map(({ name }) => name), ...PARTS];
  const names = wanted.scenarios ?? (wanted.length === 'full' ? known : known.slice(0, -PARTS.length));
  for (const name of names)
    if (!known.some((each) => each === name)) throw new Error(`there is no "${name}"`);
  for (const name of wanted.targets ?? []) {
    if (!TARGETS.some((each) => each.name === name)) throw new Error(`there is no target "${name}"`);
  }
  const parts = [
    traffic(wanted, names),
    ...PARTS.filter((part) => names.includes(part)).map(partsOf(wanted)),
  ];
  return parts.flat().filter((part) => part.scenarios.length > 0 && part.targets.length > 0);
}

function traffic(wanted: Wanted, names: readonly string[]): readonly PlannedPart[] {
  const chosen = scenarios(wanted.length).filter(({ name }) => names.includes(name));
  return [planned(wanted, 'traffic', { scenarios: chosen, targets: TARGETS, timing: TIMING })];
}

function partsOf(wanted: Wanted): (part: (typeof PARTS)[number]) => readonly PlannedPart[] {
  const sizes = SIZES[wanted.length];
  const json = scenarios(wanted.length).filter(({ name }) => name === 'json-small');
  return (part) => {
    if (part === 'convert') {
      // Conversions are measured against passing through: no other target can do them all.
      const own = { scenarios: pairScenarios(), targets: [bare, tollgate], timing: TIMING_PAIRS };
      return [planned(wanted, part, own)];
    }
    if (part === 'memory') {
      const slow = [...json, slowStreams(0)];
      return [{ ...planned(wanted, part, { scenarios: slow, targets: TARGETS, timing: TIMING }), ...sizes }];
    }
    if (part === 'loop') {
      const targets = [bare, tollgate, tollgateRedis];
      return [planned(wanted, part, { scenarios: json, targets, timing: TIMING })];
    }
    return part === 'workers' ? workers(wanted, json) : growth(wanted, json);
  };
}

function growth(wanted: Wanted, json: readonly Scenario[]): readonly PlannedPart[] {
  const { accounts, routes } = SIZES[wanted.length];
  const timing = TIMING_GROWTH;
  const deployments = [
    { name: 'tollgate', stores: 'embedded' },
    { name: 'tollgate-redis', stores: 'postgres-redis' },
  ] as const satisfies readonly Deployment[];
  const withAccounts = deployments.flatMap((each) =>
    accounts.map((count) =>
      tollgateTarget({ ...each, name: `${each.name}-accounts-${count}`, accounts: count }),
    ),
  );
  const withRoutes = routes.map((count) =>
    tollgateTarget({ name: `tollgate-routes-${count}`, stores: 'embedded', routes: count }),
  );
  const chosen = wanted.targets;
  const grown = [withAccounts, withRoutes].map((targets) => {
    const own =
      chosen === undefined ? targets : targets.filter(({ name }) => chosen.includes(baseName(name)));
    return {
      ...planned({ ...wanted, targets: undefined }, 'growth', { scenarios: json, targets, timing }),
      targets: own,
    };
  });
  const atOnce = { scenarios: atOnceScenarios(), targets: [bare, tollgate, tollgateRedis], timing };
  return [planned(wanted, 'growth', atOnce), ...grown];
}

/** Workers of one server share a core here: what a call costs with two says how far two cores would carry. */
function workers(wanted: Wanted, json: readonly Scenario[]): readonly PlannedPart[] {
  if (wanted.targets?.includes('tollgate-redis') === false) return [];
  const targets = [1, 2].map((count) =>
    tollgateTarget({ name: `tollgate-redis-workers-${count}`, stores: 'postgres-redis', workers: count }),
  );
  const own = { scenarios: json, targets, timing: TIMING };
  return [planned({ ...wanted, targets: undefined }, 'workers', own)];
}

/** `tollgate-redis-accounts-10` is a deployment of `tollgate-redis`. */
function baseName(name: string): string {
  return name.replace(/-(?:accounts|routes)-\d+$/, '');
}

function planned(wanted: Wanted, part: Part, own: Omit<PlannedPart, 'part' | 'streams'>): PlannedPart {
  const timing = wanted.length === 'full' ? own.timing : TIMING_QUICK;
  return {
    part,
    targets: own.targets.filter(({ name }) => wanted.targets?.includes(name) ?? true),
    scenarios: own.scenarios,
    timing: { ...timing, repeats: wanted.repeats ?? timing.repeats },
    streams: [],
  };
}
