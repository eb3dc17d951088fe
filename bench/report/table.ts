/** Figures and tables as text. */
import type { Spread } from './statistics.ts';

export function spreadText(spread: Spread | undefined, digits: number): string {
  if (spread === undefined) return '';
  const [text, min, max] = [spread.median, spread.min, spread.max].map((each) => each.toFixed(digits));
  return min === max ? `${text}` : `${text} (${min}–${max})`;
}

export function renderTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((text, column) => text.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  const rule = `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`;
  return [line(head), rule, ...rows.map(line)].join('\n');
}
