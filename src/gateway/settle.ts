import { chargeableCreditsMicro, costMicro } from '../catalog/price.ts';
import type { Gate } from '../gate/contract.ts';
import { assert } from '../kernel/assert.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Tasks } from '../kernel/task.ts';
import { outputTokens, totalTokens, type Usage } from '../kernel/usage.ts';
import type { CallRecord, FreeReason, Journal } from '../ledger/contract.ts';
import type { Call, Outcome } from './call.ts';

/** Told of every call that passed authentication, when it ends. */
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
}

/**
 * Ends a call: its record goes into the journal before the client has the last byte, so that a call the
 * client saw finished is charged to the token whatever happens to us; then the gate is left.
 */
export function settleCall(call: Call, outcome: Outcome, settlement: Settlement): void {
  settleInTurn(call, outcome, settlement);
  settlement.journal.flush();
}

/** The same for who answers at the end of the turn, and flushes the journal before that. */
export function settleInTurn(call: Call, outcome: Outcome, settlement: Settlement): void {
  assert(!call.settled, 'a call is settled once');
  call.settled = true;
  call.usage = outcome.usage;
  const amountMicro = call.price === undefined ? 0n : costMicro(outcome.usage, call.price);
  growHold(call, amountMicro, settlement);
  const record = recordOf(call, outcome, amountMicro, settlement);
  try {
    // The journal hands the record on to the settler.
    settlement.journal.end(record);
  } finally {
    leaveGate(call, record, settlement);
  }
  settlement.observer.callEnded(record);
}

/**
 * A call that came to more than was held takes the rest from what is free: what others hold stays theirs, and
 * nobody passes the monthly cap. The record then says how much the gate has granted.
 */
function growHold(call: Call, amountMicro: bigint, { gate, creditsPerYuan, tasks }: Settlement): void {
  if (call.lease === undefined || call.payer !== 'credits') return;
  const missingMicro = chargeableCreditsMicro(amountMicro, creditsPerYuan) - call.lease.heldMicro;
  if (missingMicro <= 0n) return;
  const granted = gate.extend(call.lease, missingMicro);
  if (granted instanceof Promise) tasks.run('gate.extend', () => granted.then(() => undefined));
}

function leaveGate(call: Call, record: CallRecord, { gate, tasks }: Settlement): void {
  if (call.lease === undefined) return;
  const left = gate.leave(call.lease, {
    tokens: totalTokens(record.usage),
    amountMicro: record.amountMicro,
    chargeMicro: record.chargeMicro,
    images: record.usage.images,
  });
  if (left instanceof Promise) tasks.run('gate.leave', () => left);
}

function recordOf(call: Call, outcome: Outcome, amountMicro: bigint, settlement: Settlement): CallRecord {
  const { caller, route, price } = call;
  const { clock, creditsPerYuan } = settlement;
  const chargeMicro = call.payer === 'credits' ? chargeableCreditsMicro(amountMicro, creditsPerYuan) : 0n;
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
    price: price ?? null,
    amountMicro,
    chargeMicro,
    freeReason: chargeMicro > 0n ? null : freeReason(call, outcome.usage),
    verdict: outcome.verdict,
    attempts: call.attempts,
    heldMicro: call.lease?.heldMicro ?? 0n,
    ttfbMs: call.firstByteAt === undefined ? null : Math.round(call.firstByteAt - call.startedAt),
    durationMs: Math.round(clock.monotonic() - call.startedAt),
    droppedFields: call.dropped,
  };
}

/** Spec 4.2: why a call with no charge has none. */
function freeReason(call: Call, usage: Usage): FreeReason {
  if (call.payer === 'byok') return 'byok';
  if (call.payer === 'subscription') return 'covered';
  const produced = outputTokens(usage) + usage.images + usage.videos + usage.inputFresh + usage.cacheRead;
  return produced > 0 ? 'below-one-credit' : 'nothing-produced';
}
