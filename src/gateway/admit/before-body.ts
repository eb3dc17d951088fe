import type { IncomingHttpHeaders } from 'node:http';
import type { Caller } from '../../accounts/contract.ts';
import { chooseLimits } from '../../accounts/limits.ts';
import { BODY_UNASKED_BYTES_MAX } from '../../bounds.ts';
import type { GateAway, Look, ScopedPolicy } from '../../gate/contract.ts';
import type { Refusal } from '../../kernel/errors.ts';
import type { Call } from '../call.ts';
import type { Gateway } from '../gateway.ts';
import { couldBill, notBillable } from './eligible.ts';
import { toRefusal } from './enter.ts';

const FULL_WAIT_MS = 1_000;

/**
 * Checks, before the body is read, whether the call can be served at all: the account can pay for some model,
 * and for a body that is not small it has a free slot. This reserves nothing. Everything is decided again
 * when the body has arrived and names its model.
 */
export function refuseBeforeBody(
  call: Call,
  headers: IncomingHttpHeaders,
  gateway: Gateway,
): Refusal | undefined | Promise<Refusal | undefined> {
  const { caller, createdAtMs: nowMs } = call;
  const { account } = caller;
  const { directory, deps } = gateway;
  const unpaid = refuseWithoutPayer(caller, gateway, nowMs);
  if (unpaid !== undefined || isSmall(headers)) return unpaid;
  const [own, key] = chooseLimits(caller, directory.catalog(), nowMs);
  const refused = own === undefined ? undefined : refuseIfFull(account.id, own, deps);
  const next = (first: Refusal | undefined): Refusal | undefined | Promise<Refusal | undefined> =>
    first ?? (key === undefined ? undefined : refuseIfFull(account.id, key, deps));
  return refused instanceof Promise ? refused.then(next) : next(refused);
}

/** What creates, uploads or adds something needs a payer, also if it is no call and costs nothing. */
export function refuseWithoutPayer(
  { account }: Caller,
  { calendar, deps }: Gateway,
  nowMs = deps.clock.now(),
): Refusal | undefined {
  const isPayable = couldBill(account, { nowMs, month: calendar.month(nowMs) });
  return isPayable ? undefined : notBillable(account);
}

function isSmall(headers: IncomingHttpHeaders): boolean {
  const declared = headers['content-length'];
  if (declared === undefined || headers['content-encoding'] !== undefined) return false;
  return Number(declared) <= BODY_UNASKED_BYTES_MAX;
}

/** An unreachable gate is reported later, when the call enters it. */
function refuseIfFull(
  accountId: number,
  { scope, policy }: ScopedPolicy,
  { gate, settlement, observer }: Gateway['deps'],
): Refusal | undefined | Promise<Refusal | undefined> {
  const limit = policy?.concurrency;
  if (limit === undefined) return undefined;
  const { creditsPerYuan } = settlement;
  const checking = gate.look({ accountId, scope, policy, coverage: undefined, creditsPerYuan });
  const decide = (look: Look | GateAway): Refusal | undefined => {
    if (look.kind !== 'look' || look.concurrent < limit) return undefined;
    observer.gateRefused('concurrency');
    return refuseConcurrency(BigInt(limit), BigInt(look.concurrent), { scope, policy });
  };
  return checking instanceof Promise ? checking.then(decide) : decide(checking);
}

function refuseConcurrency(limit: bigint, used: bigint, scoped: ScopedPolicy): Refusal {
  const { scope } = scoped;
  const money = { freeMicro: 0n, heldMicro: 0n };
  const full = { reason: 'concurrency', seconds: 0, retryAfterMs: FULL_WAIT_MS } as const;
  const refused = { kind: 'gate-refused', ...full, limit, used, scope, ...money } as const;
  return toRefusal(refused, { limits: [scoped] });
}
