import {
  type AnswerTurn,
  type Ask,
  type Attachment,
  isPicture,
  isText,
  type Json,
  nativeOf,
  objectOf,
  offeredTools,
  type Part,
  sentAttachments,
  textOf,
  toolsOf,
  type UserTurn,
  wantedSchema,
} from '../lanes/conversation.ts';
import { type Answer, errorMessage, figure, record, records, text, type Wire } from './answer.ts';
import { claudeThinking } from './thinking.ts';

/** Messages. */
export const messages: Wire = { path: () => '/v1/messages', event, whole };

export function messagesBody(ask: Ask): Json {
  const { model, settings } = ask;
  const { thinking, effort } = claudeThinking(model, settings.thinking, settings.maxOutput);
  const schema = wantedSchema(settings);
  const format = schema === undefined ? {} : { format: { type: 'json_schema', schema } };
  const config = { ...(effort === undefined ? {} : { effort }), ...format };
  return {
    ...promptOf(ask),
    max_tokens: settings.maxOutput,
    temperature: settings.temperature,
    thinking,
    output_config: Object.keys(config).length === 0 ? undefined : config,
    ...(settings.stream ? { stream: true } : {}),
  };
}

/** What is counted as input. The counting of tokens takes no more than this. */
export function promptOf({ model, settings, turns }: Ask): Json {
  const tools = offeredTools(settings);
  return {
    model,
    system: settings.system || undefined,
    messages: turns.flatMap((turn) => (turn.role === 'user' ? [userMessage(turn)] : answerMessages(turn))),
    tools:
      tools.length === 0
        ? undefined
        : tools.map(({ name, description, parameters }) => ({ name, description, input_schema: parameters })),
  };
}

function userMessage(turn: UserTurn): Json {
  const sent = sentAttachments(turn);
  if (sent.length === 0) return { role: 'user', content: turn.text };
  return { role: 'user', content: [...sent.map(block), { type: 'text', text: turn.text }] };
}

function block(file: Attachment): Json {
  if (isText(file)) return { type: 'text', text: textOf(file) };
  const source = { type: 'base64', media_type: file.mediaType, data: file.data };
  return isPicture(file) ? { type: 'image', source } : { type: 'document', source, title: file.name };
}

function answerMessages(turn: AnswerTurn): readonly Json[] {
  const content = turn.parts.flatMap(answerBlock);
  if (content.length === 0) return [];
  const results = toolsOf(turn).map(({ id, answer }) => ({
    type: 'tool_result',
    tool_use_id: id,
    content: answer ?? '',
  }));
  const said = { role: 'assistant', content };
  return results.length === 0 ? [said] : [said, { role: 'user', content: results }];
}

function answerBlock(part: Part): readonly Json[] {
  if (part.kind === 'text') return part.text.trim() === '' ? [] : [{ type: 'text', text: part.text }];
  if (part.kind === 'tool') {
    return [{ type: 'tool_use', id: part.id, name: part.name, input: objectOf(part.input) ?? {} }];
  }
  const thought = part.kind === 'thinking' ? nativeOf(part, 'messages') : undefined;
  if (thought === undefined || part.kind !== 'thinking') return [];
  const { type } = thought as Json;
  return [type === 'thinking' ? { ...(thought as Json), thinking: part.text } : (thought as Json)];
}

function event(body: Json, into: Answer): void {
  if (body.type === 'message_start') usage(record(body.message), into);
  else if (body.type === 'content_block_start') begin(record(body.content_block), body.index, into);
  else if (body.type === 'content_block_delta') more(record(body.delta), body.index, into);
  else if (body.type === 'message_delta') {
    into.ended = text(record(body.delta).stop_reason);
    usage(body, into);
  } else if (body.type === 'error') into.problem = errorMessage(body);
}

function begin(block: Json, index: unknown, into: Answer): void {
  if (block.type === 'tool_use') into.tool(index, { id: text(block.id), name: text(block.name) });
  else if (block.type === 'redacted_thinking') into.newThought({ protocol: 'messages', value: block });
  else if (block.type === 'text') into.text(text(block.text));
  else if (block.type === 'thinking') into.newThought({ protocol: 'messages', value: block });
}

function more(delta: Json, index: unknown, into: Answer): void {
  if (delta.type === 'text_delta') into.text(text(delta.text));
  else if (delta.type === 'thinking_delta') into.thinking(text(delta.thinking));
  else if (delta.type === 'input_json_delta') into.tool(index, { input: text(delta.partial_json) });
  else if (delta.type === 'signature_delta') {
    const value = { type: 'thinking', signature: delta.signature };
    into.thinking('', { protocol: 'messages', value });
  }
}

function usage(body: Json, into: Answer): void {
  const given = record(body.usage);
  const cached = figure(given.cache_read_input_tokens) + figure(given.cache_creation_input_tokens);
  into.usage = {
    input: given.input_tokens === undefined ? (into.usage?.input ?? 0) : figure(given.input_tokens) + cached,
    output: figure(given.output_tokens),
    thinking: figure(record(given.output_tokens_details).thinking_tokens),
  };
}

function whole(body: Json, into: Answer): void {
  for (const [place, each] of records(body.content).entries()) {
    if (each.type === 'tool_use') {
      into.tool(place, { id: text(each.id), name: text(each.name), input: JSON.stringify(each.input ?? {}) });
    } else begin(each, place, into);
    if (each.type === 'thinking') into.thinking(text(each.thinking));
  }
  into.ended = text(body.stop_reason);
  usage(body, into);
}
