import type { TruthCall } from '../../../sim/truth.ts';
import type { Database } from '../../../src/store/database.ts';
import { type Payer, type Seen, stalledMs } from '../load.ts';

/** What became of all calls, and everything that is wrong with it. */
export interface Audit {
  readonly calls: number;
  readonly finished: number;
  readonly cut: number;
  readonly lost: number;
  readonly doubled: number;
  readonly problems: readonly string[];
}

interface Row {
  readonly call_id: string;
  readonly input: bigint;
  readonly output: bigint;
  readonly images: bigint;
  readonly amount_micro: bigint;
  readonly charge_micro: bigint;
  readonly verdict: string;
  readonly payer: string;
  readonly free_reason: string | null;
  readonly taken: bigint | null;
  readonly entries: bigint;
}

/** The three stories are compared from here on; everything when it is not said. */
export interface Witnesses {
  readonly seen: readonly Seen[];
  /** When the server died under a call. */
  readonly deathOf: (one: Seen) => number;
  readonly sinceMs?: number;
  /** Refused with a reason that the test knows of: nothing is claimed about such a call. */
  readonly isExcused?: (one: Seen) => boolean;
}

const ROWS = `
  select c.call_id, c.input_fresh + c.cache_read + c.cache_write as input, c.images, c.amount_micro, c.charge_micro,
    c.output_text + c.output_reasoning as output, c.verdict, c.payer, c.free_reason, s.credits_micro as taken,
    (select count(*) from ledger_entries e
     where e.ref = c.call_id and e.kind = 'consumption' and e.account_id is not null) as entries
  from calls c left join consumptions s using (created_at, call_id) where c.created_at >= $1`;

const DOUBLED = `
  select call_id from calls group by call_id having count(*) > 1
  union all select call_id from consumptions group by call_id having count(*) > 1
  union all select ref from ledger_entries where kind = 'consumption' and account_id is not null
    group by ref having count(*) > 1`;

/** Marks are a second apart; what two processes and a busy machine add to that. */
const MARK_MS = 1_000;
const SLACK_MS = 400;
/** The tokenizer joins what the simulator drew one by one: `" no"` and `"where"` may be one token again. */
const ESTIMATE_SLACK_TOKENS = 2;

/** Compares three independent stories of the same calls: the books, the vendor's truth, and the clients'. */
export async function audit(
  database: Database,
  heard: readonly TruthCall[],
  { seen, deathOf, sinceMs = 0, isExcused = () => false }: Witnesses,
): Promise<Audit> {
  const from = [new Date(sinceMs).toISOString()];
  const rows = new Map((await database.query<Row>(ROWS, from)).map((row) => [row.call_id, row]));
  // What a vendor refused at once was served by another route, or by none.
  const truth = heard.filter(({ finished }) => finished !== 'refused');
  const doubled = (await database.query<{ call_id: string }>(DOUBLED)).length;
  const truths = new Map(truth.map((one) => [one.tag, one]));
  const problems: string[] = [];
  let lost = 0;
  for (const one of seen) {
    if (one.requestId === undefined || isExcused(one)) continue;
    const row = rows.get(one.requestId);
    const truly = truths.get(one.tag);
    if (row === undefined) {
      lost += 1;
      problems.push(`${describe(one)}: no row, answered ${one.status} ${one.text.slice(0, 200)}`);
    } else if (one.status !== 200) problems.push(`${describe(one)}: ${one.text}`);
    else if (truly === undefined) problems.push(`${describe(one)}: the vendor never saw it`);
    else {
      const wrong = one.finished ? checkFinished(one, row, truly) : checkCut(one, row, truly, deathOf(one));
      if (wrong !== undefined) problems.push(`${describe(one)}: ${wrong}`);
      if (wrong !== undefined && one.finished) lost += 1;
    }
  }
  problems.push(...checkTotals([...rows.values()], truth, seen));
  const known = seen.filter((one) => one.requestId !== undefined && !isExcused(one));
  const finished = known.filter((one) => one.finished).length;
  return { calls: seen.length, finished, cut: known.length - finished, lost, doubled, problems };
}

function describe({ tag, shape, way, requestId }: Seen): string {
  return `${tag} ${shape.name} ${way} ${requestId}`;
}

/** In micro-yuan, from what the vendor really made. */
function amountOf({ shape: { price } }: Seen, input: number, output: number, images: number): bigint {
  return BigInt(Math.round(input * price.input + output * price.output + images * price.image * 1_000_000));
}

const FREE_BECAUSE: Readonly<Record<Payer, string | null>> = {
  credits: null,
  subscription: 'covered',
  byok: 'byok',
};

/** A call the client saw finished is charged to the token, once, to whom it should be. */
function checkFinished(one: Seen, row: Row, truly: TruthCall): string | undefined {
  const fullMicro = amountOf(one, truly.inputTokens, truly.outputTokens, truly.images);
  const amountMicro = one.payer === 'byok' ? 0n : fullMicro;
  const chargeMicro = one.payer === 'credits' ? amountMicro * 1000n : 0n;
  if (row.amount_micro !== amountMicro) return `costs ${row.amount_micro}, not ${amountMicro}`;
  if (row.charge_micro !== chargeMicro) return `charged ${row.charge_micro}, not ${chargeMicro}`;
  if (Number(row.output) !== truly.outputTokens && one.shape.name !== 'images')
    return `${row.output} tokens, not ${truly.outputTokens}`;
  if (row.free_reason !== FREE_BECAUSE[one.payer]) return `free because ${row.free_reason}`;
  return checkTaken(one, row);
}

/** Once for who pays, never for who does not; and every call has its line in the consumption log. */
function checkTaken(one: Seen, row: Row): string | undefined {
  if (row.payer !== one.payer) return `paid by ${row.payer}, not ${one.payer}`;
  if (one.payer !== 'credits' && row.charge_micro !== 0n) return `charged ${row.charge_micro}`;
  if (row.taken !== row.charge_micro) return `took ${row.taken} of ${row.charge_micro}`;
  const entries = row.charge_micro > 0n ? 1n : 0n;
  return row.entries === entries ? undefined : `${row.entries} ledger entries`;
}

/** delivered − 1 s ≤ charged ≤ produced. */
function checkCut(one: Seen, row: Row, truly: TruthCall, diedAt: number): string | undefined {
  const lastAt = Math.min(diedAt, one.arrivals.at(-1) ?? 0);
  // A client that was held up notes the last tokens later than they came, and so takes the death for later.
  const knownBy = lastAt - MARK_MS - SLACK_MS - stalledMs(lastAt - 2 * MARK_MS, one.endedAt);
  const least = one.arrivals.filter((at) => at <= knownBy).length - ESTIMATE_SLACK_TOKENS;
  const output = Number(row.output);
  if (output < least)
    return `charged ${output} tokens of ${one.arrivals.length}, at least ${least} are known`;
  if (output > truly.outputTokens) return `charged ${output} tokens of ${truly.outputTokens} produced`;
  return checkTaken(one, row);
}

/** Every call that reached a vendor has its row, and no row is without a call. */
function checkTotals(rows: readonly Row[], truth: readonly TruthCall[], seen: readonly Seen[]): string[] {
  const problems: string[] = [];
  if (rows.length < truth.length) problems.push(`${truth.length} calls at the vendor, ${rows.length} rows`);
  if (rows.length > seen.length) problems.push(`${rows.length} rows of ${seen.length} calls`);
  return problems;
}
