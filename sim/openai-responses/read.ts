import { countTokens } from '../answer/tokens.ts';
import type { OpenaiModel } from '../models.ts';
import { IMAGE_TOKENS } from '../openai-chat/read.ts';
import type { Ask, AskedTool } from '../request/ask.ts';
import { type Json, numeric, record, records, string } from '../request/json.ts';
import { recall } from './memory.ts';

const ITEM_TOKENS = 3;
const ANSWER_PRIMER_TOKENS = 3;

export function readResponses(body: Json, model: OpenaiModel, key: string): Ask {
  const items = inputItems(body);
  const reasoning = record(body.reasoning);
  const effort = string(reasoning.effort);
  const thinks = model.kind === 'reasoning' && effort !== 'none';
  const wanted = reasoning.summary !== undefined || (effort !== '' && effort !== 'minimal');
  return {
    kind: 'ask',
    model,
    stream: body.stream === true ? 'stream' : 'plain',
    text: items.filter(spoken).map(itemText).join('\n'),
    inputTokens: responsesInputTokens(body),
    outputTokensMax: numeric(body.max_output_tokens),
    stops: [],
    tools: [...records(body.tools), ...items.flatMap(addedTools)].flatMap((tool) => readTool(tool)),
    choice: readChoice(body.tool_choice),
    parallel: body.parallel_tool_calls === false ? 'one' : 'many',
    toolRounds: countRounds(items),
    format: readFormat(record(record(body.text).format)),
    thinking: thinks ? (wanted ? 'asked' : 'when-told') : 'never',
    thoughts: typeof reasoning.summary === 'string' ? 'shown' : 'hidden',
    images: 0,
    imageTokens: 0,
    copies: 1,
    body,
    key,
  };
}

/** What the model sees: the stored items of the previous response first. */
export function inputItems(body: Json): readonly Json[] {
  const previous = recall(string(body.previous_response_id)) ?? [];
  const { input } = body;
  const own =
    typeof input === 'string' ? [{ type: 'message', role: 'user', content: input }] : records(input);
  return [...previous, ...own];
}

function spoken(item: Json): boolean {
  const { type = 'message', role } = item;
  return (type === 'message' && role === 'user') || String(type).endsWith('_output');
}

export function itemText(item: Json): string {
  const said = item.content ?? item.output;
  if (typeof said === 'string') return said;
  return records(said)
    .map((part) => string(part.text) || string(part.refusal))
    .join('\n');
}

/** All text, tool definitions as their JSON, 3 for an item, 3 for instructions, 3 for the answer. */
export function responsesInputTokens(body: Json): number {
  let tokens = ANSWER_PRIMER_TOKENS;
  if (typeof body.instructions === 'string') tokens += ITEM_TOKENS + countTokens(body.instructions);
  for (const item of inputItems(body)) {
    tokens += ITEM_TOKENS + countTokens(itemText(item));
    tokens += countTokens(string(item.name) + string(item.arguments ?? item.input));
    const images = [...records(item.content), ...records(item.output)];
    tokens += IMAGE_TOKENS * images.filter((part) => part.type === 'input_image').length;
  }
  for (const tool of records(body.tools)) tokens += countTokens(JSON.stringify(tool));
  return tokens;
}

/** Codex's newest models get their tools in the conversation, where later turns can add to them. */
function addedTools(item: Json): readonly Json[] {
  return item.type === 'additional_tools' ? records(item.tools) : [];
}

/** vendor tools are never called here. Tools in a namespace are functions like any other. */
function readTool(tool: Json, namespace?: string): readonly AskedTool[] {
  const { type } = tool;
  if (type === 'namespace') {
    const name = string(tool.name);
    return records(tool.tools).flatMap((inner) => readTool(inner, name));
  }
  if (type !== 'function' && type !== 'custom') return [];
  const place = namespace === undefined ? {} : { namespace };
  return [{ name: string(tool.name), schema: record(tool.parameters), kind: type, ...place }];
}

function readChoice(choice: unknown): Ask['choice'] {
  if (choice === 'none' || choice === 'required') return choice;
  const { type, name, mode } = record(choice);
  if (type === 'allowed_tools') return mode === 'required' ? 'required' : 'auto';
  return typeof name === 'string' ? { name } : 'auto';
}

function readFormat(format: Json): Json | undefined {
  if (format.type === 'json_object') return {};
  return format.type === 'json_schema' ? record(format.schema) : undefined;
}

/** A round begins with a call that follows something else than a call. */
function countRounds(items: readonly Json[]): number {
  const isCall = (item: Json | undefined): boolean =>
    item?.type === 'function_call' || item?.type === 'custom_tool_call';
  const lastUser = items.findLastIndex((item) => item.role === 'user');
  const since = items.slice(lastUser + 1);
  return since.filter((item, index) => isCall(item) && !isCall(since[index - 1])).length;
}
