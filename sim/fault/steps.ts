import { FAULT_COUNT_MAX } from '../bounds.ts';
import type { Dialect } from '../dialect.ts';
import type { FaultCall } from '../directive.ts';
import type { Frame } from '../frame.ts';
import type { Step } from '../send.ts';

/** Faults between events. Each takes the steps of the answer and gives them back wrong. */
export type StepFault = (steps: Iterable<Step>, fault: FaultCall, dialect: Dialect) => Iterable<Step>;

const MIB = 1024 * 1024;
const PAUSE_MS_DEFAULT = 1_000;

export const STEP_FAULTS: Readonly<Record<string, StepFault>> = {
  reset: (steps, fault) => instead(steps, fault, [{ kind: 'reset' }]),
  fin: (steps, fault) => instead(steps, fault, [{ kind: 'cut' }]),
  end: (steps, fault) => instead(steps, fault, [{ kind: 'end' }]),
  stall: (steps, fault) => instead(steps, fault, [{ kind: 'silence' }, { kind: 'cut' }]),
  pause: (steps, fault) =>
    before(steps, fault, [{ kind: 'wait', ms: Number(fault.value ?? PAUSE_MS_DEFAULT) }]),
  'error-event': (steps, fault, dialect) =>
    instead(steps, fault, [dialect.failureFrame('Simulated overload in the middle of a stream.')]),
  'bad-json': (steps, fault) =>
    changed(steps, fault, (frame) => ({ ...frame, data: frame.data.slice(0, -2) })),
  'unknown-event': (steps, fault) => before(steps, fault, [unknownEvent()]),
  'empty-event': (steps, fault) => changed(steps, fault, (frame) => ({ ...frame, data: '{}', output: 0 })),
  'null-fields': (steps, fault) => changed(steps, fault, nullFields),
  duplicate: (steps, fault) => twice(steps, fault.at ?? 1),
  'broken-order': (steps, fault) => swapped(steps, fault.at ?? 1),
  'terminator-twice': (steps) => afterTerminator(steps, (terminator) => [terminator]),
  'data-after-terminator': (steps) => afterTerminator(steps, (_, last) => [last]),
  comments: (steps, fault) => before(steps, { ...fault, at: 1 }, commentFlood(fault.at ?? 1_000)),
  'huge-line': (steps, fault) =>
    changed(steps, { ...fault, at: 1 }, (frame) => padded(frame, fault.at ?? 64)),
};

/** The stream is the right one up to the event with this index, then something else, and nothing more. */
function* instead(steps: Iterable<Step>, fault: FaultCall, rest: Iterable<Step>): Iterable<Step> {
  yield* upTo(steps, fault.at ?? 0);
  yield* rest;
}

function* upTo(steps: Iterable<Step>, count: number): Iterable<Step> {
  let index = 0;
  for (const step of steps) {
    if (isFrame(step) && index++ >= count) return;
    yield step;
  }
}

function* before(steps: Iterable<Step>, fault: FaultCall, extra: Iterable<Step>): Iterable<Step> {
  let index = 0;
  for (const step of steps) {
    if (isFrame(step) && index++ === (fault.at ?? 0)) yield* extra;
    yield step;
  }
}

function* changed(steps: Iterable<Step>, fault: FaultCall, change: (frame: Frame) => Frame): Iterable<Step> {
  let index = 0;
  for (const step of steps) {
    yield isFrame(step) && index++ === (fault.at ?? 1) ? change(step) : step;
  }
}

function* twice(steps: Iterable<Step>, at: number): Iterable<Step> {
  let index = 0;
  for (const step of steps) {
    yield step;
    if (isFrame(step) && index++ === at) yield { ...step, output: 0, reasoning: 0 };
  }
}

function* swapped(steps: Iterable<Step>, at: number): Iterable<Step> {
  let index = 0;
  let held: Step | undefined;
  for (const step of steps) {
    if (isFrame(step) && index++ === at) {
      held = step;
      continue;
    }
    yield step;
    if (held !== undefined) yield held;
    held = undefined;
  }
  if (held !== undefined) yield held;
}

function* afterTerminator(
  steps: Iterable<Step>,
  more: (terminator: Frame, last: Frame) => readonly Frame[],
): Iterable<Step> {
  let last: Frame | undefined;
  for (const step of steps) {
    yield step;
    if (!isFrame(step)) continue;
    // What comes after the end was not generated: it counts for nothing.
    if (step.kind === 'terminator') yield* more(step, last ?? step).map(worthless);
    if (step.kind === 'content') last = step;
  }
}

function worthless(frame: Frame): Frame {
  return { ...frame, output: 0, reasoning: 0, images: 0 };
}

function unknownEvent(): Frame {
  const data = JSON.stringify({ type: 'simulator.unknown', note: 'nobody knows this event' });
  return { kind: 'envelope', event: 'simulator.unknown', data, output: 0, reasoning: 0 };
}

/** Members that are objects or lists become null: `"choices":null`. */
function nullFields(frame: Frame): Frame {
  const event = JSON.parse(frame.data) as Record<string, unknown>;
  const emptied = Object.entries(event).map(([name, value]) => [
    name,
    typeof value === 'object' ? null : value,
  ]);
  return { ...frame, data: JSON.stringify(Object.fromEntries(emptied)), output: 0, reasoning: 0 };
}

function* commentFlood(count: number): Iterable<Step> {
  for (let index = 0; index < Math.min(count, FAULT_COUNT_MAX); index++)
    yield { kind: 'raw', text: ': flood\n\n' };
}

/** The same event with an unknown member of many MiB: one very long line. */
function padded(frame: Frame, mib: number): Frame {
  const padding = 'x'.repeat(Math.min(mib, 1024) * MIB);
  return { ...frame, data: `${frame.data.trimEnd().slice(0, -1)},"padding":"${padding}"}` };
}

/** Ends the stream after so many output tokens: the precise sibling of `fin`. */
export function* cutAfterTokens(steps: Iterable<Step>, tokens: number): Iterable<Step> {
  let said = 0;
  for (const step of steps) {
    if (isFrame(step)) {
      said += step.output;
      if (said > tokens || step.kind === 'terminator') break;
    }
    yield step;
  }
  yield { kind: 'cut' };
}

function isFrame(step: Step): step is Frame {
  return step.kind === 'content' || step.kind === 'envelope' || step.kind === 'terminator';
}
