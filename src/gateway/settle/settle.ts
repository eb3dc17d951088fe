import { chargeableCreditsMicro, costMicro } from '../../catalog/price.ts';
import type { Actuals, Gate, RememberedWindow } from '../../gate/contract.ts';
import { assert } from '../../kernel/assert.ts';
import type { Tasks } from '../../kernel/async/task.ts';
import type { Clock } from '../../kernel/time/clock.ts';
import { totalTokens, type Usage } from '../../kernel/usage.ts';
import type { CallRecord, Journal } from '../../ledger/contract.ts';
import { findFreeReason } from '../../ledger/free-reason.ts';
import { useOfWindows } from '../../ledger/window-use.ts';
import type { Call, Outcome } from '../call.ts';

const NO_WINDOWS: readonly RememberedWindow[] = Object.freeze([]);

/** Gets the record of every authenticated call when it ends. */
export interface CallObserver {
  callEnded(record: CallRecord): void;
}

export interface Settlement {
  readonly journal: Journal;
  readonly gate: Gate;
  readonly observer: CallObserver;
  readonly clock: Clock;
  readonly creditsPerYuan: number;
  readonly tasks: Tasks;
  /** The gate outlives this process: it must not learn of an end that the journal could still lose. */
  readonly gateIsShared: boolean;
}

/**
 * Ends a call. The journal has its record before the client has the last byte. So a call that the client saw
 * complete is charged to the token, even after a crash. Then the call leaves the gate. Settlement does not
 * check that the funds pay for what exceeds the hold: that part is pending in the gate, and is settled when
 * they do.
 */
export function settleCall(call: Call, outcome: Outcome, settlement: Settlement): void {
  settleInTurn(call, outcome, settlement);
  settlement.journal.flush();
}

/** The same for callers that answer at the end of the turn and flush the journal before that. */
export function settleInTurn(call: Call, outcome: Outcome, settlement: Settlement): void {
  assert(!call.settled, 'a call is settled once');
  call.settled = true;
  call.usage = outcome.usage;
  const actuals = actualsOf(call, outcome, settlement);
  const end = settlement.gateIsShared ? endThenLeave : leaveThenEnd;
  settlement.observer.callEnded(end(call, outcome, actuals, settlement));
}

function endThenLeave(call: Call, outcome: Outcome, actuals: Actuals, settlement: Settlement): CallRecord {
  const record = recordOf(call, outcome, actuals, settlement);
  try {
    settlement.journal.end(record);
    settlement.journal.flush();
  } finally {
    leaveGate(call, actuals, settlement);
  }
  return record;
}

/**
 * For a gate in this process. Leaving may begin a window with what the call used, and the record names that
 * window.
 */
function leaveThenEnd(call: Call, outcome: Outcome, actuals: Actuals, settlement: Settlement): CallRecord {
  let record: CallRecord;
  try {
    leaveGate(call, actuals, settlement);
  } finally {
    record = recordOf(call, outcome, actuals, settlement);
    settlement.journal.end(record);
  }
  return record;
}

function actualsOf(call: Call, { usage }: Outcome, { creditsPerYuan }: Settlement): Actuals {
  const amountMicro = call.price === undefined ? 0n : costMicro(usage, call.price);
  const chargeMicro = call.payer === 'credits' ? chargeableCreditsMicro(amountMicro, creditsPerYuan) : 0n;
  return { tokens: totalTokens(usage), amountMicro, chargeMicro, images: usage.images };
}

function leaveGate(call: Call, actuals: Actuals, { gate, tasks }: Settlement): void {
  if (call.lease === undefined) return;
  const left = gate.leave(call.lease, actuals);
  if (left instanceof Promise) tasks.run('gate.leave', () => left);
}

function recordOf(call: Call, outcome: Outcome, actuals: Actuals, settlement: Settlement): CallRecord {
  const { caller, route, price } = call;
  const { clock, creditsPerYuan } = settlement;
  const { amountMicro, chargeMicro } = actuals;
  return {
    callId: call.id,
    createdAtMs: call.createdAtMs,
    accountId: caller.account.id,
    keyId: caller.key.id,
    keyName: caller.key.name,
    modelAsked: call.modelAsked,
    modelUsed: call.modelUsed,
    routeId: route?.id ?? null,
    vendor: route?.vendor.code ?? null,
    protocolIn: call.endpoint.protocol,
    protocolOut: call.protocolOut ?? null,
    stream: call.stream,
    status: outcome.status,
    errorCode: outcome.errorCode,
    usage: outcome.usage,
    estimated: outcome.estimated,
    payer: call.payer,
    month: call.lease?.month,
    mayExchange: call.lease?.mayExchange,
    capMicro: call.lease?.capMicro,
    creditsPerYuan,
    price: price ?? null,
    amountMicro,
    chargeMicro,
    freeReason: findFreeReason({ payer: call.payer, chargeMicro, usage: outcome.usage }),
    verdict: outcome.verdict,
    attempts: call.attempts,
    heldMicro: call.lease?.heldMicro ?? 0n,
    expected: call.payer === 'credits' ? call.expected : undefined,
    ttfbMs: call.firstByteAt === undefined ? null : Math.round(call.firstByteAt - call.startedAt),
    durationMs: Math.round(clock.monotonic() - call.startedAt),
    droppedFields: call.dropped,
    windows: windowsOf(call, outcome.usage, actuals),
  };
}

/** What the call used of the gate's windows. A gate that outlives this process names none. */
function windowsOf(call: Call, usage: Usage, actuals: Actuals): readonly RememberedWindow[] {
  if (call.lease === undefined) return NO_WINDOWS;
  return useOfWindows(call.lease.windows, {
    tokens: actuals.tokens,
    amountMicro: actuals.amountMicro,
    images: Math.max(call.images, usage.images),
    videos: usage.videos,
  });
}
