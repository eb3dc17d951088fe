/** From costs to a table: every size beside the small one it is compared with. */
import { ratioOf, type Spread, spreadOf } from '../report/statistics.ts';
import { renderTable, spreadText } from '../report/table.ts';
import type { Variant } from './plan.ts';
import type { Cost, Draw } from './settle.ts';

/** Issue 4: cost per call stays flat. */
export const RATIO_MAX = 1.3;

export interface Cell extends Draw, Pick<Variant, 'name' | 'callers' | 'against'> {
  /** One per repeat, in their order. */
  readonly costs: readonly Cost[];
}

export interface Row extends Draw {
  readonly name: string;
  readonly tollgateUs: Spread | undefined;
  readonly databaseUs: Spread | undefined;
  readonly clockUs: Spread | undefined;
  /** The name of the cell it is compared with. */
  readonly beside: string | undefined;
  /** Processor time of both, beside that of the cell it is compared with; repeat by repeat. */
  readonly ratio: Spread | undefined;
  /** Whether it costs no more than it may. Nobody can say where the two do `other work`. */
  readonly verdict: 'yes' | 'NO' | 'other work' | undefined;
}

export function rowsOf(cells: readonly Cell[]): readonly Row[] {
  return cells.map((cell) => {
    const other = findBeside(cell, cells);
    const ratio = other && ratioOf(processorUs(cell), processorUs(other));
    return {
      name: cell.name,
      batch: cell.batch,
      draw: cell.draw,
      tollgateUs: spreadOf(cell.costs.map((cost) => cost.tollgateUs)),
      databaseUs: spreadOf(cell.costs.map((cost) => cost.databaseUs)),
      clockUs: spreadOf(cell.costs.map((cost) => cost.clockUs)),
      beside: other?.name,
      ratio,
      verdict: other && ratio && (isSameWork(cell, other) ? verdictOf(ratio) : 'other work'),
    };
  });
}

/** The first it is to be compared with, of those that settled the same draw. */
function findBeside(cell: Cell, cells: readonly Cell[]): Cell | undefined {
  const drawn = cells.filter(({ batch, draw }) => batch === cell.batch && draw === cell.draw);
  return cell.against.flatMap((name) => drawn.filter((each) => each.name === name))[0];
}

/** A batch writes as many purses and hours in both: one for each call, or those of as many callers. */
function isSameWork(cell: Cell, other: Cell): boolean {
  return cell.draw === 'apart' || cell.callers === other.callers;
}

function verdictOf(ratio: Spread): 'yes' | 'NO' {
  return ratio.median <= RATIO_MAX ? 'yes' : 'NO';
}

function processorUs(cell: Cell): ReadonlyMap<number, number> {
  return new Map(cell.costs.map((cost, repeat) => [repeat, cost.tollgateUs + cost.databaseUs]));
}

export function renderRows(rows: readonly Row[]): string {
  const head = [
    'database',
    'at once',
    'Tollgate µs',
    'PostgreSQL µs',
    'clock µs',
    'compared with',
    'ratio',
    `≤ ${RATIO_MAX}`,
  ];
  const table = renderTable(
    head,
    rows.map((row) => [
      row.name,
      drawText(row),
      spreadText(row.tollgateUs, 0),
      spreadText(row.databaseUs, 0),
      spreadText(row.clockUs, 0),
      row.verdict === 'other work' ? `${row.beside}, which share rows` : (row.beside ?? ''),
      spreadText(row.ratio, 2),
      row.verdict ?? '',
    ]),
  );
  return `${table}\n\n${OTHER_WORK}`;
}

const OTHER_WORK =
  'other work: calls of few accounts share purses and hours within a batch, so that fewer rows are written\n' +
  'than for as many calls of many accounts. The ratio shows how much that saves. It is no verdict.';

function drawText({ batch, draw }: Draw): string {
  return draw === 'apart' ? `${batch} calls of ${batch} accounts` : `${batch} random calls`;
}

/** For `npm run prove`: what is judged, and whether all of it costs no more than it may. */
export function proofOf(rows: readonly Row[]): {
  readonly lines: readonly string[];
  readonly isFlat: boolean;
} {
  const judged = rows.filter(({ verdict }) => verdict === 'yes' || verdict === 'NO');
  const lines = judged.map((row) => {
    const result = `${row.ratio?.median.toFixed(2)} times the cost with ${row.beside}; at most ${RATIO_MAX}`;
    return `proof | cost of settling | ${row.name}: ${drawText(row)} at once | ${result}`;
  });
  return { lines, isFlat: judged.length > 0 && judged.every(({ verdict }) => verdict === 'yes') };
}
