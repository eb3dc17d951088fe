/** From the times of the answers to a table with a verdict. */
import { type Spread, spreadOf } from '../../report/statistics.ts';
import { renderTable } from '../../report/table.ts';

/** A page answers within this time, however long the log is. */
export const ANSWER_MS_MAX = 300;

export interface Answered {
  readonly as: string;
  readonly page: string;
  readonly name: string;
  readonly path: string;
  /** Of each repeat. */
  readonly ms: readonly number[];
  /** Processor time of one answer, server and database together. On a busy machine the clock says little. */
  readonly processorMs: number;
  /** Rows or points of the answer. Undefined: it has none. */
  readonly rows: number | undefined;
}

interface Judged extends Answered {
  readonly spread: Spread;
}

/** The slowest first. */
export function judge(answers: readonly Answered[]): readonly Judged[] {
  return answers
    .flatMap((each) => {
      const spread = spreadOf(each.ms);
      return spread === undefined ? [] : [{ ...each, spread }];
    })
    .toSorted((one, other) => other.spread.median - one.spread.median);
}

export function isSlow({ spread }: Judged): boolean {
  return spread.median > ANSWER_MS_MAX;
}

export function renderAnswers(judged: readonly Judged[]): string {
  return renderTable(
    ['who', 'page', 'question', 'p50 ms', 'max ms', 'processor ms', 'rows', `≤ ${ANSWER_MS_MAX} ms`],
    judged.map((each) => [
      ...[each.as, each.page, each.name, each.spread.median.toFixed(0), each.spread.max.toFixed(0)],
      each.processorMs.toFixed(0),
      ...[each.rows === undefined ? '' : String(each.rows), isSlow(each) ? 'NO' : 'yes'],
    ]),
  );
}
