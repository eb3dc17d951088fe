import { content, envelope, type Frame, terminator } from '../answer/frame.ts';
import { samplePicture } from '../answer/picture.ts';
import type { Plan } from '../answer/plan.ts';
import { twistUsage, writeJson } from '../answer/usage.ts';
import { IMAGE_TOKENS } from '../openai-chat/read.ts';
import { numeric, string } from '../request/json.ts';
import { pictures } from './read.ts';
import type { Purpose } from './shape.ts';

export function plainImages(plan: Plan): string {
  const { body, model, images } = plan.ask;
  const old = model.vendor === 'openai' && model.image === 'dall-e';
  const data = Array.from({ length: images }, () =>
    old && body.response_format !== 'b64_json'
      ? { url: `https://images.invalid/${plan.id}.png`, revised_prompt: string(body.prompt) }
      : { b64_json: samplePicture(plan.random).toString('base64') },
  );
  const usage = old ? undefined : twistUsage(plan.directive.usage, usageOf(plan));
  return writeJson({
    created: plan.createdSeconds,
    ...(old ? {} : options(plan)),
    data,
    ...(usage === undefined ? {} : { usage }),
  });
}

function options(plan: Plan): object {
  const { body } = plan.ask;
  const chosen = (name: string, otherwise: string): string => {
    const value = string(body[name]);
    return value === '' || value === 'auto' ? otherwise : value;
  };
  return {
    background: chosen('background', 'opaque'),
    output_format: chosen('output_format', 'png'),
    quality: chosen('quality', 'medium'),
    size: chosen('size', '1024x1024'),
  };
}

function usageOf(plan: Plan): object {
  const { input, output } = plan.counts;
  const imageTokens = IMAGE_TOKENS * pictures(plan.ask.body);
  return {
    input_tokens: input,
    input_tokens_details: { text_tokens: input - imageTokens, image_tokens: imageTokens },
    output_tokens: output,
    total_tokens: input + output,
  };
}

/** Partial pictures are not charged; each picture ends with `completed`, and there is no `[DONE]`. */
export function* framesOfImages(plan: Plan, purpose: Purpose): Iterable<Frame> {
  const prefix = purpose === 'generations' ? 'image_generation' : 'image_edit';
  const { images, imageTokens, body } = plan.ask;
  const shared = { created_at: plan.createdSeconds, ...options(plan) };
  const picture = (): string => samplePicture(plan.random).toString('base64');
  for (let index = 0; index < images; index++) {
    for (let partial = 0; partial < (numeric(body.partial_images) ?? 0); partial++) {
      const type = `${prefix}.partial_image`;
      const data = writeJson({ type, ...shared, b64_json: picture(), partial_image_index: partial });
      yield content({ event: type, data, output: 0 });
    }
    const usage = twistUsage(plan.directive.usage, usageOf(plan));
    const type = `${prefix}.completed`;
    const data = writeJson({
      type,
      ...shared,
      b64_json: picture(),
      ...(usage === undefined ? {} : { usage }),
    });
    const last = index === images - 1;
    yield { ...(last ? terminator(data, type) : envelope(data, type)), output: imageTokens, images: 1 };
  }
}
