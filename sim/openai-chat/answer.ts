import { content, envelope, type Frame, terminator } from '../answer/frame.ts';
import { type Counts, type Finish, type Part, type Plan, pieces, type ToolPart } from '../answer/plan.ts';
import { earlyUsage, twistUsage, writeJson } from '../answer/usage.ts';
import { obfuscate } from '../openai/obfuscate.ts';
import { record } from '../request/json.ts';
import { isLegacy } from './read.ts';

const FINGERPRINT = 'fp_51m0000000';

export function plainChat(plan: Plan): string {
  const usage = twistUsage(plan.directive.usage, usageOf(plan));
  return writeJson({
    id: plan.id,
    object: 'chat.completion',
    created: plan.createdSeconds,
    model: plan.ask.model.snapshot,
    choices: Array.from({ length: plan.ask.copies }, (_, index) => ({
      index,
      message: messageOf(plan),
      logprobs: null,
      finish_reason: finishReason(plan),
    })),
    ...(usage === undefined ? {} : { usage }),
    service_tier: 'default',
    system_fingerprint: FINGERPRINT,
  });
}

function messageOf(plan: Plan): object {
  const calls = plan.parts.filter((part) => part.kind === 'tool');
  const said = textOf(plan.parts, 'text');
  return {
    role: 'assistant',
    content: said ?? (calls.length > 0 || plan.finish === 'refusal' ? null : ''),
    ...callsOf(plan, calls),
    refusal: textOf(plan.parts, 'refusal') ?? null,
    annotations: [],
  };
}

function callsOf(plan: Plan, calls: readonly ToolPart[]): object {
  const [first] = calls;
  if (first === undefined) return {};
  const written = calls.map((call) => callOf(call, call.tokens.join('')));
  if (!isLegacy(plan.ask.body)) return { tool_calls: written };
  return { function_call: { name: first.tool.name, arguments: first.tokens.join('') } };
}

function textOf(parts: readonly Part[], kind: 'text' | 'refusal'): string | undefined {
  return parts.find((part) => part.kind === kind)?.tokens.join('');
}

function callOf(part: ToolPart, input: string): object {
  const id = `call_${part.id}`;
  if (part.tool.kind === 'custom') return { id, type: 'custom', custom: { name: part.tool.name, input } };
  return { id, type: 'function', function: { name: part.tool.name, arguments: input } };
}

const FINISHES: Readonly<Record<Finish, string>> = {
  stop: 'stop',
  'stop-sequence': 'stop',
  length: 'length',
  tool: 'tool_calls',
  refusal: 'stop',
  filter: 'content_filter',
  pause: 'stop',
};

/** A tool that was forced by name ends with `stop` at OpenAI; clients must look at the calls. */
export function finishReason(plan: Plan): string {
  const forced = typeof plan.ask.choice === 'object' && plan.finish === 'tool';
  if (forced) return 'stop';
  return plan.finish === 'tool' && isLegacy(plan.ask.body) ? 'function_call' : FINISHES[plan.finish];
}

/** What of the answer a report covers. */
type Said = Pick<Counts, 'output' | 'reasoning'>;

export function usageOf(plan: Plan, said: Said = plan.counts): object {
  const { input, cacheRead, cacheWrite } = plan.counts;
  const { output, reasoning } = said;
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: {
      cached_tokens: cacheRead,
      audio_tokens: 0,
      ...(cacheWrite > 0 ? { cache_write_tokens: cacheWrite } : {}),
    },
    completion_tokens_details: {
      reasoning_tokens: reasoning,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  };
}

export function* framesOfChat(plan: Plan): Iterable<Frame> {
  const options = record(plan.ask.body.stream_options);
  const wanted = options.include_usage === true;
  const { usage: variant } = plan.directive;
  const usage = wanted ? twistUsage(variant, usageOf(plan)) : undefined;
  // A server that repeats its usage tells what has been said so far: neither a sum nor the first is right.
  const said = { output: 0, reasoning: 0 };
  const isEarly = variant === 'repeated' || variant === 'corrected';
  const early = (): object | null => (isEarly ? earlyUsage(variant, usageOf(plan, said)) : null);
  const write = (choices: readonly object[], noise: string, figures: object | null | undefined): string =>
    writeJson({
      id: plan.id,
      object: 'chat.completion.chunk',
      created: plan.createdSeconds,
      model: plan.ask.model.snapshot,
      service_tier: 'default',
      system_fingerprint: FINGERPRINT,
      choices,
      ...(wanted && figures !== undefined ? { usage: figures } : {}),
      ...(options.include_obfuscation === false ? {} : { obfuscation: obfuscate(plan, noise) }),
    });
  for (let index = 0; index < plan.ask.copies; index++) {
    for (const { delta, ...rest } of deltas(plan)) {
      said.output += rest.output;
      said.reasoning += rest.reasoning;
      const choice = { index, delta, logprobs: null, finish_reason: null };
      yield content({
        data: write([choice], rest.noise, early()),
        output: rest.output,
        reasoning: rest.reasoning,
      });
    }
    const last = { index, delta: {}, logprobs: null, finish_reason: finishReason(plan) };
    yield envelope(write([last], '', early()));
  }
  if (wanted && usage !== undefined) yield envelope(write([], '', usage));
  yield terminator('[DONE]');
}

interface Delta {
  readonly delta: object;
  readonly noise: string;
  readonly output: number;
  readonly reasoning: number;
}

function* deltas(plan: Plan): Iterable<Delta> {
  const reasoning = plan.reasoning.length;
  const [first] = plan.parts;
  const opening = { role: 'assistant', content: first?.kind === 'tool' ? null : '', refusal: null };
  // Hidden reasoning was generated before the first event.
  yield { delta: opening, noise: '', output: reasoning, reasoning };
  yield* textDeltas(plan);
}

/** What follows the opening: texts and calls. */
export function* textDeltas(plan: Plan): Iterable<Delta> {
  let ordinal = 0;
  for (const part of plan.parts) {
    if (part.kind === 'tool' && isLegacy(plan.ask.body)) yield* legacyDeltas(plan, part);
    else if (part.kind === 'tool') yield* callDeltas(plan, part, ordinal++);
    else {
      const field = part.kind === 'text' ? 'content' : 'refusal';
      for (const { text, count } of pieces(plan, part.tokens)) {
        yield { delta: { [field]: text }, noise: text, output: count, reasoning: 0 };
      }
    }
  }
}

/** The first fragment has the id and the name, the others the arguments and nothing else. */
function* callDeltas(plan: Plan, part: ToolPart, index: number): Iterable<Delta> {
  const start = { index, ...callOf(part, '') };
  yield { delta: { tool_calls: [start] }, noise: part.tool.name, output: part.nameTokens, reasoning: 0 };
  const field = part.tool.kind === 'custom' ? 'input' : 'arguments';
  for (const { text, count } of pieces(plan, part.tokens)) {
    const fragment = { index, [part.tool.kind]: { [field]: text } };
    yield { delta: { tool_calls: [fragment] }, noise: text, output: count, reasoning: 0 };
  }
}

function* legacyDeltas(plan: Plan, part: ToolPart): Iterable<Delta> {
  const { name } = part.tool;
  const start = { function_call: { name, arguments: '' } };
  yield { delta: start, noise: name, output: part.nameTokens, reasoning: 0 };
  for (const { text, count } of pieces(plan, part.tokens)) {
    yield { delta: { function_call: { arguments: text } }, noise: text, output: count, reasoning: 0 };
  }
}
