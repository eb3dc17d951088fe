import type { CommandInput } from './command.ts';

/** Names come from users, so control characters are shown as a dot. */
function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, '·');
}

/** Rows in aligned columns, under their headings. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  const cells = [headings, ...rows.map((row) => row.map(printable))];
  const widths = headings.map((_heading, column) =>
    cells.reduce((widest, row) => Math.max(widest, (row[column] ?? '').length), 0),
  );
  return cells.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

/** Names and values, one line each. */
export function facts(entries: readonly (readonly [string, string])[]): readonly string[] {
  const width = entries.reduce((widest, [name]) => Math.max(widest, name.length), 0);
  return entries.map(([name, value]) => `${name.padEnd(width)}  ${printable(value)}`.trimEnd());
}

/** With `--json` prints the object on one line, else the lines for people. */
export function say(input: CommandInput, json: unknown, lines: readonly string[]): void {
  if (input.values.json === true) input.output.line(JSON.stringify(json));
  else for (const line of lines) input.output.line(line);
}

/** Which part of a list is shown, if not all of it. */
export function pageLine(shown: number, offset: number, total: number): readonly string[] {
  if (shown === total) return [];
  return [
    shown === 0
      ? `no entries on this page, ${total} in total`
      : `${offset + 1} to ${offset + shown} of ${total}`,
  ];
}
