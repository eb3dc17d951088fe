import type { Actuals, Gate } from '../../gate/contract.ts';
import { assert } from '../../kernel/assert.ts';
import { nextTurn } from '../../kernel/async/next-turn.ts';
import type { Tasks } from '../../kernel/async/task.ts';
import type { Refusal } from '../../kernel/errors.ts';
import type { Clock } from '../../kernel/time/clock.ts';
import { totalTokens } from '../../kernel/usage.ts';
import type { CallRecord, Course, Journal, LoggedRefusal, Outcome } from '../../ledger/contract.ts';
import { LOGGED_MESSAGE_CHARS_MAX } from '../../ledger/contract.ts';
import { computeBill, endRecord } from '../../ledger/end-record.ts';
import type { CallTrace } from '../../open-telemetry/contract.ts';
import { type Call, toCallTerms } from '../call.ts';

/** Gets the record of every authenticated call when it ends. */
export interface CallObserver {
  /** `trace` only if OpenTelemetry is on. */
  callEnded(record: CallRecord, trace: CallTrace | undefined): void;
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
  const actuals = computeActuals(call, outcome, settlement);
  const end = settlement.gateIsShared ? endThenLeave : leaveThenEnd;
  const record = end(call, outcome, actuals, settlement);
  call.trace?.ended(record);
  settlement.observer.callEnded(record, call.trace);
}

/** The journal writes the records of one turn together, at its end at the latest. Then the call leaves. */
function endThenLeave(call: Call, outcome: Outcome, actuals: Actuals, settlement: Settlement): CallRecord {
  const record = toCallRecord(call, outcome, actuals, settlement);
  try {
    settlement.journal.end(record);
  } finally {
    settlement.tasks.run('gate.leave', async () => {
      await nextTurn();
      if (call.lease !== undefined) await settlement.gate.leave(call.lease, actuals);
    });
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
    record = toCallRecord(call, outcome, actuals, settlement);
    settlement.journal.end(record);
  }
  return record;
}

function computeActuals(call: Call, { usage }: Outcome, { creditsPerYuan }: Settlement): Actuals {
  const { price = null, payer } = call;
  const { amountMicro, chargeMicro } = computeBill({ price, payer }, usage, creditsPerYuan);
  return { tokens: totalTokens(usage), amountMicro, chargeMicro, images: usage.images };
}

function leaveGate(call: Call, actuals: Actuals, { gate, tasks }: Settlement): void {
  if (call.lease === undefined) return;
  const left = gate.leave(call.lease, actuals);
  if (left instanceof Promise) tasks.run('gate.leave', () => left);
}

function toCallRecord(call: Call, outcome: Outcome, actuals: Actuals, settlement: Settlement): CallRecord {
  const { clock, creditsPerYuan } = settlement;
  return endRecord(toCallTerms(call, creditsPerYuan), outcome, {
    bill: actuals,
    // Images count at entry, whether they are produced or not.
    counted: { tokens: actuals.tokens, images: Math.max(call.images, outcome.usage.images) },
    attempts: call.attempts,
    expected: call.expected,
    ...admission(call),
    refusal: call.refusal === undefined ? undefined : toLoggedRefusal(call.refusal),
    ttfbMs: call.firstByteAt === undefined ? null : Math.round(call.firstByteAt - call.startedAt),
    durationMs: Math.round(clock.monotonic() - call.startedAt),
    droppedFields: call.dropped,
    job: call.job,
  });
}

function admission({ admittedAt, gateAskedAt, startedAt }: Call): Pick<Course, 'admittedMs' | 'gateMs'> {
  if (admittedAt === undefined || gateAskedAt === undefined) return NOT_ADMITTED;
  return {
    admittedMs: Math.round(admittedAt - startedAt),
    gateMs: Math.round(admittedAt - gateAskedAt),
  };
}

const NOT_ADMITTED = Object.freeze({});

function toLoggedRefusal({ message, retryAfterSeconds, hit }: Refusal): LoggedRefusal {
  return { message: message.slice(0, LOGGED_MESSAGE_CHARS_MAX), retryAfterSeconds, hit };
}
