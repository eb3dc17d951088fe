import { FORMS } from './dialects.ts';
import { ENDINGS } from './endings.ts';
import { inputOf, outputOf, type Told } from './judge.ts';

/** One row of the table: an ending in one form, all pairs of dialects and all seeds together. */
interface Line {
  readonly title: string;
  readonly runs: number;
  readonly exact: number;
  readonly estimated: number;
  readonly free: number;
  /** Charged less true, the furthest from it to either side. */
  readonly input: string;
  readonly output: string;
}

/** ending × form → how many were charged by report, by count and not at all, and the worst differences. */
export function summaryOf(all: readonly Told[]): string {
  const lines = ENDINGS.flatMap(({ name }) =>
    FORMS.map((form) =>
      lineOf(
        `${name}, ${form}`,
        all.filter(({ run: { cell } }) => cell.ending === name && cell.form === form),
      ),
    ),
  );
  const head =
    '| ending | runs | exact | estimated | free | input, charged − true | output, charged − true |\n' +
    '|---|---|---|---|---|---|---|\n';
  return head + lines.map(textOf).join('\n');
}

function textOf({ title, runs, exact, estimated, free, input, output }: Line): string {
  return `| ${title} | ${runs} | ${exact} | ${estimated} | ${free} | ${input} | ${output} |`;
}

function lineOf(title: string, all: readonly Told[]): Line {
  const rows = all.flatMap(({ booked: [row], truth: [made] }) =>
    row === undefined || made === undefined ? [] : [{ row, made }],
  );
  const charged = rows.filter(({ row }) => row.charge_micro > 0n);
  return {
    title,
    runs: all.length,
    exact: charged.filter(({ row }) => !row.estimated).length,
    estimated: charged.filter(({ row }) => row.estimated).length,
    free: rows.length - charged.length,
    input: rangeOf(charged.map(({ row, made }) => inputOf(row) - made.inputTokens)),
    output: rangeOf(charged.map(({ row, made }) => outputOf(row) - made.outputTokens)),
  };
}

function rangeOf(differences: readonly number[]): string {
  if (differences.length === 0) return '–';
  const least = Math.min(...differences);
  const most = Math.max(...differences);
  return least === most ? String(least) : `${least} to ${most}`;
}
