import type { AnthropicModel } from '../models.ts';
import { type Json, record, records, string } from '../request/json.ts';
import { blocksOf } from './read.ts';

/** Rules of roles and texts: who begins, where a system turn may stand, that nobody says nothing. */
export function refuseTurns(
  messages: readonly Json[],
  model: AnthropicModel,
  body: Json,
): string | undefined {
  if (messages[0]?.role === 'assistant') return 'messages: first message must use the "user" role';
  for (const index of messages.keys()) {
    const problem = refuseSystemTurn(messages, index, model) ?? refuseTexts(messages, index);
    if (problem !== undefined) return problem;
  }
  for (const block of records(body.system)) {
    if (string(block.text).trim() === '') return `system: ${emptyText(block)}`;
  }
  return refuseLast(messages, model);
}

function refuseSystemTurn(
  messages: readonly Json[],
  index: number,
  model: AnthropicModel,
): string | undefined {
  if (messages[index]?.role !== 'system') return undefined;
  if (model.systemTurns === 'refused') {
    return `messages.${index}: role 'system' is not supported on this model`;
  }
  const before = messages[index - 1];
  const after = messages[index + 1];
  const lastBlock = before === undefined ? undefined : blocksOf(before).at(-1);
  const served = before?.role === 'assistant' && string(lastBlock?.type).endsWith('_tool_result');
  if (before?.role !== 'user' && before?.role !== 'system' && !served) {
    return `messages.${index}: role 'system' must follow a 'user' message`;
  }
  if (after === undefined || after.role !== 'user') return undefined;
  return `messages.${index}: role 'system' must be last or be followed by an 'assistant' message`;
}

function refuseTexts(messages: readonly Json[], index: number): string | undefined {
  const message = record(messages[index]);
  const last = index === messages.length - 1 && message.role === 'assistant';
  const empty = message.content === '' || (Array.isArray(message.content) && message.content.length === 0);
  if (empty && !last) {
    return (
      `messages.${index}: all messages must have non-empty content except for the optional final ` +
      'assistant message'
    );
  }
  // The model itself may have said a blank before a call; it is taken back.
  const silent = message.role === 'assistant' ? /^$/ : /^\s*$/;
  const wordless = records(message.content).find(
    (block) => block.type === 'text' && silent.test(string(block.text)),
  );
  return wordless === undefined ? undefined : `messages: ${emptyText(wordless)}`;
}

function emptyText(block: Json): string {
  return block.text === ''
    ? 'text content blocks must be non-empty'
    : 'text content blocks must contain non-whitespace text';
}

function refuseLast(messages: readonly Json[], model: AnthropicModel): string | undefined {
  const last = messages.at(-1);
  if (last === undefined || last.role !== 'assistant') return undefined;
  if (model.prefill === 'refused') {
    return (
      'This model does not support assistant message prefill. ' +
      'The conversation must end with a user message.'
    );
  }
  const block = blocksOf(last).at(-1);
  if (block === undefined || block.type !== 'text') return undefined;
  const said = string(block.text);
  return said === said.trimEnd()
    ? undefined
    : 'messages: final assistant content cannot end with trailing whitespace';
}
