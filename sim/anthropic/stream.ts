import { content, envelope, type Frame, terminator } from '../answer/frame.ts';
import { type Plan, pieces } from '../answer/plan.ts';
import { earlyUsage, twistUsage, writeJson } from '../answer/usage.ts';
import { type Block, blocks, ending, inputUsage } from './answer.ts';

const PADDING_MAX = 16;
const STARTED_OUTPUT_TOKENS = 1;

export function* framesOfMessage(plan: Plan): Iterable<Frame> {
  yield envelope(write(plan, { type: 'message_start', message: opening(plan) }), 'message_start');
  for (const [index, block] of blocks(plan).entries()) {
    yield* blockFrames(plan, block, index);
  }
  const usage = twistUsage(plan.directive.usage, deltaUsage(plan));
  const end = { type: 'message_delta', delta: ending(plan), ...(usage === undefined ? {} : { usage }) };
  if (plan.directive.usage === 'repeated') yield envelope(write(plan, end), 'message_delta');
  yield envelope(write(plan, end), 'message_delta');
  yield terminator(write(plan, { type: 'message_stop' }), 'message_stop');
}

function* blockFrames(plan: Plan, block: Block, index: number): Iterable<Frame> {
  const thinking = block.kind === 'thinking';
  const silent = block.silentTokens;
  yield content({
    event: 'content_block_start',
    data: write(plan, { type: 'content_block_start', index, content_block: block.start }),
    output: silent,
    reasoning: thinking ? silent : 0,
  });
  if (index === 0) yield envelope('{"type": "ping"}', 'ping');
  const delta = (fields: object): string =>
    write(plan, { type: 'content_block_delta', index, delta: fields });
  const [kind] = block.deltas;
  for (const { text, count } of pieces(plan, block.tokens)) {
    yield content({
      event: 'content_block_delta',
      data: delta({ type: kind?.type, [kind?.field ?? 'text']: text }),
      output: count,
      reasoning: thinking ? count : 0,
    });
  }
  if (block.signature !== undefined) {
    const signed = delta({ type: 'signature_delta', signature: block.signature });
    yield envelope(signed, 'content_block_delta');
  }
  yield envelope(write(plan, { type: 'content_block_stop', index }), 'content_block_stop');
}

function opening(plan: Plan): object {
  const late = plan.directive.usage === 'late';
  const figures = late ? { input_tokens: 0, output_tokens: 0 } : startUsage(plan);
  const { usage: variant } = plan.directive;
  const usage = twistUsage(variant, earlyUsage(variant, figures));
  return {
    model: plan.ask.model.snapshot,
    id: plan.id,
    type: 'message',
    role: 'assistant',
    content: [],
    stop_reason: null,
    stop_sequence: null,
    stop_details: null,
    ...(usage === undefined ? {} : { usage }),
  };
}

/** The vendor starts with a small output count that means nothing yet. */
function startUsage(plan: Plan): object {
  return {
    ...inputUsage(plan),
    output_tokens: Math.min(STARTED_OUTPUT_TOKENS, plan.counts.output),
    service_tier: 'standard',
    inference_geo: 'global',
  };
}

/** Cumulative, never to be added to what `message_start` said. */
function deltaUsage(plan: Plan): object {
  const { input, cacheRead, cacheWrite, output, reasoning } = plan.counts;
  return {
    input_tokens: input - cacheRead - cacheWrite,
    cache_creation_input_tokens: cacheWrite,
    cache_read_input_tokens: cacheRead,
    output_tokens: output,
    ...(reasoning > 0 ? { output_tokens_details: { thinking_tokens: reasoning } } : {}),
  };
}

/** Anthropic pads its events with spaces before the last brace. */
function write(plan: Plan, event: object): string {
  const text = writeJson(event);
  const padding = ' '.repeat(Math.floor(plan.random.unit() * PADDING_MAX));
  return `${text.slice(0, -1)}${padding}}`;
}
