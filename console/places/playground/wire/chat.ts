import {
  type AnswerTurn,
  type Ask,
  type Attachment,
  answerText,
  dataUrl,
  isPicture,
  isText,
  type Json,
  nativeOf,
  offeredTools,
  sentAttachments,
  textOf,
  toolsOf,
  type UserTurn,
  wantedSchema,
} from '../lanes/conversation.ts';
import { type Answer, errorMessage, figure, record, records, text, type Wire } from './answer.ts';
import { effortOf } from './thinking.ts';

/** Chat Completions. */
export const chat: Wire = { path: () => '/v1/chat/completions', event, whole };

export function chatBody(ask: Ask): Json {
  const { model, settings, turns } = ask;
  const tools = offeredTools(settings);
  const schema = wantedSchema(settings);
  return {
    model,
    messages: [
      ...(settings.system === '' ? [] : [{ role: 'system', content: settings.system }]),
      ...turns.flatMap((turn) => (turn.role === 'user' ? [userMessage(turn)] : answerMessages(turn))),
    ],
    max_completion_tokens: settings.maxOutput,
    temperature: settings.temperature,
    seed: settings.seed === '' ? undefined : Number(settings.seed),
    reasoning_effort: effortOf(model, settings.thinking),
    tools:
      tools.length === 0
        ? undefined
        : tools.map(({ name, description, parameters }) => ({
            type: 'function',
            function: { name, description, parameters },
          })),
    response_format:
      schema === undefined
        ? undefined
        : { type: 'json_schema', json_schema: { name: 'answer', strict: true, schema } },
    ...(settings.stream ? { stream: true, stream_options: { include_usage: true } } : {}),
  };
}

function userMessage(turn: UserTurn): Json {
  const sent = sentAttachments(turn);
  if (sent.length === 0) return { role: 'user', content: turn.text };
  return { role: 'user', content: [{ type: 'text', text: turn.text }, ...sent.map(part)] };
}

function part(file: Attachment): Json {
  if (isPicture(file)) return { type: 'image_url', image_url: { url: dataUrl(file) } };
  if (isText(file)) return { type: 'text', text: textOf(file) };
  return { type: 'file', file: { filename: file.name, file_data: dataUrl(file) } };
}

function answerMessages(turn: AnswerTurn): readonly Json[] {
  const tools = toolsOf(turn);
  const content = answerText(turn);
  if (content === '' && tools.length === 0) return [];
  const calls = tools.map((tool) => ({
    id: tool.id,
    type: 'function',
    function: { name: tool.name, arguments: tool.input },
    extra_content: nativeOf(tool, 'chat'),
  }));
  return [
    { role: 'assistant', content: content || null, ...(calls.length > 0 ? { tool_calls: calls } : {}) },
    ...tools.map(({ id, answer }) => ({ role: 'tool', tool_call_id: id, content: answer ?? '' })),
  ];
}

function event(body: Json, into: Answer): void {
  if (body.error !== undefined) into.problem = errorMessage(body);
  const [choice = {}] = records(body.choices);
  take(record(choice.delta), into);
  into.ended = text(choice.finish_reason) || into.ended;
  usage(body, into);
}

function whole(body: Json, into: Answer): void {
  const [choice = {}] = records(body.choices);
  take(record(choice.message), into);
  into.ended = text(choice.finish_reason);
  usage(body, into);
}

function take(message: Json, into: Answer): void {
  into.thinking(text(message.reasoning_content));
  into.text(text(message.content));
  into.text(text(message.refusal));
  for (const [place, call] of records(message.tool_calls).entries()) {
    const { name, arguments: input } = record(call.function);
    const extra = call.extra_content;
    into.tool(call.index ?? place, {
      ...(typeof call.id === 'string' && { id: call.id }),
      ...(typeof name === 'string' && { name }),
      input: text(input),
      native: extra === undefined ? undefined : { protocol: 'chat', value: extra },
    });
  }
  for (const picture of records(message.images)) {
    const [, mediaType = '', data = ''] =
      /^data:(image\/[\w+.-]+);base64,(.*)$/s.exec(text(record(picture.image_url).url)) ?? [];
    if (data !== '') into.picture(mediaType, data);
  }
}

function usage(body: Json, into: Answer): void {
  const given = record(body.usage);
  if (given.prompt_tokens === undefined) return;
  into.usage = {
    input: figure(given.prompt_tokens),
    output: figure(given.completion_tokens),
    thinking: figure(record(given.completion_tokens_details).reasoning_tokens),
  };
}
