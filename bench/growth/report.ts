/** What a call costs with more of everything, against the number with which it is cheapest. */
import { type Cell, costsOf, type Share } from '../report/result.ts';
import { ratioOf, type Spread, spreadOf } from '../report/statistics.ts';
import { renderTable, spreadText } from '../report/table.ts';

/** With the most, a call may cost this many times what it costs where it is cheapest. */
export const GROWTH_RATIO_MAX = 1.2;

export type Quantity = 'calls at once' | 'accounts' | 'routes' | 'workers';

export interface GrowthLine {
  readonly quantity: Quantity;
  readonly target: string;
  readonly size: number;
  readonly cost: Spread;
  readonly allIn: Spread | undefined;
  /** Against the cheapest size, in the same repeat: a call alone pays for waking up, which others share. */
  readonly ofCheapest: Spread | undefined;
  readonly allInOfCheapest: Spread | undefined;
}

interface Place {
  readonly quantity: Quantity;
  readonly target: string;
  readonly size: number;
}

/** Sizes stand in the names of deployments and of traffic. */
function placeOf({ target, scenario, connections }: Cell): Place | undefined {
  const grown = /^(.*)-(accounts|routes|workers)-(\d+)$/.exec(target);
  if (grown !== null) {
    const [, name = '', quantity, size] = grown;
    return { target: name, quantity: quantity as Quantity, size: Number(size) };
  }
  return scenario.startsWith('at-once-')
    ? { target, quantity: 'calls at once', size: connections }
    : undefined;
}

export function growthLines(cells: readonly Cell[]): readonly GrowthLine[] {
  const groups = new Map<string, { readonly place: Place; readonly cells: Cell[] }>();
  for (const cell of cells) {
    const place = placeOf(cell);
    if (place === undefined) continue;
    const key = JSON.stringify(place);
    const group = groups.get(key) ?? { place, cells: [] };
    group.cells.push(cell);
    groups.set(key, group);
  }
  const all = [...groups.values()].sort((left, right) => left.place.size - right.place.size);
  return all.flatMap(({ place, cells: own }) => {
    const alike = all.filter((each) => isAlike(each.place, place)).map((each) => each.cells);
    const cost = spreadOf([...costsOf(own, 'own').values()]);
    if (cost === undefined) return [];
    return [
      {
        ...place,
        cost,
        allIn: spreadOf([...costsOf(own, 'all-in').values()]),
        ofCheapest: ratioOf(costsOf(own, 'own'), cheapestOf(alike, 'own')),
        allInOfCheapest: ratioOf(costsOf(own, 'all-in'), cheapestOf(alike, 'all-in')),
      },
    ];
  });
}

function isAlike(left: Place, right: Place): boolean {
  return left.quantity === right.quantity && left.target === right.target;
}

/** The costs, by repeat, of the size whose median is the lowest. */
function cheapestOf(sizes: readonly (readonly Cell[])[], share: Share): ReadonlyMap<number, number> {
  const median = (costs: ReadonlyMap<number, number>): number =>
    spreadOf([...costs.values()])?.median ?? Number.POSITIVE_INFINITY;
  const all = sizes.map((cells) => costsOf(cells, share));
  return all.sort((left, right) => median(left) - median(right))[0] ?? new Map();
}

export function renderGrowth(cells: readonly Cell[]): string {
  const lines = growthLines(cells);
  if (lines.length === 0) return '';
  const quantities: readonly Quantity[] = ['calls at once', 'accounts', 'routes', 'workers'];
  const rows = quantities.flatMap((quantity) =>
    [...new Set(lines.map((line) => line.target))].flatMap((target) =>
      lines
        .filter((line) => line.quantity === quantity && line.target === target)
        .map((line) => [
          quantity,
          target,
          line.size.toLocaleString('en'),
          spreadText(line.cost, 3),
          spreadText(line.ofCheapest, 2),
          spreadText(line.allIn, 3),
          spreadText(line.allInOfCheapest, 2),
        ]),
    ),
  );
  const head = ['of', 'target', 'number', 'CPU-ms per call', '× cheapest', 'all in', '× cheapest'];
  return `## Growth\n\n${renderTable(head, rows)}`;
}
