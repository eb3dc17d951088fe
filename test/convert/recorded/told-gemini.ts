import type { Json, Recording } from './load.ts';
import {
  BROKEN,
  type Buckets,
  GAP,
  list,
  number,
  parseInput,
  type Reason,
  record,
  type Told,
  type ToldChoice,
  type ToldError,
  words,
} from './told.ts';

const FILTERED = new Set([
  ...['SAFETY', 'RECITATION', 'BLOCKLIST', 'PROHIBITED_CONTENT', 'SPII', 'LANGUAGE'],
  ...['IMAGE_SAFETY', 'IMAGE_PROHIBITED_CONTENT', 'IMAGE_RECITATION', 'MODEL_ARMOR'],
]);
const FAILED = new Set([
  ...['MALFORMED_FUNCTION_CALL', 'UNEXPECTED_TOOL_CALL', 'TOO_MANY_TOOL_CALLS', 'MISSING_THOUGHT_SIGNATURE'],
  ...['NO_IMAGE', 'IMAGE_OTHER', 'OTHER'],
]);

export function toldByGemini(body: Json): Told | ToldError {
  if (body.error !== undefined) return { error: words(record(body.error).message) };
  const candidates = list(body.candidates);
  const failed = candidates.find(
    (one) => FAILED.has(words(one.finishReason)) && list(record(one.content).parts).length === 0,
  );
  if (failed !== undefined) return { error: words(failed.finishMessage) || words(failed.finishReason) };
  const blocked = words(record(body.promptFeedback).blockReason);
  const choices = candidates.length > 0 ? candidates.map(choiceOf) : [emptyChoice(blocked)];
  return { choices, usage: usageOf(record(body.usageMetadata)) };
}

function emptyChoice(blocked: string): ToldChoice {
  const finish = blocked === '' ? 'stop' : 'filter';
  return { words: [], reasoning: '', refusal: '', calls: [], finish };
}

function choiceOf(candidate: Json): ToldChoice {
  const parts = joinFragments(list(record(candidate.content).parts));
  const calls = parts.flatMap((part) => {
    const call = record(part.functionCall);
    if (words(call.name) === '') return [];
    return [{ name: words(call.name), id: words(call.id), input: parseInput(call.args), custom: false }];
  });
  return {
    words: parts.flatMap(wordsOf),
    reasoning: parts.map((part) => (part.thought === true ? words(part.text) : '')).join(''),
    refusal: '',
    calls,
    finish: finishOf(words(candidate.finishReason), calls),
    explanation: words(candidate.finishMessage) || undefined,
  };
}

function wordsOf(part: Json): readonly (string | typeof GAP)[] {
  if (typeof part.text === 'string') return part.thought === true ? [] : [part.text];
  return part.functionCall === undefined && Object.keys(part).length > 0 ? [GAP] : [];
}

function finishOf(reason: string, calls: readonly unknown[]): Reason {
  if (FILTERED.has(reason)) return 'filter';
  if (reason === 'MAX_TOKENS' || reason === 'CONTINUATION') return 'length';
  return calls.length > 0 ? 'tool' : 'stop';
}

function usageOf(usage: Json): Buckets | undefined {
  const { promptTokenCount: prompt, candidatesTokenCount: said, totalTokenCount: total } = usage;
  if (prompt === undefined && said === undefined && total === undefined) return undefined;
  const read = Math.min(number(usage.cachedContentTokenCount), number(prompt));
  const tool = number(usage.toolUsePromptTokenCount);
  const reasoning = number(usage.thoughtsTokenCount);
  const rest = Math.max(0, number(total) - number(prompt) - reasoning - tool);
  return {
    fresh: number(prompt) - read,
    read,
    write: 0,
    tool,
    text: said === undefined ? rest : number(said),
    reasoning,
  };
}

/** Parts are appended; the last of each figure counts, also of one that is left out later (12.3). */
export function toldByGeminiStream({ events }: Recording): Told | ToldError | typeof BROKEN {
  const error = events.find((event) => event.error !== undefined);
  if (error !== undefined) return { error: words(record(error.error).message) };
  const usage: Record<string, number> = {};
  const held = new Map<number, Record<string, unknown>>();
  let feedback: unknown;
  for (const event of events) {
    feedback ??= event.promptFeedback;
    for (const [key, value] of Object.entries(record(event.usageMetadata))) {
      if (typeof value === 'number') usage[key] = value;
    }
    for (const candidate of list(event.candidates)) {
      const known = held.get(number(candidate.index)) ?? {};
      const parts = [...list(record(known.content).parts), ...list(record(candidate.content).parts)];
      held.set(number(candidate.index), { ...known, ...candidate, content: { parts } });
    }
  }
  const candidates = [...held.values()];
  const isBlocked = record(feedback).blockReason !== undefined;
  if (!isBlocked && !candidates.some((one) => words(one.finishReason) !== '')) return BROKEN;
  return toldByGemini({ candidates, promptFeedback: feedback, usageMetadata: usage });
}

/** Vertex can send the arguments of a call in fragments, each with the path of its place. */
function joinFragments(parts: readonly Json[]): readonly Json[] {
  const joined: Json[] = [];
  let args: Record<string, unknown> = {};
  for (const part of parts) {
    const call = record(part.functionCall);
    const isPartial = call.willContinue === true || call.partialArgs !== undefined;
    if (words(call.name) !== '' && isPartial) {
      args = {};
      joined.push({ ...part, functionCall: { ...call, args } });
    } else if (part.functionCall === undefined || words(call.name) !== '') joined.push(part);
    for (const fragment of list(call.partialArgs)) place(args, fragment);
  }
  return joined;
}

function place(args: Record<string, unknown>, fragment: Json): void {
  const steps = words(fragment.jsonPath).match(/[^$.[\]']+/g) ?? [];
  const last = steps.pop() as string;
  let holder = args;
  for (const [index, step] of steps.entries()) {
    const next = steps[index + 1] ?? last;
    holder[step] ??= /^\d+$/.test(next) ? [] : {};
    holder = holder[step] as Record<string, unknown>;
  }
  const { stringValue: text, numberValue, boolValue } = fragment;
  holder[last] = typeof text === 'string' ? words(holder[last]) + text : (numberValue ?? boolValue ?? null);
}
