import type { Frame } from '../answer/frame.ts';
import type { Step } from '../answer/send.ts';
import { FAULT_COUNT_MAX } from '../bounds.ts';
import type { Dialect } from '../dialect.ts';
import type { FaultCall } from '../request/directive.ts';

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
  'late-usage': (steps, fault) => beforeFigures(steps, Number(fault.value ?? PAUSE_MS_DEFAULT)),
  'late-end': (steps, fault) => behind(steps, Number(fault.value ?? PAUSE_MS_DEFAULT)),
  'error-event': (steps, fault, dialect) =>
    instead(steps, fault, [dialect.failureFrame('Simulated overload in the middle of a stream.')]),
  'bad-json': (steps, fault) =>
    changed(steps, fault, (frame) => ({ ...frame, data: frame.data.slice(0, -2) })),
  'unknown-event': (steps, fault) => before(steps, fault, [unknownEvent()]),
  'empty-event': (steps, fault) => changed(steps, fault, (frame) => ({ ...frame, data: '{}', output: 0 })),
  'null-fields': (steps, fault) => changed(steps, fault, nullFields),
  duplicate: twice,
  'second-start': withSecondStart,
  'broken-order': swapped,
  'terminator-twice': (steps) => afterTerminator(steps, (terminator) => [terminator]),
  'no-terminator': withoutTerminator,
  'data-after-terminator': (steps) => afterTerminator(steps, (_, last) => [last]),
  comments: (steps, fault) => before(steps, { name: fault.name, at: 1 }, commentFlood(fault.at ?? 1_000)),
  'huge-line': (steps, fault) =>
    changed(steps, { name: fault.name, at: 1 }, (frame) => padded(frame, fault.at ?? 64)),
};

/** The stream is the right one up to the place of the fault, then something else, and nothing more. */
function* instead(steps: Iterable<Step>, fault: FaultCall, rest: Iterable<Step>): Iterable<Step> {
  const isThere = placeOf(fault, 0);
  for (const step of steps) {
    if (isFrame(step) && isThere(step)) break;
    yield step;
  }
  yield* rest;
}

/**
 * Tells of each event in turn whether it is the one at which the fault happens: by its index, or because all
 * the tokens before the place have been said. What stands behind the last token is found by tokens only.
 */
function placeOf({ at, unit }: FaultCall, fallback: number): (frame: Frame) => boolean {
  const place = at ?? fallback;
  let passed = 0;
  let arrived = false;
  return (frame) => {
    const isThere = !arrived && (unit === 'tokens' ? passed >= place : passed === place);
    arrived ||= isThere;
    passed += unit === 'tokens' ? frame.output : 1;
    return isThere;
  };
}

function* before(steps: Iterable<Step>, fault: FaultCall, extra: Iterable<Step>): Iterable<Step> {
  const isThere = placeOf(fault, 0);
  for (const step of steps) {
    if (isFrame(step) && isThere(step)) yield* extra;
    yield step;
  }
}

const FIGURES = /"usage(?:Metadata)?":\s*\{/;

/** A pause between the end of what the answer says and the event that tells what it cost. */
function* beforeFigures(steps: Iterable<Step>, ms: number): Iterable<Step> {
  let isSaid = false;
  let waited = false;
  for (const step of steps) {
    if (isFrame(step) && step.kind !== 'content' && isSaid && !waited && FIGURES.test(step.data)) {
      waited = true;
      yield { kind: 'wait', ms };
    }
    if (step.kind === 'content') isSaid = true;
    yield step;
  }
}

/** All of the answer is sent, and the message does not end yet. */
function* behind(steps: Iterable<Step>, ms: number): Iterable<Step> {
  yield* steps;
  yield { kind: 'wait', ms };
}

function* changed(steps: Iterable<Step>, fault: FaultCall, change: (frame: Frame) => Frame): Iterable<Step> {
  const isThere = placeOf(fault, 1);
  for (const step of steps) yield isFrame(step) && isThere(step) ? change(step) : step;
}

function* twice(steps: Iterable<Step>, fault: FaultCall): Iterable<Step> {
  const isThere = placeOf(fault, 1);
  for (const step of steps) {
    yield step;
    if (isFrame(step) && isThere(step)) yield { ...step, output: 0, reasoning: 0 };
  }
}

const ANSWER_ID = /("id":\s*")[a-z]+_[^"]*"/;

/** Another answer begins inside this one: what a relay makes that mixes up two streams of its vendor. */
function* withSecondStart(steps: Iterable<Step>, fault: FaultCall): Iterable<Step> {
  const isThere = placeOf(fault, 2);
  let first: Frame | undefined;
  for (const step of steps) {
    if (isFrame(step)) {
      first ??= step;
      if (isThere(step)) yield { ...first, data: first.data.replace(ANSWER_ID, '$1msg_other"'), output: 0 };
    }
    yield step;
  }
}

function* swapped(steps: Iterable<Step>, fault: FaultCall): Iterable<Step> {
  const isThere = placeOf(fault, 1);
  let held: Step | undefined;
  for (const step of steps) {
    if (isFrame(step) && isThere(step)) {
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

/** All is said, and the body ends as it should, but the event that ends the answer is missing. */
function* withoutTerminator(steps: Iterable<Step>): Iterable<Step> {
  for (const step of steps) if (!isFrame(step) || step.kind !== 'terminator') yield step;
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
