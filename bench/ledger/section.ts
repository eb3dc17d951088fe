/** What `npm run bench:ledger` found, for docs/performance.md. */
import type { Spread } from '../report/statistics.ts';
import { renderTable } from '../report/table.ts';
import { RATIO_MAX, type Row, renderRows } from './report.ts';

export interface LedgerResult {
  readonly startedAt: string;
  readonly rows: readonly Row[];
}

/** A full batch, as under full load. */
const BATCH = 1_000;
const SETTLED_PER_SECOND_MIN = 8_000;
const SHARE_MIN = 0.5;

export function renderSettling({ startedAt, rows }: LedgerResult): string {
  const goals = renderTable(['settling', 'goal', 'measured', ''], goalRows(rows));
  return `${startedAt.slice(0, 10)}, \`npm run bench:ledger\`.\n\n${goals}\n\n${renderRows(rows)}`;
}

function goalRows(rows: readonly Row[]): readonly (readonly string[])[] {
  const few = perSecond(rows, '10 accounts');
  const many = perSecond(rows, '100 000 accounts');
  const flat = rows.find(
    ({ verdict, batch, name }) => verdict && batch === BATCH && name.startsWith('100 000'),
  );
  const share = few === undefined || many === undefined ? undefined : many / few;
  return [
    goal('calls settled in a second, of ten accounts', few, `≥ ${SETTLED_PER_SECOND_MIN}`, {
      isMet: few !== undefined && few >= SETTLED_PER_SECOND_MIN,
      digits: 0,
    }),
    goal('the same of 100,000 accounts at random, as a share of it', share, `≥ ${SHARE_MIN}`, {
      isMet: share !== undefined && share >= SHARE_MIN,
      digits: 2,
    }),
    goal('CPU per changed row with 100,000 accounts', flat?.ratio?.median, `≤ ${RATIO_MAX} × with 1,000`, {
      isMet: flat?.verdict === 'yes',
      digits: 2,
    }),
  ];
}

function goal(
  name: string,
  value: number | undefined,
  wanted: string,
  { isMet, digits }: { readonly isMet: boolean; readonly digits: number },
): readonly string[] {
  if (value === undefined) return [name, wanted, 'not measured', ''];
  return [name, wanted, value.toFixed(digits), isMet ? 'met' : 'missed'];
}

/** By the clock, with one connection that settles and waits for the disk. */
function perSecond(rows: readonly Row[], name: string): number | undefined {
  const row = rows.find((each) => each.name === name && each.batch === BATCH && each.draw === 'random');
  const clockUs: Spread | undefined = row?.clockUs;
  return clockUs && 1e6 / clockUs.median;
}
