import { content, LINE_FEED_EVENTS } from '../answer/frame.ts';
import { newHexId } from '../answer/id.ts';
import type { Plan } from '../answer/plan.ts';
import { countTokens } from '../answer/tokens.ts';
import { writeJson } from '../answer/usage.ts';
import type { Dialect, VendorRequest } from '../dialect.ts';
import { findOpenai } from '../models.ts';
import { readBody } from '../openai/body.ts';
import { describe, openaiError, openaiFailure, openaiHeaders } from '../openai/error.ts';
import { type Ask, type Reply, wordlessAsk } from '../request/ask.ts';
import { check } from '../request/check.ts';
import { type Json, record, string } from '../request/json.ts';
import { either, list, type Shape, struct, text, variant } from '../request/shape.ts';

const MODEL_DEFAULT = 'omni-moderation-latest';
const CATEGORIES = [
  ...['harassment', 'harassment/threatening', 'hate', 'hate/threatening', 'illicit', 'illicit/violent'],
  ...['self-harm', 'self-harm/intent', 'self-harm/instructions', 'sexual', 'sexual/minors', 'violence'],
  'violence/graphic',
];
const FLAGGED = /\bviolence\b/i;

const part = variant('type', {
  text: struct({ 'type!': text(), 'text!': text() }),
  image_url: struct({ 'type!': text(), 'image_url!': struct({ 'url!': text() }) }),
});
const REQUEST: Shape = struct({
  model: text(),
  'input!': either(text(), list(either(text(), part), { min: 1 })),
});

export const openaiModerations: Dialect = {
  vendor: 'openai',
  examine,
  newAnswerId: () => `modr-${newHexId(24)}`,
  plain,
  frames: () => [],
  framing: () => LINE_FEED_EVENTS,
  headers: openaiHeaders,
  failure: openaiFailure,
  failureFrame: (message) => content({ data: JSON.stringify({ error: { message } }), output: 0 }),
};

function examine(request: VendorRequest): Ask | Reply {
  const body = readBody(request.body);
  if ('kind' in body) return body;
  const [problem] = check(REQUEST, body.value);
  if (problem !== undefined) return describe(problem);
  const name = string(body.value.model) || MODEL_DEFAULT;
  const model = findOpenai(name);
  if (model?.kind !== 'moderation') {
    const message = `The model \`${name}\` does not exist or you do not have access to it.`;
    return openaiError(404, { message, code: 'model_not_found' });
  }
  const words = textsOf(body.value).join('\n');
  const inputTokens = textsOf(body.value).reduce((sum, each) => sum + countTokens(each), 0);
  return wordlessAsk({ model, body: body.value, key: request.key, inputTokens, text: words });
}

/** Texts in a list have a verdict each; parts of one input, which may be pictures too, have one together. */
function textsOf({ input }: Json): readonly string[] {
  if (!Array.isArray(input)) return [string(input)];
  if (input.every((each) => typeof each === 'string')) return input.map(String);
  return [input.map((each) => string(record(each).text)).join('\n')];
}

function plain(plan: Plan): string {
  const results = textsOf(plan.ask.body).map((each) => {
    const flagged = FLAGGED.test(each);
    const isHit = (name: string): boolean => flagged && name === 'violence';
    return {
      flagged,
      categories: Object.fromEntries(CATEGORIES.map((name) => [name, isHit(name)])),
      category_scores: Object.fromEntries(CATEGORIES.map((name) => [name, isHit(name) ? 0.97 : 0.0001])),
      category_applied_input_types: Object.fromEntries(CATEGORIES.map((name) => [name, ['text']])),
    };
  });
  return writeJson({ id: plan.id, model: plan.ask.model.snapshot, results });
}
