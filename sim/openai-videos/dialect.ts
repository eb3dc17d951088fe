import { content, LINE_FEED_EVENTS } from '../answer/frame.ts';
import { newHexId } from '../answer/id.ts';
import type { Plan } from '../answer/plan.ts';
import type { Dialect, VendorRequest } from '../dialect.ts';
import { findOpenai } from '../models.ts';
import { readBody } from '../openai/body.ts';
import { describe, invalid, openaiError, openaiFailure, openaiHeaders } from '../openai/error.ts';
import { type Ask, type Reply, wordlessAsk } from '../request/ask.ts';
import { check } from '../request/check.ts';
import { type Json, string } from '../request/json.ts';
import { parseForm } from '../request/multipart.ts';
import { either, oneOf, type Shape, struct, text } from '../request/shape.ts';
import { showVideo, type Videos } from './videos.ts';

const PROMPT_CHARACTERS_MAX = 32_000;
const KIBIBYTES = 64;

const REQUEST: Shape = struct({
  'prompt!': text({ max: PROMPT_CHARACTERS_MAX }),
  model: text(),
  seconds: oneOf('4', '8', '12'),
  size: oneOf('720x1280', '1280x720', '1024x1792', '1792x1024'),
  input_reference: either(text(), struct({ file_id: text(), image_url: text() })),
});
/** Only the larger model makes the larger sizes. */
const LARGE = /1792/;
const REFERENCE = /^input_reference\[(file_id|image_url)\]$/;

/** A new video. `steps` of a directive: how often it is asked for; `tokens`: its size; `refuse`: it fails. */
export function openaiVideos(videos: Videos): Dialect {
  return {
    vendor: 'openai',
    examine,
    newAnswerId: () => `video_${newHexId(48)}`,
    plain: (plan) => create(plan, videos),
    frames: () => [],
    framing: () => LINE_FEED_EVENTS,
    headers: openaiHeaders,
    failure: openaiFailure,
    failureFrame: (message) => content({ data: message, output: 0 }),
  };
}

function examine(request: VendorRequest): Ask | Reply {
  const body = readVideoBody(request);
  if ('kind' in body) return body;
  const [problem] = check(REQUEST, body.value);
  if (problem !== undefined) return describe(problem);
  const name = string(body.value.model) || 'sora-2';
  const model = findOpenai(name);
  if (model?.kind !== 'video') {
    return openaiError(404, { message: `The model '${name}' does not exist`, code: 'model_not_found' });
  }
  if (LARGE.test(string(body.value.size)) && name !== 'sora-2-pro') {
    return invalid(`Invalid value: '${string(body.value.size)}'.`, 'size', 'invalid_value');
  }
  const words = string(body.value.prompt);
  return wordlessAsk({ model, body: body.value, key: request.key, inputTokens: 0, text: words });
}

/** JSON, or the same as a form. */
function readVideoBody(request: VendorRequest): { readonly value: Json } | Reply {
  const contentType = request.headers['content-type'] ?? '';
  if (!contentType.startsWith('multipart/form-data')) return readBody(request.body);
  const fields = parseForm(contentType, request.body);
  if (fields === undefined) return invalid('Could not parse multipart form', null, null);
  const value: Record<string, unknown> = {};
  for (const { name, filename, data } of fields) {
    const [, member] = REFERENCE.exec(name) ?? [];
    if (member === undefined) value[name] = filename ?? data.toString();
    else value.input_reference = { [member]: data.toString() };
  }
  return { value };
}

function create({ id, ask, directive }: Plan, videos: Videos): string {
  const { body, model, key } = ask;
  const video = videos.create({
    ...{ id, key, model: model.snapshot, prompt: ask.text },
    seconds: string(body.seconds) || '4',
    size: string(body.size) || '720x1280',
    steps: directive.steps,
    ending: directive.ending === 'refuse' ? 'failed' : 'completed',
    kibibytes: directive.tokens ?? KIBIBYTES,
    paceMs: directive.paceMs ?? 0,
  });
  // A prompt may be blocked at once.
  if (directive.ending === 'filter') videos.end(id, 'failed');
  return JSON.stringify(showVideo(video));
}
