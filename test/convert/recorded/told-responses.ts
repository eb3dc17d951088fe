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
  type ToldError,
  words,
} from './told.ts';

export function toldByResponses(body: Json): Told | ToldError {
  const failed = body.status === 'failed' || body.status === 'cancelled';
  if (failed || (body.error !== undefined && body.error !== null))
    return { error: words(record(body.error).message) };
  const items = list(body.output);
  const calls = items.flatMap(callOf);
  const refusal = items
    .flatMap((item) => (item.type === 'message' ? list(item.content) : []))
    .map((part) => words(part.refusal))
    .join('');
  const reasoning = items.flatMap((item) => (item.type === 'reasoning' ? [thoughtOf(item)] : []));
  const finish = finishOf(body, calls, refusal);
  const choice = { words: items.flatMap(wordsOf), reasoning: reasoning.join(''), refusal, calls, finish };
  return { choices: [choice], usage: usageOf(body.usage) };
}

function callOf(item: Json): readonly ToldCall[] {
  const custom = item.type === 'custom_tool_call';
  if (!custom && item.type !== 'function_call') return [];
  const input = custom ? words(item.input) : parseInput(item.arguments);
  return [{ name: words(item.name), id: words(item.call_id), input, custom }];
}

/** Parts of a summary are paragraphs; raw thinking counts where there is no summary. */
function thoughtOf(item: Json): string {
  const join = (parts: unknown): string =>
    list(parts)
      .map(({ text }) => words(text))
      .join('\n\n');
  return join(item.summary) || join(item.content);
}

function wordsOf(item: Json): readonly (string | typeof GAP)[] {
  switch (item.type) {
    case 'message':
      return list(item.content).map((part) => words(part.text));
    case 'reasoning':
    case 'function_call':
    case 'custom_tool_call':
      return [];
    default:
      return [GAP];
  }
}

function finishOf(body: Json, calls: readonly unknown[], refusal: string): Reason {
  if (body.status === 'incomplete') {
    const { reason } = record(body.incomplete_details);
    if (reason === 'content_filter') return 'filter';
    return reason === 'steered' ? 'stop' : 'length';
  }
  if (calls.length > 0) return 'tool';
  return refusal === '' ? 'stop' : 'refusal';
}

function usageOf(value: unknown): Buckets | undefined {
  const usage = record(value);
  const details = record(usage.input_tokens_details);
  return inclusive({
    input: usage.input_tokens,
    output: usage.output_tokens,
    read: details.cached_tokens,
    write: details.cache_write_tokens,
    reasoning: record(usage.output_tokens_details).reasoning_tokens,
    total: undefined,
  });
}

/** The last event repeats everything; where a vendor leaves its output out, the finished items are it. */
export function toldByResponsesStream({ events }: Recording): Told | ToldError | typeof BROKEN {
  const error = events.find(({ type }) => type === 'error');
  if (error !== undefined) return { error: words(error.message) || words(record(error.error).message) };
  const last = events.findLast(({ type }) => /^response\.(completed|incomplete|failed)$/.test(words(type)));
  if (last === undefined) return BROKEN;
  const response = record(last.response);
  const done = events.flatMap((event) =>
    event.type === 'response.output_item.done' ? [record(event.item)] : [],
  );
  return toldByResponses(list(response.output).length > 0 ? response : { ...response, output: done });
}
