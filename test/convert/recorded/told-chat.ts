import type { Json, Recording } from './load.ts';
import {
  BROKEN,
  type Buckets,
  GAP,
  inclusive,
  list,
  parseInput,
  type Reason,
  record,
  type Told,
  type ToldCall,
  type ToldChoice,
  type ToldError,
  words,
} from './told.ts';

const REASONS: Readonly<Record<string, Reason>> = {
  length: 'length',
  max_tokens: 'length',
  model_length: 'length',
  tool_calls: 'tool',
  function_call: 'tool',
  content_filter: 'filter',
};

export function toldByChat(body: Json): Told | ToldError {
  const error = errorOf(body);
  if (error !== undefined) return error;
  const choices = list(body.choices).map((choice) =>
    choiceOf(record(choice.message), words(choice.finish_reason)),
  );
  return { choices, usage: usageOf(body.usage) };
}

function errorOf(body: Json): ToldError | undefined {
  const error = body.error ?? list(body.choices)[0]?.error;
  if (error === undefined || error === null) return undefined;
  return { error: words(record(error).message) || words(error) };
}

function choiceOf(message: Json, finish: string): ToldChoice {
  const parts = list(message.content);
  const thought = parts.flatMap((part) => {
    if (part.type !== 'thinking') return [];
    return typeof part.thinking === 'string' ? [part.thinking] : list(part.thinking).map(({ text }) => text);
  });
  const said = parts.flatMap((part) => (part.type === 'text' ? [words(part.text)] : []));
  const spoken = words(message.content) + said.join('');
  const pictures: readonly (typeof GAP)[] = list(message.images).map((): typeof GAP => GAP);
  const calls = callsOf(message);
  const refusal = words(message.refusal);
  const ending = REASONS[finish] ?? 'stop';
  return {
    words: [spoken === '' ? words(record(message.audio).transcript) : spoken, ...pictures],
    reasoning: reasoningOf(message) || thought.map(words).join(''),
    refusal,
    calls,
    finish: ending === 'stop' || ending === 'tool' ? usualEnding(calls, refusal) : ending,
  };
}

function usualEnding(calls: readonly unknown[], refusal: string): Reason {
  if (calls.length > 0) return 'tool';
  return refusal === '' ? 'stop' : 'refusal';
}

function reasoningOf(message: Json): string {
  const details = list(message.reasoning_details).map(({ text, summary }) => words(text ?? summary));
  return details.join('') || words(message.reasoning_content) || words(message.reasoning);
}

function callsOf(message: Json): readonly ToldCall[] {
  const old = record(message.function_call);
  const calls = list(message.tool_calls).map((call) => {
    const custom = call.type === 'custom';
    const body = record(custom ? call.custom : call.function);
    const input = custom ? words(body.input) : parseInput(body.arguments);
    return { name: words(body.name), id: words(call.id), input, custom };
  });
  if (words(old.name) === '') return calls;
  return [...calls, { name: words(old.name), id: '', input: parseInput(old.arguments), custom: false }];
}

function usageOf(value: unknown): Buckets | undefined {
  const usage = record(value);
  const details = record(usage.prompt_tokens_details);
  return inclusive({
    input: usage.prompt_tokens,
    output: usage.completion_tokens,
    read: details.cached_tokens ?? usage.prompt_cache_hit_tokens ?? usage.cached_tokens,
    write: details.cache_write_tokens,
    reasoning: record(usage.completion_tokens_details).reasoning_tokens,
    total: usage.total_tokens,
  });
}

interface Merged {
  message: Record<string, unknown>;
  finish: string;
  calls: Record<string, unknown>[];
}

/** The chunks put together, by rule C-58. */
export function toldByChatStream({ events, text }: Recording): Told | ToldError | typeof BROKEN {
  const failed = events.map(errorOf).find((error) => error !== undefined);
  if (failed !== undefined) return failed;
  const merged = new Map<unknown, Merged>();
  let usage: unknown;
  for (const event of events) {
    usage = event.usage ?? record(event.x_groq).usage ?? usage;
    for (const choice of list(event.choices)) {
      const held = merged.get(choice.index) ?? { message: {}, finish: '', calls: [] };
      merged.set(choice.index, held);
      held.finish = words(choice.finish_reason) || held.finish;
      merge(held, record(choice.delta));
    }
  }
  const isFinished = merged.size > 0 && [...merged.values()].every(({ finish }) => finish !== '');
  // Vendors leave [DONE] out: what has finished is whole without it.
  if (!isFinished && !/^data: ?\[DONE\]/m.test(text)) return BROKEN;
  const choices = [...merged.values()].map(({ message, calls, finish }) =>
    choiceOf({ ...message, tool_calls: calls.filter(Boolean) }, finish),
  );
  return { choices, usage: usageOf(usage) };
}

function merge({ message, calls }: Merged, delta: Json): void {
  for (const key of ['refusal', 'reasoning_content', 'reasoning']) {
    if (typeof delta[key] === 'string') message[key] = words(message[key]) + delta[key];
  }
  // Mistral changes between a text and a list of parts.
  const said = typeof delta.content === 'string' ? [{ type: 'text', text: delta.content }] : delta.content;
  message.content = [...list(message.content), ...list(said)];
  for (const key of ['reasoning_details', 'images']) {
    if (Array.isArray(delta[key])) message[key] = [...list(message[key]), ...list(delta[key])];
  }
  for (const piece of list(delta.tool_calls)) mergeCall(calls, piece);
}

function mergeCall(calls: Record<string, unknown>[], piece: Json): void {
  const index = typeof piece.index === 'number' ? piece.index : calls.length;
  const known = calls[index] ?? { id: piece.id, type: piece.type, function: { name: '', arguments: '' } };
  calls[index] = known;
  const [before, more] = [record(known.function), record(piece.function)];
  const added = typeof more.arguments === 'object' ? JSON.stringify(more.arguments ?? '') : more.arguments;
  known.function = {
    name: words(before.name) || words(more.name),
    arguments: words(before.arguments) + words(added),
  };
}
