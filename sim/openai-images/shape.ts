import { either, flag, integer, list, oneOf, type Shape, struct, text } from '../request/shape.ts';

const reference = struct({ image_url: text(), file_id: text() });

const shared = {
  model: text(),
  'prompt!': text({ max: 32_000 }),
  n: integer(1, 10),
  size: text(),
  quality: oneOf('auto', 'low', 'medium', 'high', 'standard', 'hd'),
  background: oneOf('auto', 'transparent', 'opaque'),
  output_format: oneOf('png', 'jpeg', 'webp', 'gif', 'svg'),
  output_compression: integer(0, 100),
  partial_images: integer(0, 3),
  response_format: oneOf('url', 'b64_json'),
  stream: flag,
  user: text(),
};

export type Purpose = 'generations' | 'edits' | 'variations';

/** Edits take their pictures as files of a form or, in JSON, by reference. */
export const IMAGE_REQUESTS: Readonly<Record<Purpose | 'form', Shape>> = {
  generations: struct({ ...shared, moderation: oneOf('auto', 'low'), style: oneOf('vivid', 'natural') }),
  variations: struct({
    ...{ model: text(), 'image!': list(text(), { min: 1, max: 1 }), n: integer(1, 10) },
    ...{ response_format: oneOf('url', 'b64_json'), size: text(), user: text() },
  }),
  edits: struct({
    ...shared,
    'images!': list(reference, { min: 1, max: 16 }),
    mask: reference,
    input_fidelity: oneOf('low', 'high'),
  }),
  form: struct({
    ...shared,
    'image!': either(list(text(), { min: 1, max: 16 }), text()),
    mask: text(),
    input_fidelity: oneOf('low', 'high'),
  }),
};
