/** From costs to a table: every size beside the small one it is compared with. */
import { ratioOf, type Spread, spreadOf } from '../statistics.ts';
import { renderTable, spreadText } from '../table.ts';
import type { Cost } from './settle.ts';

/** Issue 4: cost per call stays flat. */
export const RATIO_MAX = 1.3;

export interface Cell {
  readonly name: string;
  readonly batch: number;
  /** The name of the cell it must not cost much more than. */
  readonly against: string | undefined;
  /** One per repeat, in their order. */
  readonly costs: readonly Cost[];
}

export interface Row {
  readonly name: string;
  readonly batch: number;
  readonly tollgateUs: Spread | undefined;
  readonly databaseUs: Spread | undefined;
  readonly clockUs: Spread | undefined;
  /** Processor time of both, beside that of the cell it is compared with; repeat by repeat. */
  readonly ratio: Spread | undefined;
}

export function rowsOf(cells: readonly Cell[]): readonly Row[] {
  return cells.map((cell) => {
    const other = cells.find((each) => each.name === cell.against && each.batch === cell.batch);
    return {
      name: cell.name,
      batch: cell.batch,
      tollgateUs: spreadOf(cell.costs.map((cost) => cost.tollgateUs)),
      databaseUs: spreadOf(cell.costs.map((cost) => cost.databaseUs)),
      clockUs: spreadOf(cell.costs.map((cost) => cost.clockUs)),
      ratio: other && ratioOf(processorUs(cell), processorUs(other)),
    };
  });
}

function processorUs(cell: Cell): ReadonlyMap<number, number> {
  return new Map(cell.costs.map((cost, repeat) => [repeat, cost.tollgateUs + cost.databaseUs]));
}

export function renderRows(rows: readonly Row[]): string {
  const head = [
    'database',
    'calls at once',
    'Tollgate µs',
    'PostgreSQL µs',
    'clock µs',
    'ratio',
    `≤ ${RATIO_MAX}`,
  ];
  return renderTable(
    head,
    rows.map((row) => [
      row.name,
      String(row.batch),
      spreadText(row.tollgateUs, 0),
      spreadText(row.databaseUs, 0),
      spreadText(row.clockUs, 0),
      spreadText(row.ratio, 2),
      row.ratio === undefined ? '' : row.ratio.median <= RATIO_MAX ? 'yes' : 'NO',
    ]),
  );
}

/** For `npm run prove`; the whole is dear when one size costs more than it may. */
export function proofOf(rows: readonly Row[]): {
  readonly lines: readonly string[];
  readonly isFlat: boolean;
} {
  const compared = rows.flatMap(({ name, batch, ratio }) =>
    ratio === undefined ? [] : [{ name, batch, ratio }],
  );
  const lines = compared.map(({ name, batch, ratio }) => {
    const result = `${ratio.median.toFixed(2)} times the cost of the small one, at most ${RATIO_MAX}`;
    return `proof | cost of settling | ${name}, ${batch} calls at once | ${result}`;
  });
  return { lines, isFlat: compared.every(({ ratio }) => ratio.median <= RATIO_MAX) };
}
