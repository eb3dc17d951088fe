/** From costs to a table: what a question costs in a large database, beside what it costs in small ones. */
import { ratioOf, type Spread, spreadOf } from '../report/statistics.ts';
import { renderTable, spreadText } from '../report/table.ts';

/** Pages and statistics stay flat, however long the logs are. */
export const RATIO_MAX = 2;

export interface Cost {
  /** Microseconds of one question: processor time of this process and of PostgreSQL together. */
  readonly processorUs: number;
  readonly clockUs: number;
}

export interface Cell {
  readonly question: string;
  readonly database: string;
  /** One per repeat, in their order. */
  readonly costs: readonly Cost[];
}

export interface Row {
  readonly question: string;
  readonly largeUs: Spread | undefined;
  readonly clockUs: Spread | undefined;
  /** Beside each smaller database, repeat by repeat. */
  readonly ratios: ReadonlyMap<string, Spread | undefined>;
}

export function rowsOf(cells: readonly Cell[], large: string): readonly Row[] {
  return cells
    .filter(({ database }) => database === large)
    .map((cell) => {
      const others = cells.filter((each) => each.question === cell.question && each.database !== large);
      return {
        question: cell.question,
        largeUs: spreadOf(cell.costs.map((cost) => cost.processorUs)),
        clockUs: spreadOf(cell.costs.map((cost) => cost.clockUs)),
        ratios: new Map(
          others.map((other) => [other.database, ratioOf(processorUs(cell), processorUs(other))]),
        ),
      };
    });
}

function processorUs(cell: Cell): ReadonlyMap<number, number> {
  return new Map(cell.costs.map((cost, repeat) => [repeat, cost.processorUs]));
}

/** `judged` says whether a question stays flat; the others stand beside it. */
export function renderRows(rows: readonly Row[], judged: string, others: readonly string[]): string {
  const head = ['question', 'processor µs', 'clock µs', `× ${judged}`, `≤ ${RATIO_MAX}`];
  return renderTable(
    [...head, ...others.map((name) => `× ${name}`)],
    rows.map(({ question, largeUs, clockUs, ratios }) => [
      question,
      spreadText(largeUs, 0),
      spreadText(clockUs, 0),
      spreadText(ratios.get(judged), 2),
      verdict(ratios.get(judged)),
      ...others.map((name) => spreadText(ratios.get(name), 2)),
    ]),
  );
}

function verdict(ratio: Spread | undefined): string {
  if (ratio === undefined) return '';
  return ratio.median <= RATIO_MAX ? 'yes' : 'NO';
}
