import type { Funds } from '../../accounts/contract.ts';
import type { Dimension } from '../../catalog/contract.ts';
import { assert } from '../../kernel/assert.ts';
import type { Actuals, EnterRequest, LookRequest, MoneyRequest, Overrun } from '../contract.ts';
import {
  amountTaken,
  imagesBeyond,
  imagesTaken,
  type Rule,
  type Rules,
  toCoverageRules,
  toRules,
  uses,
} from '../window.ts';
import { GATE_FUNDS_AGE_MS } from './bounds.ts';
import type { RedisLease } from './lease.ts';
import { createWriter, TAKEN, type Words, writeList } from './words.ts';

/**
 * The arguments of a script: one line of words, in the order of words.ts. No word contains a space or a
 * quotation mark, so none can become two.
 */
export type ScriptArguments = string;

const LETTERS: Readonly<Record<Dimension, string>> = {
  requests: 'r',
  tokens: 't',
  images: 'i',
  videos: 'v',
  amount: 'a',
};
const WORD = /^[\w:.,-]+$/;
const COUNT_MAX = BigInt(Number.MAX_SAFE_INTEGER);

const texts = new WeakMap<readonly Rule[], string>();

const writeHead = createWriter(TAKEN.head);
const writeCall = createWriter(TAKEN.call);
const writeScope = createWriter(TAKEN.scope);
const writeRule = createWriter(TAKEN.rule);
const writeHold = createWriter(TAKEN.hold);
const writeCoverage = createWriter(TAKEN.coverage);
const writeFunds = createWriter(TAKEN.funds);
const writeWallet = createWriter(TAKEN.wallet);
const writeLeaving = createWriter(TAKEN.leaving);
const writeCorrection = createWriter(TAKEN.correction);
const writeUndone = createWriter(TAKEN.undone);
const writeUsed = createWriter(TAKEN.used);
const writeSettled = createWriter(TAKEN.settled);
const writeRunning = createWriter(TAKEN.running);
const writeVersion = createWriter(TAKEN.version);
const writeOverrun = createWriter(TAKEN.overrun);
const writeCharge = createWriter(TAKEN.charge);
const writeLook = createWriter(TAKEN.look);

const NO_WALLET = writeWallet({ exchange: false, cap: 0n, month: '0' });
const FREE_HOLD: Words<typeof TAKEN.hold> = {
  want: 0n,
  least: 0n,
  share: 0n,
  wholeIfFree: false,
  factor: 1,
  costs: false,
  covered: false,
  payable: false,
};
const FREE = `${writeHold(FREE_HOLD)} ${NO_WALLET}`;
/** What a call that entered before no longer takes. */
const RUNNING = { beside: '-', version: 0, justRead: false, tokens: 0, images: 0, videos: 0 } as const;

/** By the server's clock, unless a test sets the time. */
function head(time: number | undefined, mode: string): ScriptArguments {
  return writeHead({ time: time ?? '-', mode });
}

/** Tries whether the server can be written. */
export const WRITING_ARGUMENTS = head(undefined, 'w');

export function enterArguments(
  time: number | undefined,
  request: EnterRequest,
  beside = '-',
): ScriptArguments {
  const { callId, accountVersion, accountAgeMs, limits, inputTokens, videos } = request;
  const images = imagesTaken(request);
  assertWord(callId);
  assert(inputTokens >= 0 && images >= 0 && videos >= 0, 'a call takes no less than 0');
  const call = writeCall({
    id: callId,
    beside,
    version: accountVersion,
    justRead: accountAgeMs <= GATE_FUNDS_AGE_MS,
    tokens: inputTokens,
    images,
    videos,
    entered: 0,
    since: 0,
  });
  return `${head(time, 'e')} ${call} ${limitsText(limits, 'all')} ${moneyText(request.money)}`;
}

/** Extends on the same terms. `targetMicro` is the total hold, so a repetition is safe. */
export function extendArguments(
  time: number | undefined,
  lease: RedisLease,
  targetMicro: bigint,
): ScriptArguments {
  const { terms, held } = lease;
  assert(terms !== undefined, 'only a call that holds something extends it');
  const payer =
    held.payer === 'subscription'
      ? { wallet: undefined }
      : { coverage: undefined, wallet: terms.wallet && { ...terms.wallet, month: held.month } };
  return runningLine(time, 'x', lease, { ...terms, ...payer, wantMicro: targetMicro });
}

export function reholdArguments(
  time: number | undefined,
  lease: RedisLease,
  money: MoneyRequest | undefined,
): ScriptArguments {
  return runningLine(time, 'r', lease, money);
}

function runningLine(
  time: number | undefined,
  mode: string,
  lease: RedisLease,
  money: MoneyRequest | undefined,
): ScriptArguments {
  const { callId: id, limits } = lease.request;
  const call = writeCall({ id, ...RUNNING, entered: lease.enteredAtMs, since: lease.held.atMs });
  return `${head(time, mode)} ${call} ${limitsText(limits, 'amounts')} ${moneyText(money)}`;
}

export type Repetition = 'first' | 'again';

export function leaveArguments(
  time: number | undefined,
  lease: RedisLease,
  actuals: Actuals,
  hearing: Repetition,
): ScriptArguments {
  const { callId, enteredAtMs, held, settled, doubted, request } = lease;
  const leaving = writeLeaving({
    told: hearing === 'again' ? 1 : doubted ? 2 : 0,
    id: callId,
    scopes: joinScopes(request),
    entered: enteredAtMs,
    since: held.atMs,
    charge: settled ? 0n : actuals.chargeMicro,
    month: held.month,
  });
  return `${head(time, 'l')} ${leaving} ${writeList(listCorrections(lease, actuals))}`;
}

/** For the windows of the admission: `n` a count, `a` an amount, `m` produced without being expected. */
function listCorrections(lease: RedisLease, actuals: Actuals): readonly string[] {
  const { request } = lease;
  const corrections: string[] = [];
  for (const { scope, rule } of scopedRules(request, 'all')) {
    const field = toWindowField(scope, rule);
    if (rule.dimension === 'tokens' && actuals.tokens !== request.inputTokens) {
      const difference = actuals.tokens - request.inputTokens;
      corrections.push(writeCorrection({ kind: 'n', field, difference }));
    }
    const images = rule.dimension === 'images' ? imagesBeyond(request, actuals.images) : 0;
    const kind = imagesTaken(request) > 0 ? 'n' : 'm';
    if (images !== 0) corrections.push(writeCorrection({ kind, field, difference: images }));
  }
  if (actuals.amountMicro === 0n) return corrections;
  for (const field of heldFields(lease)) {
    corrections.push(writeCorrection({ kind: 'a', field, difference: actuals.amountMicro }));
  }
  return corrections;
}

/** The windows in which the call's money is held. */
function heldFields(lease: RedisLease): readonly string[] {
  const { terms, request, held } = lease;
  if (terms === undefined) return [];
  const fields = scopedRules(request, 'amounts').map(({ scope, rule }) => toWindowField(scope, rule));
  if (held.payer !== 'subscription' || terms.coverage === undefined) return fields;
  const { scope, windows } = terms.coverage;
  return [...fields, ...toCoverageRules(windows).map((rule) => toWindowField(scope, rule))];
}

/** The call is not made, or the answer to its entry got lost: everything that it took is returned. */
export function undoArguments(
  time: number | undefined,
  request: EnterRequest,
  hearing: Repetition,
): ScriptArguments {
  const taken = scopedRules(request, 'all')
    .filter(({ rule }) => uses(rule.dimension, request))
    .map(({ scope, rule }) =>
      writeUsed({ field: toWindowField(scope, rule), taken: amountTaken(rule.dimension, request) }),
    );
  const coverage = request.money?.coverage;
  if (coverage !== undefined) {
    for (const rule of toCoverageRules(coverage.windows)) {
      taken.push(writeUsed({ field: toWindowField(coverage.scope, rule), taken: 0 }));
    }
  }
  const told = hearing === 'again' ? 1 : 0;
  const undone = writeUndone({ told, id: request.callId, scopes: joinScopes(request) });
  return `${head(time, 'u')} ${undone} ${writeList(taken)}`;
}

/** `amountMicro` is the cost of a call whose process is dead; absent if it is alive and will leave. */
export interface SettledRange {
  readonly callId: string;
  readonly amountMicro: bigint | undefined;
}

export function settledArguments(
  time: number | undefined,
  funds: Funds,
  settlements: readonly SettledRange[],
): ScriptArguments {
  const calls = settlements.map(({ callId, amountMicro }) => {
    assertWord(callId);
    return writeSettled({ id: callId, spent: amountMicro ?? '-' });
  });
  return `${head(time, 's')} ${fundsText(funds)} ${writeList(calls)}`;
}

export function coversArguments(time: number | undefined, overrun: Overrun): ScriptArguments {
  const { creditsPerYuan, autoExchange, capMicro, month, calls } = overrun;
  const terms = writeOverrun({ factor: creditsPerYuan, exchange: autoExchange, cap: capMicro, month });
  const charges = calls.map(({ callId, chargeMicro }) => {
    assertWord(callId);
    return writeCharge({ id: callId, charge: chargeMicro });
  });
  return `${head(time, 'o')} ${terms} ${writeList(charges)}`;
}

export function renewArguments(time: number | undefined, leases: readonly RedisLease[]): ScriptArguments {
  const calls = leases.map((lease) => {
    const { callId, enteredAtMs, held, settled, request } = lease;
    const running = writeRunning({
      id: callId,
      held: settled ? 0n : held.heldMicro,
      month: held.month,
      entered: enteredAtMs,
      since: held.atMs,
      scopes: joinScopes(request),
    });
    return `${running} ${writeList(heldFields(lease))}`;
  });
  return `${head(time, 'n')} ${writeList(calls)}`;
}

export function versionArguments(time: number | undefined, version: number): ScriptArguments {
  return `${head(time, 'v')} ${writeVersion({ version })}`;
}

/** Policy first, then coverage: the script answers in the same order. */
export function lookArguments(
  time: number | undefined,
  { scope, policy, coverage }: Pick<LookRequest, 'scope' | 'policy' | 'coverage'>,
): ScriptArguments {
  assertWord(scope);
  const fields = toRules(policy).all.map((rule) => toWindowField(scope, rule));
  if (coverage !== undefined) {
    assertWord(coverage.scope);
    for (const rule of toCoverageRules(coverage.windows)) fields.push(toWindowField(coverage.scope, rule));
  }
  return `${head(time, 'k')} ${writeLook({ scope })} ${writeList(fields)}`;
}

function moneyText(money: MoneyRequest | undefined): string {
  if (money === undefined) return FREE;
  const { wantMicro, leastMicro, shareMicro, wholeIfFree, creditsPerYuan, coverage, wallet } = money;
  assert(wantMicro >= 0n && leastMicro >= 0n, 'a hold is never negative');
  assert(coverage !== undefined || wallet !== undefined, 'a call that costs something has a payer');
  let text = writeHold({
    want: wantMicro,
    least: leastMicro,
    share: shareMicro,
    wholeIfFree,
    factor: creditsPerYuan,
    costs: true,
    covered: coverage !== undefined,
    payable: wallet !== undefined,
  });
  if (coverage !== undefined) text += ` ${rulesText(coverage.scope, toCoverageRules(coverage.windows))}`;
  if (wallet === undefined) return `${text} ${NO_WALLET}`;
  const { funds, autoExchange, capMicro, month } = wallet;
  return `${text} ${fundsText(funds)} ${writeWallet({ exchange: autoExchange, cap: capMicro, month })}`;
}

/** An account that never spent has no month. An empty word would shift all that follow. */
function fundsText({ version, creditsMicro, balanceMicro, monthSpentMicro, month }: Funds): string {
  return writeFunds({
    version,
    credits: creditsMicro,
    balance: balanceMicro,
    monthSpent: monthSpentMicro,
    month: month === '' ? '-' : month,
  });
}

export interface ScopedRule {
  readonly scope: string;
  readonly rule: Rule;
}

/** All rules of a call, in the order of the arguments. */
export function scopedRules({ limits }: EnterRequest, which: keyof Rules): readonly ScopedRule[] {
  return limits.flatMap(({ scope, policy }) => toRules(policy)[which].map((rule) => ({ scope, rule })));
}

function joinScopes({ limits }: EnterRequest): string {
  return limits.map(({ scope }) => scope).join(',');
}

function limitsText(limits: EnterRequest['limits'], which: keyof Rules): string {
  let text = String(limits.length);
  for (const { scope, policy } of limits) {
    assertWord(scope);
    const named = writeScope({ scope, concurrency: policy?.concurrency ?? '-' });
    text += ` ${named} ${writeRules(toRules(policy)[which])}`;
  }
  return text;
}

function rulesText(scope: string, rules: readonly Rule[]): string {
  assertWord(scope);
  return `${writeCoverage({ scope })} ${writeRules(rules)}`;
}

function writeRules(rules: readonly Rule[]): string {
  let text = texts.get(rules);
  if (text === undefined) {
    text = writeList(rules.map(ruleText));
    texts.set(rules, text);
  }
  return text;
}

/** Counts are doubles on the server, exact below 2^53. A higher limit is never reached. */
function ruleText({ dimension, seconds, limit }: Rule): string {
  const told = dimension !== 'amount' && limit > COUNT_MAX ? COUNT_MAX : limit;
  return writeRule({ dimension: LETTERS[dimension], seconds, limit: told });
}

function toWindowField(scope: string, { dimension, seconds }: Rule): string {
  return `w:${scope}:${LETTERS[dimension]}:${seconds}`;
}

function assertWord(text: string): void {
  assert(WORD.test(text), 'arguments of a script are plain words');
}
