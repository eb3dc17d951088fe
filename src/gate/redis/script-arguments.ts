import type { Funds } from '../../accounts/contract.ts';
import { SLOT_LIFETIME_MS } from '../../bounds.ts';
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
import { GATE_FUNDS_AGE_MS, GATE_KEEP_MS, GATE_LEASE_MS } from './bounds.ts';
import type { RedisLease } from './lease.ts';

/**
 * The arguments of a script: one line of words, in the order in which enter.lua and leave.lua read them. No
 * word contains a space or a quotation mark, so none can become two.
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
const FREE = '0 0 0 0 1 0 0 0 0 0 0';
const COUNT_MAX = BigInt(Number.MAX_SAFE_INTEGER);

const texts = new WeakMap<readonly Rule[], string>();

/** By the server's clock, unless a test sets the time. */
function head(time: number | undefined, mode: string): ScriptArguments {
  return `${time ?? '-'} ${GATE_LEASE_MS} ${GATE_KEEP_MS} ${SLOT_LIFETIME_MS} ${mode}`;
}

export function enterArguments(time: number | undefined, request: EnterRequest): ScriptArguments {
  const { callId, accountVersion, accountAgeMs, limits, inputTokens, videos } = request;
  const images = imagesTaken(request);
  assertWord(callId);
  assert(inputTokens >= 0 && images >= 0 && videos >= 0, 'a call takes no less than 0');
  const known = `${accountVersion} ${accountAgeMs <= GATE_FUNDS_AGE_MS ? 1 : 0}`;
  const takes = `${known} ${inputTokens} ${images} ${videos}`;
  const rules = limitsText(limits, 'all');
  return `${head(time, 'e')} ${callId} ${takes} 0 0 ${rules} ${moneyText(request.money)}`;
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
  const { callId, limits } = lease.request;
  const rules = limitsText(limits, 'amounts');
  const moments = `${lease.enteredAtMs} ${lease.held.atMs}`;
  return `${head(time, mode)} ${callId} 0 0 0 0 0 ${moments} ${rules} ${moneyText(money)}`;
}

export type Repetition = 'first' | 'again';

export function leaveArguments(
  time: number | undefined,
  lease: RedisLease,
  actuals: Actuals,
  hearing: Repetition,
): ScriptArguments {
  const { callId, enteredAtMs, held, settled, doubted, request } = lease;
  const charge = settled ? 0n : actuals.chargeMicro;
  const moments = `${enteredAtMs} ${held.atMs} ${charge} ${held.month}`;
  const corrections = correctionsOf(lease, actuals);
  const told = hearing === 'again' ? 1 : doubted ? 2 : 0;
  const call = `${told} ${callId} ${scopesOf(request)}`;
  return `${head(time, 'l')} ${call} ${moments} ${corrections.length} ${corrections.join(' ')}`;
}

/** For the windows of the admission: `n` a count, `a` an amount, `m` produced without being expected. */
function correctionsOf(lease: RedisLease, actuals: Actuals): readonly string[] {
  const { request } = lease;
  const corrections: string[] = [];
  for (const { scope, rule } of scopedRules(request, 'all')) {
    const field = fieldOf(scope, rule);
    if (rule.dimension === 'tokens' && actuals.tokens !== request.inputTokens) {
      corrections.push(`n ${field} ${actuals.tokens - request.inputTokens}`);
    }
    const images = rule.dimension === 'images' ? imagesBeyond(request, actuals.images) : 0;
    if (images !== 0) corrections.push(`${imagesTaken(request) > 0 ? 'n' : 'm'} ${field} ${images}`);
  }
  if (actuals.amountMicro === 0n) return corrections;
  for (const field of heldFields(lease)) corrections.push(`a ${field} ${actuals.amountMicro}`);
  return corrections;
}

/** The windows in which the call's money is held. */
function heldFields(lease: RedisLease): readonly string[] {
  const { terms, request, held } = lease;
  if (terms === undefined) return [];
  const fields = scopedRules(request, 'amounts').map(({ scope, rule }) => fieldOf(scope, rule));
  if (held.payer !== 'subscription' || terms.coverage === undefined) return fields;
  const { scope, windows } = terms.coverage;
  return [...fields, ...toCoverageRules(windows).map((rule) => fieldOf(scope, rule))];
}

/** The answer to the entry got lost: everything that the call took is returned. */
export function undoArguments(time: number | undefined, request: EnterRequest): ScriptArguments {
  const taken = scopedRules(request, 'all')
    .filter(({ rule }) => uses(rule.dimension, request))
    .map(({ scope, rule }) => `${fieldOf(scope, rule)} ${amountTaken(rule.dimension, request)}`);
  const coverage = request.money?.coverage;
  if (coverage !== undefined) {
    for (const rule of toCoverageRules(coverage.windows)) taken.push(`${fieldOf(coverage.scope, rule)} 0`);
  }
  const call = `${request.callId} ${scopesOf(request)}`;
  return `${head(time, 'u')} ${call} ${taken.length} ${taken.join(' ')}`;
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
    return `${callId} ${amountMicro ?? '-'}`;
  });
  return `${head(time, 's')} ${fundsText(funds)} ${calls.length} ${calls.join(' ')}`;
}

export function coversArguments(time: number | undefined, overrun: Overrun): ScriptArguments {
  const { creditsPerYuan, autoExchange, capMicro, month, calls } = overrun;
  const terms = `${creditsPerYuan} ${autoExchange ? 1 : 0} ${capMicro} ${month}`;
  const charges = calls.map(({ callId, chargeMicro }) => {
    assertWord(callId);
    return `${callId} ${chargeMicro}`;
  });
  return `${head(time, 'o')} ${terms} ${calls.length} ${charges.join(' ')}`;
}

export function renewArguments(time: number | undefined, leases: readonly RedisLease[]): ScriptArguments {
  const texts = leases.map((lease) => {
    const { callId, enteredAtMs, held, settled, request } = lease;
    const fields = heldFields(lease);
    const amount = settled ? 0n : held.heldMicro;
    const moments = `${enteredAtMs} ${held.atMs}`;
    // Word by word: a call that holds in no window must not leave an empty word.
    return [callId, amount, held.month, moments, scopesOf(request), fields.length, ...fields].join(' ');
  });
  return `${head(time, 'n')} ${texts.length} ${texts.join(' ')}`;
}

export function versionArguments(time: number | undefined, version: number): ScriptArguments {
  return `${head(time, 'v')} ${version}`;
}

/** Policy first, then coverage: the script answers in the same order. */
export function lookArguments(
  time: number | undefined,
  { scope, policy, coverage }: Pick<LookRequest, 'scope' | 'policy' | 'coverage'>,
): ScriptArguments {
  assertWord(scope);
  const fields = toRules(policy).all.map((rule) => fieldOf(scope, rule));
  if (coverage !== undefined) {
    assertWord(coverage.scope);
    for (const rule of toCoverageRules(coverage.windows)) fields.push(fieldOf(coverage.scope, rule));
  }
  return [head(time, 'k'), scope, fields.length, ...fields].join(' ');
}

function moneyText(money: MoneyRequest | undefined): string {
  if (money === undefined) return FREE;
  const { wantMicro, leastMicro, shareMicro, wholeIfFree, creditsPerYuan, coverage, wallet } = money;
  assert(wantMicro >= 0n && leastMicro >= 0n, 'a hold is never negative');
  assert(coverage !== undefined || wallet !== undefined, 'a call that costs something has a payer');
  const covered = coverage === undefined ? 0 : 1;
  const hold = `${wantMicro} ${leastMicro} ${shareMicro} ${wholeIfFree ? 1 : 0}`;
  let text = `${hold} ${creditsPerYuan} 1 ${covered} ${wallet === undefined ? 0 : 1}`;
  if (coverage !== undefined) text += ` ${rulesText(coverage.scope, toCoverageRules(coverage.windows))}`;
  if (wallet === undefined) return `${text} 0 0 0`;
  const { funds, autoExchange, capMicro, month } = wallet;
  return `${text} ${fundsText(funds)} ${autoExchange ? 1 : 0} ${capMicro} ${month}`;
}

/** An account that never spent has no month. An empty word would shift all that follow. */
function fundsText({ version, creditsMicro, balanceMicro, monthSpentMicro, month }: Funds): string {
  return `${version} ${creditsMicro} ${balanceMicro} ${monthSpentMicro} ${month === '' ? '-' : month}`;
}

export interface ScopedRule {
  readonly scope: string;
  readonly rule: Rule;
}

/** All rules of a call, in the order of the arguments. */
export function scopedRules({ limits }: EnterRequest, which: keyof Rules): readonly ScopedRule[] {
  return limits.flatMap(({ scope, policy }) => toRules(policy)[which].map((rule) => ({ scope, rule })));
}

function scopesOf({ limits }: EnterRequest): string {
  return limits.map(({ scope }) => scope).join(',');
}

function limitsText(limits: EnterRequest['limits'], which: keyof Rules): string {
  let text = String(limits.length);
  for (const { scope, policy } of limits) {
    assertWord(scope);
    text += ` ${scope} ${policy?.concurrency ?? '-'} ${rulesTextOf(toRules(policy)[which])}`;
  }
  return text;
}

function rulesText(scope: string, rules: readonly Rule[]): string {
  assertWord(scope);
  return `${scope} ${rulesTextOf(rules)}`;
}

function rulesTextOf(rules: readonly Rule[]): string {
  let text = texts.get(rules);
  if (text === undefined) {
    text = [String(rules.length), ...rules.map(ruleText)].join(' ');
    texts.set(rules, text);
  }
  return text;
}

/** Counts are doubles on the server, exact below 2^53. A higher limit is never reached. */
function ruleText({ dimension, seconds, limit }: Rule): string {
  const told = dimension !== 'amount' && limit > COUNT_MAX ? COUNT_MAX : limit;
  return `${LETTERS[dimension]} ${seconds} ${told}`;
}

function fieldOf(scope: string, { dimension, seconds }: Rule): string {
  return `w:${scope}:${LETTERS[dimension]}:${seconds}`;
}

function assertWord(text: string): void {
  assert(WORD.test(text), 'arguments of a script are plain words');
}
