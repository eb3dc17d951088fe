import { countTokens } from '../answer/tokens.ts';
import type { VendorRequest } from '../dialect.ts';
import type { OpenaiModel } from '../models.ts';
import { readBody } from '../openai/body.ts';
import { invalid } from '../openai/error.ts';
import { IMAGE_TOKENS } from '../openai-chat/read.ts';
import type { Ask, Reply } from '../request/ask.ts';
import { type Json, numeric, string } from '../request/json.ts';
import { parseForm } from '../request/multipart.ts';

const NUMBERS = new Set(['n', 'output_compression', 'partial_images']);

/** JSON as it is; a form as the same object, its files counted and not kept. */
export function readImageBody(
  request: VendorRequest,
): { readonly value: Json; readonly form: 'form' | 'json' } | Reply {
  const contentType = request.headers['content-type'] ?? '';
  if (!contentType.startsWith('multipart/form-data')) {
    const body = readBody(request.body);
    return 'kind' in body ? body : { value: body.value, form: 'json' };
  }
  const fields = parseForm(contentType, request.body);
  if (fields === undefined) return invalid('Could not parse multipart form', null, null);
  const value: Record<string, unknown> = {};
  const files: string[] = [];
  for (const { name, filename, data } of fields) {
    if (name === 'image' || name === 'image[]') files.push(filename ?? 'image');
    else if (name === 'mask') value[name] = filename ?? 'mask';
    else value[name] = fieldValue(name, data.toString());
  }
  return { value: { ...value, ...(files.length > 0 ? { image: files } : {}) }, form: 'form' };
}

/** Numbers and flags of a form are text on the wire. */
function fieldValue(name: string, written: string): unknown {
  if (NUMBERS.has(name) && /^\d{1,9}$/.test(written)) return Number(written);
  if (name === 'stream' && (written === 'true' || written === 'false')) return written === 'true';
  return written;
}

const TOKENS_BY_QUALITY: ReadonlyMap<string, number> = new Map([
  ['low', 272],
  ['medium', 1056],
  ['high', 4160],
]);

export function readImages(body: Json, model: OpenaiModel, key: string): Ask {
  return {
    kind: 'ask',
    model,
    stream: body.stream === true ? 'stream' : 'plain',
    // A variation has no prompt.
    text: string(body.prompt) || string(body.user),
    inputTokens: countTokens(string(body.prompt)) + IMAGE_TOKENS * pictures(body),
    outputTokensMax: undefined,
    stops: [],
    tools: [],
    choice: 'auto',
    parallel: 'many',
    toolRounds: 0,
    format: undefined,
    thinking: 'never',
    thoughts: 'hidden',
    images: numeric(body.n) ?? 1,
    imageTokens: TOKENS_BY_QUALITY.get(string(body.quality)) ?? 1056,
    copies: 1,
    body,
    key,
  };
}

/** Pictures that were sent in. */
export function pictures(body: Json): number {
  const sent = body.images ?? body.image ?? [];
  return Array.isArray(sent) ? sent.length : 1;
}
