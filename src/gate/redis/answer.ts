import type { Dimension } from '../../catalog/contract.ts';
import { yuanToBuyMicro } from '../../catalog/price.ts';
import { assert } from '../../kernel/assert.ts';
import type {
  CoverageRequest,
  EnterRequest,
  GateRefused,
  Lease,
  Look,
  LookRequest,
  Shortage,
  WindowLook,
} from '../contract.ts';
import { toCoverageRules, toRules } from '../window.ts';
import type { Held } from './lease.ts';
import { type ScopedRule, scopedRules } from './script-arguments.ts';
import { readWords, TOLD } from './words.ts';

/** The answer of enter.lua: one line of words. */
export type Answer =
  | { readonly kind: 'held'; readonly held: Held }
  | { readonly kind: 'refused'; readonly words: readonly string[] }
  | { readonly kind: 'stale' }
  /** The call beside which it would have entered did not enter just before. */
  | { readonly kind: 'not-tried' };

const DIMENSION_OF: Readonly<Record<string, Dimension>> = {
  r: 'requests',
  t: 'tokens',
  i: 'images',
  v: 'videos',
  a: 'amount',
};
const PAYER_OF: Readonly<Record<string, Lease['payer']>> = { s: 'subscription', c: 'credits', '-': 'none' };
const SHORTAGE_OF: Readonly<Record<string, Shortage>> = {
  a: 'amount',
  s: 'coverage',
  c: 'credits',
  m: 'cap',
};

export function readAnswer(line: string): Answer {
  const words = line.split(' ');
  const {
    kind,
    payer = '',
    held = '0',
    short = '',
    month = '-',
    at,
    free = '0',
  } = readWords(TOLD.held, words);
  if (kind === 'S') return { kind: 'stale' };
  if (kind === 'N') return { kind: 'not-tried' };
  if (kind === 'R') return { kind: 'refused', words };
  const by = PAYER_OF[payer];
  assert(kind === 'E' && by !== undefined, 'the script gives a known answer');
  return {
    kind: 'held',
    held: {
      payer: by,
      heldMicro: BigInt(held),
      shortOf: SHORTAGE_OF[short],
      freeMicro: BigInt(free),
      month,
      atMs: Number(at),
    },
  };
}

/** `rules` are those sent to the script, which names one by its index. */
export function toGateRefused(
  words: readonly string[],
  request: EnterRequest,
  rules: readonly ScopedRule[],
): GateRefused {
  const told = readWords(TOLD.refused, words);
  const { reason = '', place, one = '0', other = '0', wait, free = '0', held = '0' } = told;
  const { money } = request;
  const retryAfterMs = Number(wait);
  const funds = { freeMicro: BigInt(free), heldMicro: BigInt(held) };
  if (reason === 'concurrency') {
    const named = request.limits[Number(place) - 1];
    const limit = BigInt(named?.policy?.concurrency ?? 0);
    return refuse({ reason, limit, used: BigInt(one), retryAfterMs, scope: named?.scope });
  }
  if (reason === 'credits') {
    return refuse({ reason, limit: BigInt(one), used: BigInt(other), retryAfterMs, ...funds });
  }
  const factor = money?.creditsPerYuan ?? 1;
  if (reason === 'cap') {
    const limit = money?.wallet?.capMicro ?? 0n;
    return refuse({ reason, limit, used: yuanToBuyMicro(BigInt(one), factor), retryAfterMs, ...funds });
  }
  const named = (reason === 'coverage' ? coverRules(money?.coverage) : rules)[Number(place) - 1];
  const dimension = reason === 'coverage' ? 'coverage' : DIMENSION_OF[reason];
  assert(named !== undefined && dimension !== undefined, 'the script names a rule that it was sent');
  // Held amounts count as used, because no other call can have them; in yuan, rounded up.
  const used = BigInt(one) + yuanToBuyMicro(BigInt(other), factor);
  const { limit, seconds } = named.rule;
  return refuse({ reason: dimension, limit, used, seconds, retryAfterMs, scope: named.scope });
}

function coverRules(coverage: CoverageRequest | undefined): readonly ScopedRule[] {
  if (coverage === undefined) return [];
  return toCoverageRules(coverage.windows).map((rule) => ({ scope: coverage.scope, rule }));
}

type Refused = Pick<GateRefused, 'reason' | 'limit' | 'used' | 'retryAfterMs'> & Partial<GateRefused>;

function refuse(parts: Refused): GateRefused {
  return { kind: 'gate-refused', seconds: 0, scope: undefined, freeMicro: 0n, heldMicro: 0n, ...parts };
}

export function enterRefusal(words: readonly string[], request: EnterRequest): GateRefused {
  return toGateRefused(words, request, scopedRules(request, 'all'));
}

export function reholdRefusal(words: readonly string[], request: EnterRequest): GateRefused {
  return toGateRefused(words, request, scopedRules(request, 'amounts'));
}

/** The answer of look.lua, in the order of the request. */
export function readLook(line: string, { policy, coverage, creditsPerYuan }: LookRequest): Look {
  const words = line.split(' ');
  const { kind, slots } = readWords(TOLD.look, words);
  const windowsAt = TOLD.look.length;
  assert(kind === 'k', 'the script gives a known answer');
  const { all } = toRules(policy);
  const cover = coverage === undefined ? [] : toCoverageRules(coverage.windows);
  const looks = [...all, ...cover].map(({ dimension, seconds, limit }, index): WindowLook => {
    const at = windowsAt + index * TOLD.window.length;
    const { used = '0', held = '0', ends = '-' } = readWords(TOLD.window, words.slice(at));
    const told = BigInt(used) + yuanToBuyMicro(BigInt(held), creditsPerYuan);
    return { dimension, seconds, limit, used: told, endsInMs: ends === '-' ? undefined : Number(ends) };
  });
  return {
    kind: 'look',
    concurrent: Number(slots),
    windows: looks.slice(0, all.length),
    coverage: looks.slice(all.length),
  };
}
