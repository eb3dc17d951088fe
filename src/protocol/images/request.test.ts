import { expect, it } from 'vitest';
import type { RequestFacts } from '../dialect.ts';
import { images } from './dialect.ts';

function read(body: object): unknown {
  return images.readRequest({
    body: Buffer.from(JSON.stringify({ model: 'm', ...body })),
    contentType: 'application/json',
    path: undefined,
  });
}

function readForm(fields: Readonly<Record<string, string>>): unknown {
  const parts = Object.entries({ model: 'm', ...fields }).map(
    ([name, value]) => `--B\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  const body = Buffer.from(`${parts.join('')}--B--\r\n`);
  return images.readRequest({ body, contentType: 'multipart/form-data; boundary=B', path: undefined });
}

it.each([
  [1, {}],
  [3, { n: 3 }],
  [4, { batch_size: 4 }],
  [4, { n: 1, batch_size: 4 }],
  [2, { num_images: 2 }],
  [15, { sequential_image_generation_options: { max_images: 15 } }],
])('%i images are asked for by %j, in the words of several vendors', (count, body) => {
  expect(read({ prompt: 'a boat', ...body })).toMatchObject({ images: count });
});

it('and in a form', () => {
  expect(readForm({ prompt: 'a boat', n: '2', batch_size: '4' })).toMatchObject({ images: 4 });
  const refused = { error: { code: 40004 }, message: expect.stringContaining('"num_images" must be') };
  expect(readForm({ prompt: 'a boat', num_images: 'many' })).toMatchObject(refused);
});

it.each([[['a', 'b']], [{ text: 'a' }], [7], [true]])('a prompt that is no text is refused: %j', (prompt) => {
  const message = '"prompt" must be a text';
  expect(read({ prompt })).toMatchObject({ error: { code: 40004 }, message });
});

it('a request without a prompt is the vendor’s to refuse', () => {
  expect((read({ prompt: null }) as RequestFacts).images).toBe(1);
});
