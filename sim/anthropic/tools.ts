import type { AnthropicModel } from '../models.ts';
import { check } from '../request/check.ts';
import { type Json, record, records, string } from '../request/json.ts';
import { words, writePath } from './error.ts';
import { blocksOf } from './read.ts';
import { CUSTOM_TOOL, WEB_SEARCH_TOOL } from './shape.ts';

const STRICT_TOOLS_MAX = 20;
/** Typed tools carry a date; the prefix tells what they are. */
const TYPED = new RegExp(
  '^(bash|text_editor|computer|memory|web_fetch|code_execution|tool_search_tool|advisor)_' + '|^mcp_toolset$',
);
const SEARCH = /^web_search_(20250305|20260209|20260318)$/;

export function refuseTools(body: Json, model: AnthropicModel): string | undefined {
  const tools = records(body.tools);
  for (const [index, tool] of tools.entries()) {
    const problem = refuseTool(tool, index);
    if (problem !== undefined) return problem;
  }
  const names = tools.map((tool) => tool.name).filter((name) => name !== undefined);
  if (new Set(names).size !== names.length) return 'tools: Tool names must be unique.';
  const strict = tools.filter((tool) => tool.strict === true).length;
  if (strict > STRICT_TOOLS_MAX) {
    return `tools: too many strict tools. Found ${strict}, the maximum is ${STRICT_TOOLS_MAX}.`;
  }
  return refuseChoice(body, model);
}

function refuseTool(tool: Json, index: number): string | undefined {
  const type = string(tool.type);
  if (type !== '' && type !== 'custom') {
    if (SEARCH.test(type)) return refuseSearch(tool, `tools.${index}.${type}`);
    if (TYPED.test(type)) return undefined;
    return `tools.${index}: Input tag '${type}' found using 'type' does not match any of the expected tags`;
  }
  const [problem] = check(CUSTOM_TOOL, tool);
  if (problem !== undefined) return `tools.${index}.custom.${writePath(problem.path)}: ${words(problem)}`;
  const schema = record(tool.input_schema);
  const path = `tools.${index}.custom.input_schema`;
  if (schema.type === undefined) return `${path}.type: Field required`;
  if (schema.type !== 'object') return `${path}.type: Input should be 'object'`;
  if ((schema.oneOf ?? schema.allOf ?? schema.anyOf) === undefined) return undefined;
  return `${path}: input_schema does not support oneOf, allOf, or anyOf at the top level`;
}

function refuseSearch(tool: Json, path: string): string | undefined {
  const [problem] = check(WEB_SEARCH_TOOL, tool);
  if (problem !== undefined) return `${path}.${writePath(problem.path)}: ${words(problem)}`;
  const isBoth = Array.isArray(tool.allowed_domains) && Array.isArray(tool.blocked_domains);
  return isBoth ? `${path}: Cannot specify both allowed_domains and blocked_domains` : undefined;
}

function refuseChoice(body: Json, model: AnthropicModel): string | undefined {
  const choice = record(body.tool_choice);
  if (body.tool_choice === undefined || body.tool_choice === null) return undefined;
  const tools = records(body.tools);
  if (tools.length === 0 && choice.type !== 'none') {
    return 'tool_choice: tool_choice may only be specified while providing tools.';
  }
  if (choice.type !== 'any' && choice.type !== 'tool') return undefined;
  if (record(body.thinking).type === 'enabled') {
    return 'Thinking may not be enabled when tool_choice forces tool use.';
  }
  if (model.forcedTool === 'refused') return 'tool_choice: forced tool use is not supported on this model.';
  if (choice.type === 'any' || tools.some((tool) => tool.name === choice.name)) return undefined;
  return `Tool '${string(choice.name)}' not found in provided tools`;
}

/** Results stand in the very next message, first in it, one for each call. */
export function refuseToolPairs(messages: readonly Json[]): string | undefined {
  for (const [index, message] of messages.entries()) {
    const problem = refuseResults(message, index, callsBefore(messages, index));
    if (problem !== undefined) return problem;
    const next = messages[index + 1];
    // Messages of the assistant that follow each other are one: the results come after the last.
    if (next?.role === 'assistant') continue;
    const answered = leadingResults(record(next));
    const open = callsBefore(messages, index + 1).filter((id) => !answered.includes(id));
    if (open.length === 0) continue;
    return (
      `messages.${index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ` +
      `${open.join(', ')}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the ` +
      'next message.'
    );
  }
  return undefined;
}

/** Calls of the assistant messages that end right before this place. */
function callsBefore(messages: readonly Json[], index: number): readonly string[] {
  const start = messages.slice(0, index).findLastIndex((message) => message.role !== 'assistant');
  return messages.slice(start + 1, index).flatMap(callsOf);
}

function callsOf(message: Json): readonly string[] {
  return blocksOf(message)
    .filter((block) => block.type === 'tool_use')
    .map((block) => string(block.id));
}

function leadingResults(message: Json): readonly string[] {
  const blocks = message.role === 'user' ? blocksOf(message) : [];
  const other = blocks.findIndex((block) => block.type !== 'tool_result');
  return (other === -1 ? blocks : blocks.slice(0, other)).map((block) => string(block.tool_use_id));
}

function refuseResults(message: Json, index: number, calls: readonly string[]): string | undefined {
  const seen = new Set<string>();
  for (const [at, block] of blocksOf(message).entries()) {
    if (block.type !== 'tool_result') continue;
    const id = string(block.tool_use_id);
    const path = `messages.${index}.content.${at}`;
    if (!calls.includes(id)) {
      return (
        `${path}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each \`tool_result\` ` +
        'block must have a corresponding `tool_use` block in the previous message.'
      );
    }
    if (seen.has(id)) {
      const found = `Found multiple \`tool_result\` blocks with id: ${id}`;
      return `${path}: each tool_use must have a single result. ${found}`;
    }
    seen.add(id);
  }
  return undefined;
}
