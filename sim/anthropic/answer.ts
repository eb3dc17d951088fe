import type { Finish, Part, Plan } from '../answer/plan.ts';
import { sign } from '../answer/sign.ts';
import { twistUsage, writeJson } from '../answer/usage.ts';

export function plainMessage(plan: Plan): string {
  const usage = twistUsage(plan.directive.usage, { ...inputUsage(plan), ...outputUsage(plan) });
  const { model } = plan.ask;
  return writeJson({
    model: model.snapshot,
    id: plan.id,
    type: 'message',
    role: 'assistant',
    content: blocks(plan).map((block) => block.whole),
    ...ending(plan),
    ...(usage === undefined ? {} : { usage }),
  });
}

/** A block of the answer: as it begins in a stream, what is added, and as it is in the end. */
export interface Block {
  readonly start: object;
  readonly whole: object;
  readonly deltas: readonly { readonly type: string; readonly field: string }[];
  readonly tokens: readonly string[];
  /** Tokens that no delta shows: names of tools, omitted thinking. */
  readonly silentTokens: number;
  readonly kind: 'thinking' | 'other';
  readonly signature: string | undefined;
}

export function blocks(plan: Plan): readonly Block[] {
  const make = plan.directive.thoughts === 'redacted' ? redactedBlock : thinkingBlock;
  const thinking = plan.reasoning.length > 0 ? [make(plan)] : [];
  return [...thinking, ...plan.parts.map(partBlock)];
}

/** Complete in its start: a stream adds nothing to it. */
function redactedBlock(plan: Plan): Block {
  const whole = { type: 'redacted_thinking', data: sign(REDACTED_SEAL).toString('base64') };
  return {
    start: whole,
    whole,
    deltas: [],
    tokens: [],
    silentTokens: plan.reasoning.length,
    kind: 'thinking',
    signature: undefined,
  };
}

export const REDACTED_SEAL = 'anthropic redacted';

function thinkingBlock(plan: Plan): Block {
  const shown = plan.ask.thoughts === 'shown';
  const said = shown ? plan.reasoning.join('') : '';
  const signature = sign(thinkingSeal(said)).toString('base64');
  return {
    start: { type: 'thinking', thinking: '', signature: '' },
    whole: { type: 'thinking', thinking: said, signature },
    deltas: [{ type: 'thinking_delta', field: 'thinking' }],
    tokens: shown ? plan.reasoning : [],
    silentTokens: shown ? 0 : plan.reasoning.length,
    kind: 'thinking',
    signature,
  };
}

/** What the signature of a thinking block is made over. */
export function thinkingSeal(text: string): string {
  return `anthropic ${text}`;
}

function partBlock(part: Part): Block {
  const shared = { tokens: part.tokens, kind: 'other', signature: undefined } as const;
  if (part.kind !== 'tool') {
    return {
      ...shared,
      start: { type: 'text', text: '' },
      whole: { type: 'text', text: part.tokens.join('') },
      deltas: [{ type: 'text_delta', field: 'text' }],
      silentTokens: 0,
    };
  }
  const call = { type: 'tool_use', id: `toolu_${part.id}`, name: part.tool.name };
  return {
    ...shared,
    start: { ...call, input: {} },
    whole: { ...call, input: parseInput(part.tokens.join('')) },
    deltas: [{ type: 'input_json_delta', field: 'partial_json' }],
    silentTokens: part.nameTokens,
  };
}

/** Arguments that the token limit cut are no JSON any more: a plain answer then has none. */
function parseInput(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

const STOP_REASONS: Readonly<Record<Finish, string>> = {
  stop: 'end_turn',
  'stop-sequence': 'stop_sequence',
  length: 'max_tokens',
  tool: 'tool_use',
  refusal: 'refusal',
  filter: 'refusal',
  pause: 'pause_turn',
};

export function ending(plan: Plan): object {
  const reason = STOP_REASONS[plan.finish];
  return {
    stop_reason: reason,
    stop_sequence: plan.stopSequence ?? null,
    stop_details: reason === 'refusal' ? { type: 'refusal', category: null, explanation: null } : null,
  };
}

/** Fresh input, reads and writes are apart: none includes another (rule V-11). */
export function inputUsage(plan: Plan): object {
  const { input, cacheRead, cacheWrite } = plan.counts;
  return {
    input_tokens: input - cacheRead - cacheWrite,
    cache_creation_input_tokens: cacheWrite,
    cache_read_input_tokens: cacheRead,
    cache_creation: { ephemeral_5m_input_tokens: cacheWrite, ephemeral_1h_input_tokens: 0 },
  };
}

export function outputUsage(plan: Plan): object {
  const { output, reasoning } = plan.counts;
  return {
    output_tokens: output,
    ...(reasoning > 0 ? { output_tokens_details: { thinking_tokens: reasoning } } : {}),
    service_tier: 'standard',
    inference_geo: 'global',
  };
}
