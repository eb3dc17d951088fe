import type { TruthCall } from '../../sim/truth.ts';
import type { Booked } from './books.ts';
import type { Run } from './cells.ts';
import type { Seen } from './client.ts';
import { VENDORS } from './dialects.ts';
import { TOLERANCE } from './endings.ts';
import { CREDITS_PER_MICRO_YUAN, MICRO, OUTPUT_MAX, PRICES, RATE } from './world.ts';

/** One run told by everybody who saw it. */
export interface Told {
  readonly run: Run;
  readonly seen: Seen;
  /** What the vendor says: more than one when it was asked again. */
  readonly truth: readonly TruthCall[];
  readonly booked: readonly Booked[];
  /** The account's Credits before and after the call. */
  readonly creditsMicro: readonly [before: bigint, after: bigint];
  /** What a call that holds all it can get could hold afterwards; nothing when it was refused. */
  readonly freeMicro: bigint | undefined;
}

/** Everything that is wrong with a run; each line has both figures. */
export function judge(told: Told): readonly string[] {
  const [row, ...more] = told.booked;
  const [made, ...again] = told.truth;
  if (row === undefined) return ['no row in the call log'];
  if (made === undefined) return ['the vendor never saw the call'];
  const problems = new Problems();
  problems.same('rows in the call log', 1 + more.length, 1);
  problems.same('calls at the vendor', 1 + again.length, 1);
  judgeRow(problems, told, row);
  judgeEnding(problems, told, made);
  judgeUsage(problems, { ...told, row, made });
  judgeMoney(problems, told, row);
  return problems.found;
}

class Problems {
  readonly found: string[] = [];

  same(what: string, got: unknown, expected: unknown): void {
    if (got !== expected) this.found.push(`${what}: ${got}, not ${expected}`);
  }

  within(what: string, got: number, [least, most]: readonly [least: number, most: number]): void {
    if (got < least || got > most) this.found.push(`${what}: ${got}, not ${least} to ${most}`);
  }
}

function judgeRow(problems: Problems, { run, seen }: Told, row: Booked): void {
  const { cell } = run;
  const { verdict, status, rule } = cell.course;
  problems.same('verdict', row.verdict, verdict);
  problems.same('payer', row.payer, 'credits');
  problems.same('model used', row.model_used, cell.model);
  problems.same('protocols', `${row.protocol_in} ${row.protocol_out}`, `${cell.client} ${cell.vendor}`);
  problems.same('stream', row.stream, cell.form === 'stream');
  problems.same('free because', row.free_reason, rule === 'nothing' ? 'nothing-produced' : null);
  if (!status.includes(row.status)) problems.same('status', row.status, status.join(' or '));
  if (seen.status !== 0) problems.same('status in the log', row.status, seen.status);
}

/** The ending was really the one of the cell: client and vendor ended as they should. */
function judgeEnding(problems: Problems, { run, seen }: Told, made: TruthCall): void {
  const { leave, verdict, rule } = run.cell.course;
  problems.same('the client left', seen.left, leave !== 'never');
  // A vendor that is read on to its usage may come to its own end by then.
  if (verdict === 'cut-by-client' && rule !== 'reported') {
    problems.same('the vendor was', made.finished, 'aborted-by-client');
  }
  if (verdict === 'complete' && run.tools.length === 0) {
    const said = made.outputTokens - made.reasoningTokens;
    problems.same('the vendor said', said, run.tokens);
    if (leave === 'never') problems.same('the client read', seen.delivered, run.tokens);
  }
  problems.same('calls of tools', made.said?.calls.length ?? 0, run.tools.length);
  if (rule === 'received' || rule === 'likely')
    problems.within('the client read', seen.delivered, [1, made.outputTokens]);
}

interface Figures extends Told {
  readonly row: Booked;
  readonly made: TruthCall;
}

function judgeUsage(problems: Problems, told: Figures): void {
  const { row } = told;
  problems.same('images', row.images, 0);
  problems.same('estimated', row.estimated, isEstimated(told));
  if (told.run.cell.course.rule === 'nothing') {
    problems.same('input charged', inputOf(row), 0);
    problems.same('output charged', outputOf(row), 0);
    return;
  }
  if (isInputTold(told)) judgeInputClasses(problems, told);
  else judgeCountedInput(problems, told);
  judgeOutput(problems, told);
}

function isEstimated({ run: { cell } }: Told): boolean {
  const { rule } = cell.course;
  if (rule === 'received' || rule === 'likely') return VENDORS[cell.vendor].toldEarly !== 'all';
  return rule === 'counted' || rule === 'input';
}

function isInputTold({ run: { cell } }: Told): boolean {
  const { rule } = cell.course;
  const isPart = rule === 'received' || rule === 'likely';
  return rule === 'reported' || (isPart && VENDORS[cell.vendor].toldEarly !== 'nothing');
}

function judgeInputClasses(problems: Problems, { run, row, made }: Figures): void {
  const written = VENDORS[run.cell.vendor].tellsCacheWrites === 'yes' ? made.cacheWrite : 0;
  problems.same('fresh input', row.input_fresh, made.inputTokens - made.cacheRead - written);
  problems.same('input read from the cache', row.cache_read, made.cacheRead);
  problems.same('input written to the cache', row.cache_write, written);
}

function judgeCountedInput(problems: Problems, { run, row, made }: Figures): void {
  const messages = run.turns.length + (run.system === undefined ? 0 : 1);
  const margin =
    messages * TOLERANCE.inputPerMessage +
    TOLERANCE.inputPerPrompt +
    run.tools.length * TOLERANCE.inputPerTool;
  const { inputTokens } = made;
  problems.within('input', inputOf(row), [inputTokens - margin, inputTokens + margin]);
  problems.same('cache counted', row.cache_read + row.cache_write, 0);
}

function judgeOutput(problems: Problems, { run, seen, row, made }: Figures): void {
  const { rule } = run.cell.course;
  const margin = TOLERANCE.output + run.tools.length * TOLERANCE.outputPerCall;
  if (rule === 'reported') {
    problems.same('text', row.output_text, made.outputTokens - made.reasoningTokens);
    problems.same('reasoning', row.output_reasoning, made.reasoningTokens);
  } else if (rule === 'counted') {
    problems.within('output', outputOf(row), [made.outputTokens - margin, made.outputTokens + margin]);
  } else if (rule === 'received') {
    problems.within('output', outputOf(row), [seen.delivered - margin, made.outputTokens + margin]);
  } else if (rule === 'likely') {
    const isSure = VENDORS[run.cell.vendor].showsReasoning === 'yes';
    problems.within('output', outputOf(row), [isSure ? seen.delivered + 1 : seen.delivered, OUTPUT_MAX]);
  } else problems.same('output', outputOf(row), 0);
}

export function inputOf(row: Booked): number {
  return row.input_fresh + row.cache_read + row.cache_write;
}

export function outputOf(row: Booked): number {
  return row.output_text + row.output_reasoning;
}

/** Rule M-1, with no line of the product's price code: exact, cut behind the micro-yuan. */
export function amountOf(row: Booked): bigint {
  const output = row.cache_read > 0 ? PRICES.cacheOutput : PRICES.output;
  const list =
    BigInt(row.input_fresh) * PRICES.input +
    BigInt(row.cache_read) * PRICES.cacheInput +
    BigInt(row.cache_write) * PRICES.cacheWrite +
    BigInt(outputOf(row)) * output;
  return (list * RATE) / 100n;
}

function judgeMoney(problems: Problems, { creditsMicro, freeMicro }: Told, row: Booked): void {
  const amountMicro = amountOf(row);
  const owedMicro = amountMicro * CREDITS_PER_MICRO_YUAN;
  const chargeMicro = owedMicro < MICRO ? 0n : owedMicro;
  const [beforeMicro, afterMicro] = creditsMicro;
  problems.same('amount', row.amount_micro, amountMicro);
  problems.same('charge', row.charge_micro, chargeMicro);
  problems.same('paid', row.paid_micro ?? 0n, chargeMicro);
  problems.same('shortfall', row.shortfall_micro ?? 0n, 0n);
  problems.same('ledger entries', row.entries, chargeMicro === 0n ? 0 : 1);
  problems.same('ledger', row.changed_micro, -chargeMicro);
  problems.same('Credits gone', beforeMicro - afterMicro, chargeMicro);
  problems.same('free afterwards', freeMicro, afterMicro);
}
