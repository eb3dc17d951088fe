import { content, LINE_FEED_EVENTS } from '../answer/frame.ts';
import { newHexId } from '../answer/id.ts';
import type { Plan } from '../answer/plan.ts';
import { countTokens } from '../answer/tokens.ts';
import { twistUsage, writeJson } from '../answer/usage.ts';
import { vectorOf } from '../answer/vector.ts';
import type { Dialect, VendorRequest } from '../dialect.ts';
import { findOpenai, type OpenaiModel } from '../models.ts';
import { readBody } from '../openai/body.ts';
import { describe, invalid, openaiError, openaiFailure, openaiHeaders } from '../openai/error.ts';
import { type Ask, type Reply, wordlessAsk } from '../request/ask.ts';
import { check } from '../request/check.ts';
import { type Json, numeric } from '../request/json.ts';
import { either, integer, list, oneOf, type Shape, struct, text } from '../request/shape.ts';

const INPUTS_MAX = 2_048;
const TOKENS_MAX = 300_000;
const IDS_MAX = 8_192;
const id = integer(0, 200_000);

const REQUEST: Shape = struct({
  'model!': text(),
  'input!': either(
    text(),
    list(either(text(), id, list(id, { min: 1, max: IDS_MAX })), { min: 1, max: IDS_MAX }),
  ),
  encoding_format: oneOf('float', 'base64'),
  dimensions: integer(1),
  user: text(),
});

export const openaiEmbeddings: Dialect = {
  vendor: 'openai',
  examine,
  newAnswerId: () => `embd_${newHexId(32)}`,
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
  const name = String(body.value.model);
  const model = findOpenai(name);
  if (model?.vector === undefined) {
    const message = `The model \`${name}\` does not exist or you do not have access to it.`;
    return openaiError(404, { message, code: 'model_not_found' });
  }
  return refuse(body.value, model) ?? read(body.value, model, request.key);
}

function refuse(body: Json, model: OpenaiModel): Reply | undefined {
  const texts = textsOf(body);
  if (texts.some((each) => each === '') || isMixed(body)) return invalid("'$.input' is invalid.", null, null);
  if (texts.length > INPUTS_MAX) {
    const message = `Invalid 'input': array too long. Expected an array with maximum length ${INPUTS_MAX}.`;
    return invalid(message, 'input', 'array_above_max_length');
  }
  const dimensions = numeric(body.dimensions);
  const { size = 0, sizes } = model.vector ?? {};
  if (dimensions !== undefined && sizes === 'fixed') {
    return invalid('This model does not support specifying dimensions.', null, null);
  }
  if (dimensions !== undefined && dimensions > size) {
    const message = `Invalid value for 'dimensions' = ${dimensions}. Must be less than or equal to ${size}.`;
    return invalid(message, 'dimensions', null);
  }
  const counts = countsOf(body);
  const longest = Math.max(...counts);
  if (longest > model.contextTokens) {
    const message =
      `This model's maximum context length is ${model.contextTokens} tokens, however you requested ` +
      `${longest} tokens (${longest} in your prompt; 0 for the completion).`;
    return invalid(message, null, null);
  }
  if (counts.reduce((sum, each) => sum + each, 0) <= TOKENS_MAX) return undefined;
  return invalid(`Requested tokens exceed the maximum of ${TOKENS_MAX} tokens per request.`, null, null);
}

function isMixed({ input }: Json): boolean {
  const kinds = Array.isArray(input) ? input.map((each) => (Array.isArray(each) ? 'list' : typeof each)) : [];
  return new Set(kinds).size > 1;
}

/** Ids of tokens are their own text here: the same ids have the same vector. */
function textsOf({ input }: Json): readonly string[] {
  if (!Array.isArray(input)) return [String(input)];
  if (typeof input[0] === 'number') return [input.join(' ')];
  return input.map((each) => (Array.isArray(each) ? each.join(' ') : String(each)));
}

function countsOf({ input }: Json): readonly number[] {
  if (!Array.isArray(input)) return [countTokens(String(input))];
  if (typeof input[0] === 'number') return [input.length];
  return input.map((each) => (Array.isArray(each) ? each.length : countTokens(String(each))));
}

function read(body: Json, model: OpenaiModel, key: string): Ask {
  const inputTokens = countsOf(body).reduce((sum, each) => sum + each, 0);
  return wordlessAsk({ model, body, key, inputTokens, text: textsOf(body).join('\n') });
}

function plain(plan: Plan): string {
  const { body, model, inputTokens } = plan.ask;
  const most = model.vendor === 'openai' ? (model.vector?.size ?? 0) : 0;
  const size = numeric(body.dimensions) ?? most;
  const data = textsOf(body).map((each, index) => ({
    object: 'embedding',
    index,
    embedding: written(vectorOf(each, size), body.encoding_format === 'base64' ? 'base64' : 'float'),
  }));
  const usage = twistUsage(plan.directive.usage, { prompt_tokens: inputTokens, total_tokens: inputTokens });
  return writeJson({
    ...{ object: 'list', data, model: model.snapshot },
    ...(usage === undefined ? {} : { usage }),
  });
}

function written(vector: readonly number[], format: 'float' | 'base64'): unknown {
  return format === 'float' ? vector : Buffer.from(new Float32Array(vector).buffer).toString('base64');
}
