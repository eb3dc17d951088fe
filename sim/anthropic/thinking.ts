import { verify } from '../answer/sign.ts';
import type { AnthropicModel } from '../models.ts';
import { type Json, numeric, record, records, string } from '../request/json.ts';
import { REDACTED_SEAL, thinkingSeal } from './answer.ts';
import { blocksOf } from './read.ts';

/** The switch, the effort, and the blocks that come back. */
export function refuseThinking(body: Json, model: AnthropicModel): string | undefined {
  const thinking = record(body.thinking);
  return (
    refuseMode(thinking, model) ??
    refuseBudget(thinking, body) ??
    refuseEffort(record(body.output_config).effort, thinking, model) ??
    refuseBlocks(records(body.messages)) ??
    refuseBareCall(records(body.messages), thinking)
  );
}

function refuseMode(thinking: Json, model: AnthropicModel): string | undefined {
  const mode = thinking.type;
  if (mode === 'disabled' && thinking.display !== undefined) {
    return 'thinking.disabled.display: Extra inputs are not permitted';
  }
  const allowed: readonly unknown[] = model.thinking;
  if (mode === undefined || allowed.includes(mode)) return undefined;
  switch (mode) {
    case 'enabled':
      return (
        '"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" and ' +
        '"output_config.effort" to control thinking behavior.'
      );
    case 'adaptive':
      return 'adaptive thinking is not supported on this model';
    default:
      return `"thinking.type.${string(mode)}" is not supported for this model.`;
  }
}

function refuseBudget(thinking: Json, body: Json): string | undefined {
  const budget = numeric(thinking.budget_tokens);
  const limit = numeric(body.max_tokens);
  if (thinking.type !== 'enabled' || budget === undefined || limit === undefined || budget < limit) {
    return undefined;
  }
  return '`max_tokens` must be greater than `thinking.budget_tokens`.';
}

function refuseEffort(effort: unknown, thinking: Json, model: AnthropicModel): string | undefined {
  if (typeof effort !== 'string') return undefined;
  if (model.efforts.length === 0) return 'This model does not support the effort parameter.';
  if (!model.efforts.includes(effort)) {
    const supported = [...model.efforts].sort().join(', ');
    return `This model does not support effort level '${effort}'. Supported levels: ${supported}.`;
  }
  const highest = effort === 'xhigh' || effort === 'max';
  if (model.name !== 'claude-opus-5' || thinking.type !== 'disabled' || !highest) return undefined;
  return `"thinking.type.disabled" is not supported with effort level '${effort}' on this model.`;
}

/** Thinking comes back as it was given: a signature of somebody else, or over another text, is refused. */
function refuseBlocks(messages: readonly Json[]): string | undefined {
  const latest = messages.findLastIndex((message) => message.role === 'assistant');
  for (const [index, message] of messages.entries()) {
    if (message.role !== 'assistant') continue;
    for (const [at, block] of blocksOf(message).entries()) {
      const verdict = verdictOf(block);
      if (verdict === 'genuine') continue;
      const path = `messages.${index}.content.${at}`;
      if (verdict === 'foreign' || index !== latest) {
        const field = block.type === 'thinking' ? 'signature' : 'data';
        return `${path}: Invalid \`${field}\` in \`${string(block.type)}\` block`;
      }
      return (
        `${path}: \`thinking\` or \`redacted_thinking\` blocks in the latest assistant message cannot be ` +
        'modified. These blocks must remain as they were in the original response.'
      );
    }
  }
  return undefined;
}

function verdictOf(block: Json): 'genuine' | 'modified' | 'foreign' {
  if (block.type === 'thinking') {
    return verify(Buffer.from(string(block.signature), 'base64'), thinkingSeal(string(block.thinking)));
  }
  if (block.type !== 'redacted_thinking') return 'genuine';
  return verify(Buffer.from(string(block.data), 'base64'), REDACTED_SEAL);
}

/** With manual thinking, the assistant turn whose tools were just answered begins with its thinking. */
function refuseBareCall(messages: readonly Json[], thinking: Json): string | undefined {
  if (thinking.type !== 'enabled') return undefined;
  const index = messages.length - 2;
  const message = messages[index];
  if (message === undefined || message.role !== 'assistant') return undefined;
  const blocks = blocksOf(message);
  const first = string(blocks[0]?.type);
  if (!blocks.some((block) => block.type === 'tool_use') || first.endsWith('thinking')) return undefined;
  return (
    `messages.${index}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found ` +
    `\`${first}\`. ` +
    'When `thinking` is enabled, a final `assistant` message must start with a thinking block (preceeding ' +
    'the lastmost set of `tool_use` and `tool_result` blocks).'
  );
}
