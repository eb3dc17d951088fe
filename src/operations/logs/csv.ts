/** A cell: a text or a number. */
export type Cell = string | Figure | number | boolean | null;

/** A printed decimal. It is safe as it is, also below zero. */
export interface Figure {
  readonly figure: string;
}

/** Spreadsheets run texts that begin like this as formulas, with or without spaces before them. */
const FORMULA = /^[\s\u00a0\ufeff]*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r\n]/;
const QUOTED = /[",\r\n]|^\s|\s$/;

/** One line of RFC 4180. A text that a spreadsheet would run gets an apostrophe in front. */
export function csvLine(cells: readonly Cell[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

function csvCell(cell: Cell): string {
  if (cell === null) return '';
  if (typeof cell === 'object') return cell.figure;
  if (typeof cell !== 'string') return String(cell);
  const text = FORMULA.test(cell) ? `'${cell}` : cell;
  return QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
