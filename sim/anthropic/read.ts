import { countTokens } from '../answer/tokens.ts';
import type { AnthropicModel } from '../models.ts';
import type { Ask, AskedTool } from '../request/ask.ts';
import { type Json, numeric, record, records, string, strings } from '../request/json.ts';

const MESSAGE_TOKENS = 3;
const PROMPT_TOKENS = 4;
const IMAGE_TOKENS = 765;

export function readMessages(body: Json, model: AnthropicModel, key: string): Ask {
  const messages = records(body.messages);
  const thinking = record(body.thinking);
  const on = thinking.type === 'enabled' || thinking.type === 'adaptive';
  const format = record(record(body.output_config).format ?? body.output_format);
  const choice = record(body.tool_choice);
  return {
    kind: 'ask',
    model,
    stream: body.stream === true ? 'stream' : 'plain',
    text: messages
      .filter((message) => message.role === 'user')
      .flatMap((message) => blocksOf(message).map(blockText))
      .join('\n'),
    inputTokens: messagesInputTokens(body),
    outputTokensMax: numeric(body.max_tokens),
    stops: strings(body.stop_sequences),
    tools: records(body.tools).flatMap(readTool),
    choice: readChoice(choice),
    parallel: choice.disable_parallel_tool_use === true ? 'one' : 'many',
    toolRounds: countRounds(messages),
    format: format.type === 'json_schema' ? record(format.schema) : undefined,
    thinking: on ? 'asked' : thinking.type === 'disabled' ? 'never' : 'when-told',
    thoughts: (thinking.display ?? model.displayDefault) === 'summarized' ? 'shown' : 'hidden',
    images: 0,
    imageTokens: 0,
    copies: 1,
    body,
    key,
  };
}

export function blocksOf(message: Json): readonly Json[] {
  const { content } = message;
  return typeof content === 'string' ? [{ type: 'text', text: content }] : records(content);
}

export function blockText(block: Json): string {
  switch (block.type) {
    case 'text':
      return string(block.text);
    case 'thinking':
      return string(block.thinking);
    case 'tool_use':
      return string(block.name) + JSON.stringify(block.input ?? {});
    case 'tool_result':
      return blocksOf(block).map(blockText).join('\n');
    case 'document':
      return string(record(block.source).type === 'text' ? record(block.source).data : '');
    default:
      return '';
  }
}

/** All text, tool definitions as their JSON, 3 for a message and 4 for the prompt; 765 for an image. */
export function messagesInputTokens(body: Json): number {
  let tokens = PROMPT_TOKENS;
  for (const block of blocksOf({ content: body.system })) tokens += countTokens(blockText(block));
  for (const message of records(body.messages)) {
    tokens += MESSAGE_TOKENS;
    for (const block of blocksOf(message)) {
      tokens += countTokens(blockText(block));
      const inner = block.type === 'tool_result' ? blocksOf(block) : [block];
      tokens += IMAGE_TOKENS * inner.filter((part) => part.type === 'image').length;
    }
  }
  for (const tool of records(body.tools)) tokens += countTokens(JSON.stringify(tool));
  return tokens;
}

/** Tools that the client runs itself have known arguments; tools of the server are never called here. */
const CLIENT_TOOLS = /^(bash|text_editor|computer|memory)_/;

function readTool(tool: Json): readonly AskedTool[] {
  const type = string(tool.type);
  const name = string(tool.name);
  if (type === '' || type === 'custom') {
    return [{ name, schema: record(tool.input_schema), kind: 'function' }];
  }
  const schema = { properties: { command: { type: 'string' } } };
  return CLIENT_TOOLS.test(type) ? [{ name, schema, kind: 'function' }] : [];
}

function readChoice(choice: Json): Ask['choice'] {
  switch (choice.type) {
    case 'none':
      return 'none';
    case 'any':
      return 'required';
    case 'tool':
      return { name: string(choice.name) };
    default:
      return 'auto';
  }
}

/** A user message that only brings tool results does not open a new turn. */
function countRounds(messages: readonly Json[]): number {
  const speaks = (message: Json): boolean =>
    message.role === 'user' && blocksOf(message).every((block) => block.type !== 'tool_result');
  const since = messages.slice(messages.findLastIndex(speaks) + 1);
  const calls = (message: Json): boolean => blocksOf(message).some((block) => block.type === 'tool_use');
  return since.filter(calls).length;
}
