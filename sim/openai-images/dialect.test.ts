import OpenAI, { toFile } from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { seededRandom } from '../../src/kernel/random.ts';
import { samplePicture } from '../answer/picture.ts';
import { type Simulator, startSimulator } from '../server.ts';

let simulator: Simulator;
let client: OpenAI;

beforeAll(async () => {
  simulator = await startSimulator();
  client = new OpenAI({ baseURL: `${simulator.url}/v1`, apiKey: 'sk-sim-openai', maxRetries: 0 });
});
afterAll(() => simulator.close());

describe('Images, through the official SDK', () => {
  it('makes real pictures and counts them', async () => {
    const answer = await client.images.generate({
      model: 'gpt-image-1',
      prompt: 'a cat [[sim tag=i1]]',
      n: 3,
      quality: 'low',
    });
    expect(answer.data?.length).toBe(3);
    const bytes = Buffer.from(answer.data?.[0]?.b64_json ?? '', 'base64');
    expect(bytes.subarray(1, 4).toString()).toBe('PNG');
    const truth = simulator.truth.find('i1');
    expect(truth).toMatchObject({ images: 3, outputTokens: 816 });
    expect(answer.usage).toMatchObject({ input_tokens: truth?.inputTokens, output_tokens: 816 });
  });

  it('streams partial pictures that are not charged, then the one that is', async () => {
    const stream = await client.images.generate({
      model: 'gpt-image-1',
      prompt: 'a cat [[sim tag=i2]]',
      stream: true,
      partial_images: 2,
    });
    const types: string[] = [];
    for await (const event of stream) types.push(event.type);
    expect(types).toEqual([
      'image_generation.partial_image',
      'image_generation.partial_image',
      'image_generation.completed',
    ]);
    expect(simulator.truth.find('i2')).toMatchObject({ images: 1, stream: 'stream' });
  });

  it('edits files of a form, with their tokens as input', async () => {
    const picture = await toFile(samplePicture(seededRandom(1)), 'in.png', { type: 'image/png' });
    const answer = await client.images.edit({
      model: 'gpt-image-1',
      image: [picture, picture],
      prompt: 'green [[sim tag=i3]]',
      n: 2,
    });
    expect(answer.data?.length).toBe(2);
    expect(answer.usage?.input_tokens_details.image_tokens).toBe(2 * 765);
    expect(simulator.truth.find('i3')).toMatchObject({ images: 2, path: '/v1/images/edits' });
  });

  it('refuses what gpt-image does not take', async () => {
    const ask = (more: object): Promise<unknown> =>
      client.images.generate({ model: 'gpt-image-1', prompt: 'x', ...more });
    await expect(ask({ response_format: 'url' })).rejects.toMatchObject({
      status: 400,
      param: 'response_format',
    });
    await expect(ask({ n: 11 })).rejects.toMatchObject({ code: 'integer_above_max_value' });
    await expect(ask({ size: '7x7' })).rejects.toMatchObject({ code: 'invalid_value', param: 'size' });
    await expect(ask({ images: ['x'] })).rejects.toMatchObject({ code: 'unknown_parameter' });
    await expect(ask({ model: 'gpt-image-9' })).rejects.toMatchObject({
      status: 404,
      code: 'model_not_found',
    });
  });

  it('takes edits in JSON by reference, each an address or an id', async () => {
    const send = (images: unknown): Promise<Response> =>
      fetch(`${simulator.url}/v1/images/edits`, {
        method: 'POST',
        headers: { authorization: 'Bearer sk-sim-openai', 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'gpt-image-1', prompt: 'x', images }),
      });
    expect((await send([{ image_url: 'data:image/png;base64,AAAA' }])).status).toBe(200);
    expect((await send([{ image_url: 'a', file_id: 'b' }])).status).toBe(400);
    expect((await send([])).status).toBe(400);
  });
});
