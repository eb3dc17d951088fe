import type { Plan } from './answer/plan.ts';
import { type Encoder, type Step, wholeText } from './answer/send.ts';
import { KEEPALIVE_CLOSE_MS } from './bounds.ts';
import type { Dialect } from './dialect.ts';
import type { Exchange } from './exchange.ts';
import { BYTE_FAULTS } from './fault/bytes.ts';
import { cutAfterTokens, STEP_FAULTS } from './fault/steps.ts';
import { WIRE_FAULTS } from './fault/wire.ts';
import type { FaultCall } from './request/directive.ts';

/**
 * The bad vendors of rule V-12, by name: `fault=reset@12` in a directive, the same in the script.
 * There are faults in place of the answer, between events, of the bytes and of the socket.
 */
const SOCKET_FAULTS = ['keepalive-close', 'trailers', 'early-hints'];

export const FAULT_NAMES: readonly string[] = [
  ...Object.keys(WIRE_FAULTS),
  ...Object.keys(STEP_FAULTS),
  ...BYTE_FAULTS.keys(),
  ...SOCKET_FAULTS,
  'tiny-events',
];

/** Tells whether a fault took the place of the answer. */
export async function takeOver(exchange: Exchange, dialect: Dialect, plan: Plan): Promise<boolean> {
  const { faults } = plan.directive;
  const unknown = faults.find(({ name }) => !FAULT_NAMES.includes(name));
  if (unknown !== undefined) {
    // A typo must not pass for a vendor without faults.
    exchange.reply(dialect.failure(418, `The simulator knows no fault "${unknown.name}".`));
    return true;
  }
  socketFaults(exchange, faults);
  for (const fault of faults) {
    const act = WIRE_FAULTS[fault.name];
    if (act === undefined) continue;
    await act(exchange, fault, { dialect, plan });
    return true;
  }
  return false;
}

function socketFaults(exchange: Exchange, faults: readonly FaultCall[]): void {
  const { response } = exchange;
  const has = (name: string): boolean => faults.some((fault) => fault.name === name);
  if (has('early-hints')) response.writeEarlyHints({ link: '</simulator>; rel=preload' });
  if (has('trailers')) {
    response.setHeader('trailer', 'x-simulator-trailer');
    response.addTrailers({ 'x-simulator-trailer': 'late' });
  }
  if (!has('keepalive-close')) return;
  const { socket } = response;
  response.once('finish', () => setTimeout(() => socket?.destroy(), KEEPALIVE_CLOSE_MS).unref());
}

/** How the answer goes over the wire. */
export interface Delivered {
  readonly steps: Iterable<Step>;
  readonly encoder: Encoder;
  readonly headers: Readonly<Record<string, string>>;
  readonly writePaceMs: number;
}

export function applyFaults(plan: Plan, dialect: Dialect, answer: Iterable<Step>): Delivered {
  const { faults, cutTokens } = plan.directive;
  let steps = answer;
  for (const fault of faults) steps = STEP_FAULTS[fault.name]?.(steps, fault, dialect) ?? steps;
  if (cutTokens !== undefined) steps = cutAfterTokens(steps, cutTokens);
  return { steps, ...byteFaults(faults) };
}

function byteFaults(faults: readonly FaultCall[]): Omit<Delivered, 'steps'> {
  let encoder: Encoder = wholeText;
  let headers: Readonly<Record<string, string>> = {};
  let writePaceMs = 0;
  if (faults.length === 0) return { encoder, headers, writePaceMs };
  // The first of the table works on the text first, so it is wrapped around the others: from the last inward.
  for (const [name, row] of [...BYTE_FAULTS].reverse()) {
    const fault = faults.find((given) => given.name === name);
    if (fault === undefined) continue;
    encoder = row.encoder(encoder, fault);
    headers = { ...headers, ...row.headers };
    writePaceMs = row.writePaceMs?.(fault) ?? writePaceMs;
  }
  return { encoder, headers, writePaceMs };
}

/** A plain answer has no events: step faults that cut or stop it do so in the middle of its body. */
export function plainSteps(plan: Plan, body: string): Iterable<Step> | undefined {
  const { faults, cutTokens } = plan.directive;
  const half = body.slice(0, Math.floor(body.length / 2));
  const rest = body.slice(half.length);
  const first: Step = { kind: 'raw', text: half };
  const names = new Set(faults.map(({ name }) => name));
  if (names.has('reset')) return [first, { kind: 'reset' }];
  if (names.has('end')) return [first, { kind: 'end' }];
  if (names.has('fin') || cutTokens !== undefined) return [first, { kind: 'cut' }];
  if (names.has('stall')) return [first, { kind: 'silence' }, { kind: 'cut' }];
  if (names.has('bad-json')) return [{ kind: 'raw', text: body.slice(0, -2) }];
  const pause = faults.find(({ name }) => name === 'pause');
  if (pause !== undefined) {
    return [first, { kind: 'wait', ms: Number(pause.value ?? 1000) }, { kind: 'raw', text: rest }];
  }
  return [...BYTE_FAULTS.keys()].some((name) => names.has(name)) ? [{ kind: 'raw', text: body }] : undefined;
}
