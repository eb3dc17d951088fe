import { content, envelope, type Frame, terminator } from '../answer/frame.ts';
import { type Plan, pieces } from '../answer/plan.ts';
import { writeJson } from '../answer/usage.ts';
import { obfuscate } from '../openai/obfuscate.ts';
import { type Json, record } from '../request/json.ts';
import { finalResponse, finalStatus, openingResponse, store } from './answer.ts';
import { type Item, type ItemStatus, itemsOf, writeItem, writePart } from './items.ts';

/** An event before it has its number. */
interface Event {
  readonly type: string;
  readonly fields: Json;
  readonly output?: number;
  readonly reasoning?: number;
  readonly token?: string;
}

export function* framesOfResponses(plan: Plan): Iterable<Frame> {
  const items = itemsOf(plan);
  const noisy = record(plan.ask.body.stream_options).include_obfuscation !== false;
  let number = 0;
  const write = (event: Event): string => {
    const noise = event.token !== undefined && noisy ? { obfuscation: obfuscate(plan, event.token) } : {};
    return writeJson({ type: event.type, ...event.fields, ...noise, sequence_number: number++ });
  };
  const opening = openingResponse(plan);
  for (const type of ['response.created', 'response.in_progress']) {
    yield envelope(write({ type, fields: { response: opening } }), type);
  }
  for (const [index, item] of items.entries()) {
    const status = index === items.length - 1 ? finalStatus(plan) : 'completed';
    for (const event of eventsOf(plan, { item, index, status })) {
      const { output = 0, reasoning = 0 } = event;
      const data = write(event);
      yield output > 0 ? content({ event: event.type, data, output, reasoning }) : envelope(data, event.type);
    }
  }
  store(plan, items);
  const type = `response.${finalStatus(plan)}`;
  yield terminator(write({ type, fields: { response: finalResponse(plan, items) } }), type);
}

interface Placed {
  readonly item: Item;
  readonly index: number;
  readonly status: ItemStatus;
}

function* eventsOf(plan: Plan, placed: Placed): Iterable<Event> {
  const { item, index, status } = placed;
  const position = { output_index: index };
  const hidden = item.kind === 'reasoning' && item.shown === 'hidden' ? item.tokens.length : 0;
  yield {
    type: 'response.output_item.added',
    fields: { item: writeItem(item, 'in_progress'), ...position },
    // Hidden reasoning is generated before its item is announced.
    output: hidden,
    reasoning: hidden,
  };
  const place = { item_id: item.id, ...position };
  if (item.kind === 'reasoning') yield* reasoningEvents(plan, item, place);
  else if (item.kind === 'message') yield* messageEvents(plan, item, place);
  else yield* callEvents(plan, item, place);
  yield { type: 'response.output_item.done', fields: { item: writeItem(item, status), ...position } };
}

function* reasoningEvents(plan: Plan, item: Item & { kind: 'reasoning' }, place: Json): Iterable<Event> {
  if (item.shown === 'hidden') return;
  const prefix = 'response.reasoning_summary';
  const at = { ...place, summary_index: 0 };
  const part = (text: string): object => ({ type: 'summary_text', text });
  const whole = item.tokens.join('');
  yield { type: `${prefix}_part.added`, fields: { ...at, part: part('') } };
  for (const { text, count } of pieces(plan, item.tokens)) {
    const fields = { ...at, delta: text };
    yield { type: `${prefix}_text.delta`, fields, output: count, reasoning: count, token: text };
  }
  yield { type: `${prefix}_text.done`, fields: { ...at, text: whole } };
  yield { type: `${prefix}_part.done`, fields: { ...at, part: part(whole) } };
}

function* messageEvents(plan: Plan, item: Item & { kind: 'message' }, place: Json): Iterable<Event> {
  const { part } = item;
  const at = { content_index: 0, ...place };
  const whole = part.tokens.join('');
  const prefix = part.kind === 'text' ? 'response.output_text' : 'response.refusal';
  const logprobs = part.kind === 'text' ? { logprobs: [] } : {};
  yield { type: 'response.content_part.added', fields: { ...at, part: writePart(part, '') } };
  for (const { text, count } of pieces(plan, part.tokens)) {
    yield {
      type: `${prefix}.delta`,
      fields: { ...at, delta: text, ...logprobs },
      output: count,
      token: text,
    };
  }
  const said = part.kind === 'text' ? { text: whole } : { refusal: whole };
  yield { type: `${prefix}.done`, fields: { ...at, ...logprobs, ...said } };
  yield { type: 'response.content_part.done', fields: { ...at, part: writePart(part, whole) } };
}

function* callEvents(plan: Plan, item: Item & { kind: 'call' }, place: Json): Iterable<Event> {
  const { tool, nameTokens, tokens } = item.part;
  const custom = tool.kind === 'custom';
  const prefix = custom ? 'response.custom_tool_call_input' : 'response.function_call_arguments';
  let uncounted = nameTokens;
  for (const { text, count } of pieces(plan, tokens)) {
    // The name went out with the item; its tokens are counted with the first fragment.
    yield {
      type: `${prefix}.delta`,
      fields: { ...place, delta: text },
      output: count + uncounted,
      token: text,
    };
    uncounted = 0;
  }
  const whole = tokens.join('');
  const fields = custom ? { ...place, input: whole } : { ...place, arguments: whole };
  yield { type: `${prefix}.done`, fields, output: uncounted };
}
