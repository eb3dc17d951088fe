import type { Part, PartOf, ToolCallPart, ToolResultPart } from '../part.ts';
import type { Turn } from '../request.ts';
import { mergeTurns } from './turns.ts';

/** A call and its result, once one is found. */
interface OpenCall {
  readonly call: ToolCallPart;
  result: ToolResultPart | undefined;
}

const NO_RESULT: readonly Part[] = [{ kind: 'text', text: '(no result)' }];

/**
 * The conversation in the form that every vendor accepts (rule C-14, rule C-17): after a turn with calls
 * comes a user turn that begins with exactly one result for each, in the order of the calls; consecutive
 * turns of one role are merged. A result without a call becomes user text. A call without a result gets a
 * result that says so.
 */
export function pairResults(turns: readonly Turn[]): readonly Turn[] {
  const merged = mergeTurns(turns);
  const rounds = merged.map(({ role, parts }) => (role === 'assistant' ? openCalls(parts) : []));
  const finder = new CallFinder();
  // What is left of each turn after the results with calls are removed.
  const left = merged.map(({ role, parts }, index) => {
    const rest = role === 'assistant' ? parts : parts.flatMap((part) => answer(part, finder));
    finder.add(rounds[index] as OpenCall[]);
    return { role, parts: rest };
  });
  const paired = left.flatMap((turn, index): Turn[] => {
    const calls = rounds[index] as OpenCall[];
    return calls.length === 0 ? [turn] : [turn, { role: 'user', parts: calls.map(toResult) }];
  });
  return mergeTurns(paired);
}

function openCalls(parts: readonly Part[]): OpenCall[] {
  return parts.filter(isCall).map((call) => ({ call, result: undefined }));
}

function isCall(part: Part): part is PartOf<'tool-call'> {
  return part.kind === 'tool-call';
}

/** Gives a result to its call and removes it here. Any other part stays. */
function answer(part: Part, finder: CallFinder): readonly Part[] {
  if (part.kind !== 'tool-result') return [part];
  const open = finder.find(part);
  if (open === undefined) return orphan(part);
  open.result = part;
  return [];
}

function orphan({ callId, name, parts, isError }: ToolResultPart): readonly Part[] {
  const subject = name ?? callId;
  const title = `${isError ? 'Error' : 'Result'} of the tool call${subject === '' ? '' : ` ${subject}`}:`;
  return [{ kind: 'text', text: title }, ...parts];
}

function toResult({ call, result }: OpenCall): ToolResultPart {
  const { id: callId, name, custom } = call;
  if (result !== undefined) return { ...result, callId, name, custom };
  return { kind: 'tool-result', callId, name, parts: NO_RESULT, isError: true, custom };
}

/** The calls of one turn that have this key. Those before `at` have results. */
interface Lane {
  readonly calls: OpenCall[];
  at: number;
}

/**
 * Finds the calls without results. The latest turn is searched first, because ids repeat in long
 * conversations; within a turn the first call. Every call has a few keys, so that a lookup is fast however
 * long the conversation is.
 */
class CallFinder {
  readonly #lanes = new Map<string, Lane[]>();

  add(round: readonly OpenCall[]): void {
    const fresh = new Map<string, Lane>();
    for (const open of round) {
      for (const key of keysOfCall(open.call)) {
        const lane = fresh.get(key);
        if (lane === undefined) fresh.set(key, { calls: [open], at: 0 });
        else lane.calls.push(open);
      }
    }
    for (const [key, lane] of fresh) {
      const lanes = this.#lanes.get(key);
      if (lanes === undefined) this.#lanes.set(key, [lane]);
      else lanes.push(lane);
    }
  }

  find(result: ToolResultPart): OpenCall | undefined {
    for (const key of keysOfResult(result)) {
      const found = this.#first(this.#lanes.get(key) ?? []);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  #first(lanes: Lane[]): OpenCall | undefined {
    for (let lane = lanes.at(-1); lane !== undefined; lane = lanes.at(-1)) {
      while (lane.calls[lane.at]?.result !== undefined) lane.at++;
      const found = lane.calls[lane.at];
      if (found !== undefined) return found;
      lanes.pop();
    }
    return undefined;
  }
}

function keysOfCall({ id, name }: ToolCallPart): readonly string[] {
  const keys = [`name ${name}`, 'any'];
  return id === '' ? [`unnumbered ${name}`, 'unnumbered', ...keys] : [`id ${id}`, ...keys];
}

/**
 * Google's results may have no id, and then match by name or only by order. A result with an unknown id
 * matches no call that has an id: an unmatched result is better than a wrong one.
 */
function keysOfResult({ callId, name }: ToolResultPart): readonly string[] {
  if (callId === '') return [name === undefined ? 'any' : `name ${name}`];
  return [`id ${callId}`, name === undefined ? 'unnumbered' : `unnumbered ${name}`];
}
