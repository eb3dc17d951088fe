const CAUSES_MAX = 7;
/** Stands for every call that broke after it began. */
export const BROKE_OFF = 200;
const CLIENT_LEFT = 499;

export type Causes = readonly { readonly status: number | 'other'; readonly calls: number }[];

export interface TimedCause {
  readonly status: number;
  readonly points: readonly number[];
}

interface ToldOverTime {
  readonly traffic: readonly { readonly failed: number }[];
  readonly errors: readonly TimedCause[];
}

/** As `causesOf`, for each point, the most frequent first. */
export function causesOverTime({ traffic, errors }: ToldOverTime): readonly TimedCause[] {
  const told = errors.filter(({ status }) => status !== CLIENT_LEFT);
  const broken = traffic.map(({ failed }, at) =>
    Math.max(
      0,
      told.reduce((left, { points }) => left - (points[at] ?? 0), failed),
    ),
  );
  const all = ({ points }: TimedCause) => points.reduce((sum, calls) => sum + calls, 0);
  return [...told, { status: BROKE_OFF, points: broken }]
    .filter((each) => all(each) > 0)
    .toSorted((one, other) => all(other) - all(one));
}

interface Told {
  readonly traffic: { readonly failed: number };
  readonly errors: readonly { readonly status: number; readonly calls: number }[];
}

/**
 * The causes add up to the failed calls. The API lists statuses from 400 on, so what is left broke off after
 * its answer began. Clients that leave have not failed.
 */
export function causesOf({ traffic, errors }: Told): Causes {
  const sum = (some: readonly { readonly calls: number }[]) =>
    some.reduce((all, { calls }) => all + calls, 0);
  const told = errors.filter(({ status }) => status !== CLIENT_LEFT);
  const broken = Math.max(0, traffic.failed - sum(told));
  const all = [...told, ...(broken > 0 ? [{ status: BROKE_OFF, calls: broken }] : [])].sort(
    (one, other) => other.calls - one.calls,
  );
  if (all.length <= CAUSES_MAX) return all;
  const first = all.slice(0, CAUSES_MAX - 1);
  return [...first, { status: 'other', calls: sum(all.slice(CAUSES_MAX - 1)) }];
}
