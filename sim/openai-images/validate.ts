import type { OpenaiModel } from '../models.ts';
import { describe, invalid } from '../openai/error.ts';
import type { Reply } from '../request/ask.ts';
import { check } from '../request/check.ts';
import type { Json } from '../request/json.ts';
import { IMAGE_REQUESTS } from './shape.ts';

const SIZES: Readonly<Record<'gpt-image' | 'dall-e', readonly string[]>> = {
  'gpt-image': ['auto', '1024x1024', '1536x1024', '1024x1536'],
  'dall-e': ['1024x1024', '1792x1024', '1024x1792'],
};

/** The first thing that is wrong with a request, in the words of the vendor (rule V-9). */
export function refuseImages(
  body: Json,
  model: OpenaiModel | undefined,
  shape: keyof typeof IMAGE_REQUESTS,
): Reply | undefined {
  const [problem] = check(IMAGE_REQUESTS[shape], body);
  if (problem !== undefined) return describe(problem);
  const family = model?.image ?? 'gpt-image';
  if (family === 'gpt-image') {
    for (const name of ['response_format', 'style']) {
      if (body[name] !== undefined)
        return invalid(`Unknown parameter: '${name}'.`, name, 'unknown_parameter');
    }
  }
  if (typeof body.size === 'string' && !SIZES[family].includes(body.size)) {
    const supported = SIZES[family].map((size) => `'${size}'`).join(', ');
    return invalid(
      `Invalid value: '${body.size}'. Supported values are: ${supported}.`,
      'size',
      'invalid_value',
    );
  }
  if (body.prompt === '') {
    return invalid(
      "Invalid 'prompt': empty string. Expected a string with minimum length 1.",
      'prompt',
      'empty_string',
    );
  }
  if (body.partial_images !== undefined && body.stream !== true) {
    return invalid(
      "'partial_images' is only allowed when 'stream' is enabled.",
      'partial_images',
      'invalid_value',
    );
  }
  return refuseReferences(body);
}

/** Each picture in JSON is an address or a file id, and not both. */
function refuseReferences(body: Json): Reply | undefined {
  const references = Array.isArray(body.images) ? (body.images as Json[]) : [];
  for (const [index, reference] of references.entries()) {
    const given = [reference.image_url, reference.file_id].filter((value) => value !== undefined);
    if (given.length === 1) continue;
    const param = `images[${index}]`;
    return invalid(
      `Invalid '${param}': exactly one of 'image_url' and 'file_id' is required.`,
      param,
      'invalid_value',
    );
  }
  return undefined;
}
