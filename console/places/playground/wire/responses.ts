import {
  type AnswerTurn,
  type Ask,
  type Attachment,
  dataUrl,
  isPicture,
  isText,
  type Json,
  nativeOf,
  offeredTools,
  type Part,
  sentAttachments,
  textOf,
  toolsOf,
  type UserTurn,
  wantedSchema,
} from '../lanes/conversation.ts';
import { type Answer, errorMessage, figure, record, records, text, type Wire } from './answer.ts';
import { effortOf } from './thinking.ts';

/** Responses. Nothing is stored: the whole conversation is sent each time, with its sealed thoughts. */
export const responses: Wire = { path: () => '/v1/responses', event, whole };

export function responsesBody({ model, settings, turns }: Ask): Json {
  const effort = effortOf(model, settings.thinking);
  const tools = offeredTools(settings);
  const schema = wantedSchema(settings);
  return {
    model,
    instructions: settings.system || undefined,
    input: turns.flatMap((turn) => (turn.role === 'user' ? [userItem(turn)] : answerItems(turn))),
    max_output_tokens: settings.maxOutput,
    temperature: settings.temperature,
    ...(effort === undefined
      ? {}
      : { reasoning: { effort, summary: 'auto' }, include: ['reasoning.encrypted_content'] }),
    tools:
      tools.length === 0
        ? undefined
        : tools.map(({ name, description, parameters }) => ({
            type: 'function',
            name,
            description,
            parameters,
            strict: false,
          })),
    text:
      schema === undefined
        ? undefined
        : { format: { type: 'json_schema', name: 'answer', strict: true, schema } },
    store: false,
    ...(settings.stream ? { stream: true } : {}),
  };
}

function userItem(turn: UserTurn): Json {
  const files = sentAttachments(turn).map(filePart);
  return { role: 'user', content: [{ type: 'input_text', text: turn.text }, ...files] };
}

function filePart(file: Attachment): Json {
  if (isPicture(file)) return { type: 'input_image', image_url: dataUrl(file), detail: 'auto' };
  if (isText(file)) return { type: 'input_text', text: textOf(file) };
  return { type: 'input_file', filename: file.name, file_data: dataUrl(file) };
}

function answerItems(turn: AnswerTurn): readonly Json[] {
  const results = toolsOf(turn).map(({ id, answer }) => ({
    type: 'function_call_output',
    call_id: id,
    output: answer ?? '',
  }));
  return [...turn.parts.flatMap(item), ...results];
}

function item(part: Part): readonly Json[] {
  if (part.kind === 'text') {
    return [{ role: 'assistant', content: [{ type: 'output_text', text: part.text }] }];
  }
  if (part.kind === 'tool') {
    return [{ type: 'function_call', call_id: part.id, name: part.name, arguments: part.input }];
  }
  const thought = part.kind === 'thinking' ? nativeOf(part, 'responses') : undefined;
  return thought === undefined ? [] : [thought as Json];
}

function event(body: Json, into: Answer): void {
  const type = text(body.type);
  if (type === 'response.output_text.delta' || type === 'response.refusal.delta') into.text(text(body.delta));
  else if (/^response\.reasoning(_summary)?_text\.delta$/.test(type)) into.thinking(text(body.delta));
  else if (type === 'response.function_call_arguments.delta') {
    into.tool(body.output_index, { input: text(body.delta) });
  } else if (type === 'response.output_item.added') begin(body, into);
  else if (type === 'response.output_item.done') finish(record(body.item), into);
  else if (type === 'error' || type === 'response.failed') into.problem = errorMessage(body);
  const response = record(body.response);
  if (type === 'response.completed' || type === 'response.incomplete') end(response, into);
}

function begin(body: Json, into: Answer): void {
  const added = record(body.item);
  if (added.type !== 'function_call') return;
  into.tool(body.output_index, { id: text(added.call_id), name: text(added.name) });
}

/** Sealed thoughts are complete at their end only. */
function finish(done: Json, into: Answer): void {
  if (done.type === 'reasoning' && typeof done.encrypted_content === 'string') {
    const last = into.parts.at(-1);
    const native = { protocol: 'responses', value: done } as const;
    if (last?.kind === 'thinking') into.thinking('', native);
    else into.newThought(native);
  }
  if (done.type === 'image_generation_call') into.picture('image/png', text(done.result));
}

function end(response: Json, into: Answer): void {
  into.ended = text(record(response.incomplete_details).reason) || text(response.status);
  const given = record(response.usage);
  into.usage = {
    input: figure(given.input_tokens),
    output: figure(given.output_tokens),
    thinking: figure(record(given.output_tokens_details).reasoning_tokens),
  };
}

function whole(body: Json, into: Answer): void {
  for (const [place, each] of records(body.output).entries()) {
    for (const part of records(each.summary)) into.thinking(text(part.text));
    for (const part of each.type === 'message' ? records(each.content) : []) {
      into.text(text(part.text) || text(part.refusal));
    }
    if (each.type === 'function_call') {
      into.tool(place, { id: text(each.call_id), name: text(each.name), input: text(each.arguments) });
    }
    finish(each, into);
  }
  end(body, into);
}
