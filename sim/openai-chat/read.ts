import { countTokens } from '../answer/tokens.ts';
import type { OpenaiModel } from '../models.ts';
import type { Ask, AskedTool } from '../request/ask.ts';
import { type Json, numeric, record, records, string, strings } from '../request/json.ts';

const MESSAGE_TOKENS = 3;
const ANSWER_PRIMER_TOKENS = 3;
export const IMAGE_TOKENS = 765;

export function readChat(body: Json, model: OpenaiModel, key: string): Ask {
  const messages = records(body.messages);
  const options = record(body.response_format);
  const effort = string(body.reasoning_effort);
  return {
    kind: 'ask',
    model,
    stream: body.stream === true ? 'stream' : 'plain',
    text: messages
      .filter((message) => spoken(message))
      .map(messageText)
      .join('\n'),
    inputTokens: chatInputTokens(body),
    outputTokensMax: numeric(body.max_completion_tokens) ?? numeric(body.max_tokens),
    stops: typeof body.stop === 'string' ? [body.stop] : strings(body.stop),
    tools: [...records(body.tools).map(readTool), ...records(body.functions).map(readFunction)],
    choice: isLegacy(body) ? readLegacyChoice(body.function_call) : readChoice(body.tool_choice),
    parallel: body.parallel_tool_calls === false || isLegacy(body) ? 'one' : 'many',
    toolRounds: countRounds(messages),
    format: readFormat(options),
    thinking: model.kind !== 'reasoning' || effort === 'none' ? 'never' : asked(effort),
    thoughts: 'hidden',
    images: 0,
    imageTokens: 0,
    copies: numeric(body.n) ?? 1,
    body,
    key,
  };
}

function asked(effort: string): Ask['thinking'] {
  return effort === '' || effort === 'minimal' ? 'when-told' : 'asked';
}

function spoken(message: Json): boolean {
  return message.role === 'user' || message.role === 'tool' || message.role === 'function';
}

export function messageText(message: Json): string {
  if (typeof message.content === 'string') return message.content;
  return records(message.content)
    .map((part) => string(part.text) || string(part.refusal))
    .join('\n');
}

/** All text, each tool definition as its JSON, 3 for a message and 3 for the answer; 765 for an image. */
export function chatInputTokens(body: Json): number {
  let tokens = ANSWER_PRIMER_TOKENS;
  for (const message of records(body.messages)) {
    tokens += MESSAGE_TOKENS + countTokens(messageText(message));
    const old: readonly Json[] = [{ function: message.function_call }];
    for (const call of [...records(message.tool_calls), ...old]) {
      const called = record(call.function ?? call.custom);
      tokens += countTokens(string(called.name) + string(called.arguments ?? called.input));
    }
    tokens += IMAGE_TOKENS * records(message.content).filter((part) => part.type === 'image_url').length;
  }
  for (const tool of [...records(body.tools), ...records(body.functions)])
    tokens += countTokens(JSON.stringify(tool));
  return tokens;
}

/** The client asks with `functions`, and is answered with `function_call`. */
export function isLegacy(body: Json): boolean {
  return records(body.functions).length > 0;
}

function readFunction(definition: Json): AskedTool {
  return { name: string(definition.name), schema: record(definition.parameters), kind: 'function' };
}

function readLegacyChoice(choice: unknown): Ask['choice'] {
  if (choice === 'none') return choice;
  const name = string(record(choice).name);
  return name === '' ? 'auto' : { name };
}

function readTool(tool: Json): AskedTool {
  const custom = tool.type === 'custom';
  const definition = record(custom ? tool.custom : tool.function);
  return {
    name: string(definition.name),
    schema: record(definition.parameters),
    kind: custom ? 'custom' : 'function',
  };
}

function readChoice(choice: unknown): Ask['choice'] {
  if (choice === 'none' || choice === 'required') return choice;
  const { type, function: named, custom, allowed_tools: allowed } = record(choice);
  if (type === 'allowed_tools') return record(allowed).mode === 'required' ? 'required' : 'auto';
  const name = string(record(named ?? custom).name);
  return name === '' ? 'auto' : { name };
}

function readFormat(format: Json): Json | undefined {
  if (format.type === 'json_object') return {};
  return format.type === 'json_schema' ? record(record(format.json_schema).schema) : undefined;
}

/** A round is an assistant message with tool calls since the last user message. */
function countRounds(messages: readonly Json[]): number {
  const lastUser = messages.findLastIndex((message) => message.role === 'user');
  const calls = (message: Json): boolean =>
    records(message.tool_calls).length > 0 || string(record(message.function_call).name) !== '';
  return messages.slice(lastUser + 1).filter(calls).length;
}
