import type { Database } from '../../src/store/database.ts';
import { examine } from '../../src/store/operations/doctor.ts';
import type { SimulatorProcess } from '../support/processes.ts';
import { type Client, call, type Load, type Seen } from './load.ts';
import { CHAT } from './shapes.ts';
import { type Audit, audit } from './trial/books.ts';

export interface Reader {
  readonly opsUrl: string;
}

/** One figure of `/metrics`, 0 when it is not shown. */
export async function figure({ opsUrl }: Reader, name: string): Promise<number> {
  const text = await (await fetch(`${opsUrl}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1] ?? 0);
}

export async function isIdle(reader: Reader): Promise<boolean> {
  const active = await figure(reader, 'tollgate_active_calls');
  return active === 0 && (await figure(reader, 'tollgate_journal_lag_calls')) === 0;
}

let asked = 0;

/** One small call that nothing but the outage can refuse; the load does not know of it. */
export function ask(client: Client, load: Load): Promise<Seen> {
  return call(client, { shape: CHAT, way: 'plain', directive: `tag=ask${++asked} tokens=3` }).then((seen) => {
    load.seen.push(seen);
    return seen;
  });
}

/** The code of our own in an answer, or its status. */
export function codeOf({ status, text }: Seen): number | undefined {
  return /"code":(\d{5})/.exec(text)?.[1] === undefined ? status : Number(/"code":(\d{5})/.exec(text)?.[1]);
}

/** What clients saw, of calls since a moment or of all there are. */
export interface Story {
  readonly seen: readonly Seen[];
  readonly sinceMs?: number;
}

/** What was served during an outage must be in the books to the token; what was refused is in none. */
export async function judge(
  database: Database,
  simulator: SimulatorProcess,
  load: Story,
  deathOf: (seen: Seen) => number = () => Number.POSITIVE_INFINITY,
): Promise<Audit> {
  const served = load.seen.filter(({ status }) => status === undefined || status === 200);
  const { sinceMs = 0 } = load;
  const result = await audit(database, await simulator.truth(), { seen: served, deathOf, sinceMs });
  const findings = (await examine(database)).map((finding) => JSON.stringify(finding));
  // A refused call of a known account is logged as well, so rows are compared with all that was asked.
  const problems = result.problems.filter((problem) => !/^\d+ rows of/.test(problem));
  const [count] = await database.query<{ calls: bigint }>(
    'select count(*) as calls from calls where created_at >= $1',
    [new Date(sinceMs).toISOString()],
  );
  const rows = Number(count?.calls ?? 0);
  if (rows > load.seen.length) problems.push(`${rows} rows of ${load.seen.length} calls`);
  return { ...result, problems: [...problems, ...findings] };
}
