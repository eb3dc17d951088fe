import { content, envelope, type Frame, LINE_FEED_EVENTS, terminator } from '../answer/frame.ts';
import { newId } from '../answer/id.ts';
import { type Plan, pieces } from '../answer/plan.ts';
import { countTokens } from '../answer/tokens.ts';
import { twistUsage, writeJson } from '../answer/usage.ts';
import type { Dialect, VendorRequest } from '../dialect.ts';
import { findOpenai, type OpenaiModel } from '../models.ts';
import { readBody } from '../openai/body.ts';
import { describe, invalid, openaiError, openaiFailure, openaiHeaders } from '../openai/error.ts';
import { type Ask, type Reply, wordlessAsk } from '../request/ask.ts';
import { check } from '../request/check.ts';
import { type Json, numeric, record, string, strings } from '../request/json.ts';
import { anything, either, flag, integer, list, number, type Shape, struct, text } from '../request/shape.ts';

/** What the vendor writes when a request sets no limit. */
const TOKENS_DEFAULT = 16;
const ANSWERS_MAX = 128;
const BEST_OF_MAX = 20;
const id = integer(0, 200_000);

const REQUEST: Shape = struct({
  'model!': text(),
  'prompt!': either(text(), list(either(text(), id, list(id, { min: 1 })), { min: 1 })),
  best_of: integer(1, BEST_OF_MAX),
  echo: flag,
  frequency_penalty: number(-2, 2),
  logit_bias: anything,
  logprobs: integer(0, 5),
  max_tokens: integer(0),
  n: integer(1, ANSWERS_MAX),
  presence_penalty: number(-2, 2),
  seed: anything,
  stop: either(text(), list(text(), { max: 4 })),
  stream: flag,
  stream_options: struct({ include_usage: flag, include_obfuscation: flag }),
  suffix: text(),
  temperature: number(0, 2),
  top_p: number(0, 1),
  user: text(),
});

export const openaiCompletions: Dialect = {
  vendor: 'openai',
  examine,
  newAnswerId: () => `cmpl-${newId(29)}`,
  plain,
  frames,
  framing: () => LINE_FEED_EVENTS,
  headers: openaiHeaders,
  failure: openaiFailure,
  failureFrame: (message) =>
    content({ data: JSON.stringify({ error: { message, type: 'server_error' } }), output: 0 }),
};

function examine(request: VendorRequest): Ask | Reply {
  const body = readBody(request.body);
  if ('kind' in body) return body;
  const [problem] = check(REQUEST, body.value);
  if (problem !== undefined) return describe(problem);
  const name = String(body.value.model);
  const model = findOpenai(name);
  if (model?.kind !== 'completion') {
    const message = `The model \`${name}\` does not exist or is not supported in v1/completions.`;
    return openaiError(404, { message, code: 'model_not_found', param: 'model' });
  }
  return refuse(body.value, model) ?? read(body.value, model, request.key);
}

function refuse(body: Json, model: OpenaiModel): Reply | undefined {
  const best = numeric(body.best_of) ?? 1;
  const asked = numeric(body.n) ?? 1;
  if (body.best_of !== undefined && best < asked) {
    return invalid('You requested that the server return more choices than it will generate.', null, null);
  }
  if (body.stream === true && best > asked) {
    return invalid('Cannot stream results with best_of != n.', null, null);
  }
  if (body.stream !== true && body.stream_options !== undefined && body.stream_options !== null) {
    const message = "The 'stream_options' parameter is only allowed when 'stream' is enabled.";
    return invalid(message, 'stream_options', null);
  }
  const longest = Math.max(...promptsOf(body).map(countPrompt)) + limitOf(body);
  if (longest <= model.contextTokens) return undefined;
  const message =
    `This model's maximum context length is ${model.contextTokens} tokens, however you requested ` +
    `${longest} tokens. Please reduce your prompt; or completion length.`;
  return invalid(message, null, null);
}

function limitOf(body: Json): number {
  return numeric(body.max_tokens) ?? TOKENS_DEFAULT;
}

type Prompt = string | readonly unknown[];

/** A list of numbers is one prompt, as the ids of its tokens. */
function promptsOf({ prompt }: Json): readonly Prompt[] {
  if (!Array.isArray(prompt)) return [string(prompt)];
  if (typeof prompt[0] === 'number') return [prompt];
  return prompt.map((each) => (Array.isArray(each) ? each : string(each)));
}

function countPrompt(prompt: Prompt): number {
  return typeof prompt === 'string' ? countTokens(prompt) : prompt.length;
}

function read(body: Json, model: OpenaiModel, key: string): Ask {
  const prompts = promptsOf(body);
  const inputTokens =
    prompts.reduce((sum, each) => sum + countPrompt(each), 0) + countTokens(string(body.suffix));
  const words = prompts.map((each) => (typeof each === 'string' ? each : each.join(' '))).join('\n');
  return {
    ...wordlessAsk({ model, body, key, inputTokens, text: words }),
    stream: body.stream === true ? 'stream' : 'plain',
    outputTokensMax: limitOf(body),
    stops: typeof body.stop === 'string' ? [body.stop] : strings(body.stop),
    copies: prompts.length * Math.max(numeric(body.n) ?? 1, numeric(body.best_of) ?? 1),
  };
}

function choicesOf({ ask }: Plan): number {
  return promptsOf(ask.body).length * (numeric(ask.body.n) ?? 1);
}

/** With `echo` an answer begins with its prompt. */
function echoOf({ ask }: Plan, index: number): string {
  if (ask.body.echo !== true) return '';
  const prompt = promptsOf(ask.body)[Math.floor(index / (numeric(ask.body.n) ?? 1))];
  return typeof prompt === 'string' ? prompt : '';
}

function tokensOf({ parts }: Plan): readonly string[] {
  return parts.flatMap((part) => part.tokens);
}

function finishOf({ finish }: Plan): string {
  return finish === 'length' ? 'length' : 'stop';
}

function usageOf({ counts }: Plan): object {
  const { input, output } = counts;
  return { prompt_tokens: input, completion_tokens: output, total_tokens: input + output };
}

function headOf(plan: Plan): object {
  const { id: answer, createdSeconds, ask } = plan;
  return { id: answer, object: 'text_completion', created: createdSeconds, model: ask.model.snapshot };
}

function plain(plan: Plan): string {
  const usage = twistUsage(plan.directive.usage, usageOf(plan));
  const choices = Array.from({ length: choicesOf(plan) }, (_, index) => ({
    text: echoOf(plan, index) + tokensOf(plan).join(''),
    index,
    logprobs: null,
    finish_reason: finishOf(plan),
  }));
  return writeJson({ ...headOf(plan), choices, ...(usage === undefined ? {} : { usage }) });
}

function* frames(plan: Plan): Iterable<Frame> {
  const wanted = record(plan.ask.body.stream_options).include_usage === true;
  const usage = wanted ? twistUsage(plan.directive.usage, usageOf(plan)) : undefined;
  const write = (choices: readonly object[], figures: object | null | undefined): string =>
    writeJson({ ...headOf(plan), choices, ...(wanted && figures !== undefined ? { usage: figures } : {}) });
  const chunk = (index: number, said: string, finish: string | null): string =>
    write([{ text: said, index, logprobs: null, finish_reason: finish }], null);
  for (let index = 0; index < choicesOf(plan); index++) {
    const echo = echoOf(plan, index);
    if (echo !== '') yield envelope(chunk(index, echo, null));
    for (const { text: said, count } of pieces(plan, tokensOf(plan))) {
      yield content({ data: chunk(index, said, null), output: count });
    }
    yield envelope(chunk(index, '', finishOf(plan)));
  }
  if (wanted && usage !== undefined) yield envelope(write([], usage));
  yield terminator('[DONE]');
}
