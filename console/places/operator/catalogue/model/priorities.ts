import { type Entry, withField } from '../changes/document.ts';

export const USUAL_PRIORITY = 100;
const STEP = 10;

export function priorityOf(route: Entry): number {
  return Number(route.priority ?? USUAL_PRIORITY);
}

export interface Group {
  readonly priority: number;
  readonly routes: readonly Entry[];
}

/** The routes of a model in the order in which they are tried. */
export function groupsOf(routes: readonly Entry[]): readonly Group[] {
  const priorities = [...new Set(routes.map(priorityOf))].toSorted((one, other) => one - other);
  return priorities.map((priority) => ({
    priority,
    routes: routes.filter((route) => priorityOf(route) === priority),
  }));
}

export function routeKey({ vendor, credential, forward_model_id: forward }: Entry, modelId: string): string {
  return [vendor, credential, forward ?? modelId].join(' ');
}

/** Where a route is put: into a group, or into a new one before it (`groups.length`: after the last). */
export interface Target {
  readonly group: number;
  readonly place: 'in' | 'before';
}

function withPriority(route: Entry, priority: number): Entry {
  return withField(route, 'priority', priority, USUAL_PRIORITY);
}

export function moveRoute(
  routes: readonly Entry[],
  route: Entry,
  { group, place }: Target,
): readonly Entry[] {
  const groups = groupsOf(routes);
  const priority = place === 'in' ? groups[group]?.priority : between(groups[group - 1], groups[group]);
  if (priority !== undefined) {
    return routes.map((each) => (each === route ? withPriority(each, priority) : each));
  }
  // There is no whole number between two neighbours: all groups are numbered anew.
  const numbers = new Map(groups.map((each, at) => [each.priority, (at + (at >= group ? 2 : 1)) * STEP]));
  return routes.map((each) =>
    withPriority(each, each === route ? (group + 1) * STEP : (numbers.get(priorityOf(each)) ?? STEP)),
  );
}

function between(before: Group | undefined, after: Group | undefined): number | undefined {
  if (after === undefined) return before === undefined ? USUAL_PRIORITY : before.priority + STEP;
  if (before === undefined) return after.priority - STEP;
  const middle = Math.floor((before.priority + after.priority) / 2);
  return middle > before.priority && middle < after.priority ? middle : undefined;
}

/**
 * One step by keyboard. A route that shares its priority first gets one of its own, then joins the next one.
 * Undefined at the ends.
 */
export function stepRoute(
  routes: readonly Entry[],
  route: Entry,
  step: -1 | 1,
): readonly Entry[] | undefined {
  const groups = groupsOf(routes);
  const at = groups.findIndex(({ priority }) => priority === priorityOf(route));
  const isAlone = groups[at]?.routes.length === 1;
  if (!isAlone) return moveRoute(routes, route, { group: step < 0 ? at : at + 1, place: 'before' });
  const next = at + step;
  if (next < 0 || next >= groups.length) return undefined;
  return moveRoute(routes, route, { group: next, place: 'in' });
}
