import { content, envelope, type Frame, terminator } from '../answer/frame.ts';
import { type Plan, pieces } from '../answer/plan.ts';
import { finishReason, plainChat, textDeltas, usageOf } from '../openai-chat/answer.ts';
import { record } from '../request/json.ts';
import type { Quirks } from './quirks.ts';

/** The field of its thinking; nothing where thinking stands in the text or is not shown. */
function thoughtField({ reasoning }: Quirks): string | undefined {
  return reasoning === 'reasoning_content' || reasoning === 'reasoning' ? reasoning : undefined;
}

export function plainOf(plan: Plan, quirks: Quirks): string {
  const answer = JSON.parse(plainChat(plan)) as { choices: { message: Record<string, unknown> }[] };
  const thoughts = plan.reasoning.join('');
  const field = thoughtField(quirks);
  for (const { message } of thoughts === '' ? [] : answer.choices) {
    if (field !== undefined) message[field] = thoughts;
    else if (quirks.reasoning === 'think_tags')
      message.content = inTags(thoughts) + String(message.content ?? '');
  }
  return JSON.stringify(answer);
}

function inTags(thoughts: string): string {
  return `<think>\n${thoughts}\n</think>\n\n`;
}

export function* framesOf(plan: Plan, quirks: Quirks): Iterable<Frame> {
  const { streamUsage = 'asked', streamEnd = 'done' } = quirks;
  const isAsked = record(plan.ask.body.stream_options).include_usage === true && streamUsage !== 'never';
  const usage = usageOf(plan);
  const write = (choices: readonly object[], figures: object | undefined): string =>
    JSON.stringify({
      ...{ id: plan.id, object: 'chat.completion.chunk', created: plan.createdSeconds },
      ...{ model: plan.ask.model.snapshot, choices, ...(figures !== undefined && { usage: figures }) },
    });
  const choiceOf = (delta: object): object => ({ index: 0, delta, finish_reason: null });
  yield envelope(write([choiceOf({ role: 'assistant', content: '' })], undefined));
  yield* thoughtFrames(plan, quirks, (delta) => write([choiceOf(delta)], undefined));
  for (const { delta, output } of textDeltas(plan)) {
    yield content({ data: write([choiceOf(delta)], undefined), output });
  }
  const last = { index: 0, delta: {}, finish_reason: finishReason(plan) };
  const own = streamUsage === 'choice' ? { ...last, usage } : last;
  yield envelope(write([own], streamUsage === 'always' ? usage : undefined));
  if (isAsked && streamUsage !== 'always') yield envelope(write([], usage));
  if (streamEnd === 'done') yield terminator('[DONE]');
}

function* thoughtFrames(plan: Plan, quirks: Quirks, write: (delta: object) => string): Iterable<Frame> {
  const field = thoughtField(quirks);
  if (plan.reasoning.length === 0) return;
  const hasTags = quirks.reasoning === 'think_tags';
  if (hasTags) yield envelope(write({ content: '<think>\n' }));
  for (const { text, count } of pieces(plan, plan.reasoning)) {
    const delta = field === undefined ? { content: hasTags ? text : '' } : { [field]: text, content: null };
    yield content({ data: write(delta), output: count, reasoning: count });
  }
  if (hasTags) yield envelope(write({ content: '\n</think>\n\n' }));
}
