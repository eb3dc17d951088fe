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
  type ToldError,
  words,
} from './told.ts';

const REASONS: Readonly<Record<string, Reason>> = {
  end_turn: 'stop',
  stop_sequence: 'stop-sequence',
  tool_use: 'tool',
  max_tokens: 'length',
  model_context_window_exceeded: 'context',
  refusal: 'filter',
  pause_turn: 'pause',
  compaction: 'pause',
};

export function toldByMessages(body: Json): Told | ToldError {
  if (body.type === 'error') return { error: words(record(body.error).message) };
  const blocks = list(body.content);
  const calls = blocks.flatMap((block) =>
    block.type === 'tool_use'
      ? [{ name: words(block.name), id: words(block.id), input: parseInput(block.input), custom: false }]
      : [],
  );
  const choice = {
    words: blocks.flatMap(wordsOf),
    reasoning: blocks.map((block) => (block.type === 'thinking' ? words(block.thinking) : '')).join(''),
    refusal: '',
    calls,
    finish: REASONS[words(body.stop_reason)] ?? (calls.length > 0 ? 'tool' : 'stop'),
    stopSequence: words(body.stop_sequence) || undefined,
    explanation: words(record(body.stop_details).explanation) || undefined,
  };
  return { choices: [choice], usage: usageOf(record(body.usage)) };
}

const UNSPOKEN = new Set(['thinking', 'redacted_thinking', 'tool_use']);

function wordsOf(block: Json): readonly (string | typeof GAP)[] {
  if (block.type === 'text') return [words(block.text)];
  return UNSPOKEN.has(words(block.type)) ? [] : [GAP];
}

function usageOf(usage: Json): Buckets | undefined {
  if (typeof usage.input_tokens !== 'number' && typeof usage.output_tokens !== 'number') return undefined;
  const { ephemeral_5m_input_tokens: short, ephemeral_1h_input_tokens: long } = record(usage.cache_creation);
  const reasoning = number(record(usage.output_tokens_details).thinking_tokens);
  return {
    fresh: number(usage.input_tokens),
    read: number(usage.cache_read_input_tokens),
    write: number(usage.cache_creation_input_tokens ?? number(short) + number(long)),
    tool: 0,
    text: number(usage.output_tokens) - reasoning,
    reasoning,
  };
}

const DELTAS: Readonly<Record<string, string>> = { text_delta: 'text', thinking_delta: 'thinking' };

/** Blocks by their index; figures of `message_delta` over those of `message_start` (rule C-56). */
export function toldByMessagesStream({ events }: Recording): Told | ToldError | typeof BROKEN {
  const error = events.find(({ type }) => type === 'error');
  if (error !== undefined) return { error: words(record(error.error).message) };
  if (!events.some(({ type }) => type === 'message_stop')) return BROKEN;
  const blocks: Record<string, unknown>[] = [];
  let stop: Json = {};
  let usage: Json = {};
  for (const event of events) {
    const index = number(event.index);
    if (event.type === 'content_block_start') blocks[index] = { ...record(event.content_block), json: '' };
    else if (event.type === 'content_block_delta') addDelta(blocks[index] ?? {}, record(event.delta));
    else if (event.type === 'message_start') {
      // Calls out of running code are whole before the stream begins.
      const message = record(event.message);
      usage = overlay(usage, message.usage);
      blocks.push(...list(message.content).map((block) => ({ ...block, json: '' })));
      if (words(message.stop_reason) !== '') stop = message;
    } else if (event.type === 'message_delta') {
      const delta = record(event.delta);
      if (words(delta.stop_reason) !== '') stop = delta;
      usage = overlay(usage, event.usage);
    }
  }
  const content = blocks.map((block) => (block.json === '' ? block : { ...block, input: block.json }));
  return toldByMessages({ ...stop, content, usage });
}

function addDelta(block: Record<string, unknown>, delta: Json): void {
  const key = DELTAS[words(delta.type)];
  if (key !== undefined) block[key] = words(block[key]) + words(delta[key]);
  else if (delta.type === 'input_json_delta') block.json = words(block.json) + words(delta.partial_json);
}

function overlay(before: Json, after: unknown): Json {
  const said = Object.entries(record(after)).filter(([, value]) => value !== null);
  return { ...before, ...Object.fromEntries(said) };
}
