import { describe, expect, it } from 'vitest';
import { IMAGES_PER_CALL_MAX } from '../../../bounds.ts';
import { Relay } from '../../pass-through/relay.ts';
import { responses } from '../dialect.ts';
import { ResponsesEventReader } from './stream.ts';

const made = { id: 'ig_1', type: 'image_generation_call', status: 'completed', result: 'iVBORw0KGgo=' };
const message = { id: 'msg_1', type: 'message', content: [{ type: 'output_text', text: 'x', result: 'y' }] };
const usage = { input_tokens: 1, output_tokens: 2 };

const ITEMS: readonly (readonly [string, object, number])[] = [
  ['a finished picture', made, 1],
  ['one whose status was forgotten', { ...made, status: 'generating' }, 1],
  ['one without a result', { ...made, result: null }, 0],
  ['one with an empty result', { ...made, result: '' }, 0],
  ['a message', message, 0],
  ['a message that speaks of one', { ...message, result: 'image_generation_call' }, 0],
];

function streamed(events: readonly object[]): number {
  const relay = new Relay('sse', new ResponsesEventReader(), 'm');
  for (const event of events) relay.push(Buffer.from(`data: ${JSON.stringify(event)}\n\n`));
  return relay.usage().usage.images;
}

const done = (item: object): object => ({ type: 'response.output_item.done', output_index: 0, item });
const ended = (type: string, output: readonly object[]): object => ({ type, response: { output, usage } });
const completed = (output: readonly object[]): object => ended('response.completed', output);

describe('images of the image tool', () => {
  it.each(ITEMS)('%s', (_name, item, count) => {
    const body = Buffer.from(JSON.stringify({ status: 'completed', output: [message, item], usage }));
    expect(responses.readResponse(body, 'm').usage?.images).toBe(count);
    expect(streamed([done(item)])).toBe(count);
    expect(streamed([completed([message, item])])).toBe(count);
  });

  it('count once, although the whole response repeats them', () => {
    expect(streamed([done(made), done(message), done(made), completed([made, message, made])])).toBe(2);
  });

  it('count when the vendor emits them only one by one', () => {
    expect(streamed([done(made), completed([])])).toBe(1);
  });

  it.each(['response.incomplete', 'response.failed'])('count after %s', (type) => {
    expect(streamed([ended(type, [made])])).toBe(1);
  });

  it('do not count when they are starts or partial images', () => {
    const partial = {
      type: 'response.image_generation_call.partial_image',
      partial_image_b64: 'iVBORw0KGgo=',
    };
    const added = { type: 'response.output_item.added', item: made };
    expect(streamed([ended('response.created', [made]), added, partial])).toBe(0);
  });

  it('do not count behind the end', () => {
    expect(streamed([completed([]), done(made), completed([made])])).toBe(0);
  });

  it('count up to the bound per call', () => {
    const output = Array.from({ length: IMAGES_PER_CALL_MAX + 1 }, () => made);
    expect(streamed([completed(output)])).toBe(IMAGES_PER_CALL_MAX);
    const body = Buffer.from(JSON.stringify({ status: 'completed', output, usage }));
    expect(responses.readResponse(body, 'm').usage?.images).toBe(IMAGES_PER_CALL_MAX);
    const silent = Buffer.from(JSON.stringify({ status: 'completed', output: [made] }));
    expect(responses.readResponse(silent, 'm')).toMatchObject({ usage: undefined, images: 1 });
  });
});
