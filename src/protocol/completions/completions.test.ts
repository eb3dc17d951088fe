import { describe, expect, it } from 'vitest';
import { READ_AGAIN_BYTES_MAX } from '../../bounds.ts';
import { isRefusal } from '../../kernel/errors.ts';
import type { RawRequest, RequestFacts } from '../dialect.ts';
import { countTokens } from '../meter/tokens.ts';
import { completions } from './dialect.ts';

function raw(body: object): RawRequest {
  return { body: Buffer.from(JSON.stringify(body)), contentType: 'application/json', path: undefined };
}

async function read(body: object): Promise<RequestFacts> {
  const facts = await completions.readRequest(raw({ model: 'm', ...body }));
  if (isRefusal(facts)) throw new Error(`${facts.error.code} ${facts.message}`);
  return facts;
}

describe('a completion', () => {
  it('has an answer for each prompt, as often as it is tried', async () => {
    const answers = async (body: object): Promise<number> => (await read(body)).answers;
    expect(await answers({ prompt: 'x' })).toBe(1);
    expect(await answers({})).toBe(1);
    expect(await answers({ prompt: [] })).toBe(1);
    expect(await answers({ prompt: ['x', 'y', 'z'], n: 2 })).toBe(6);
    expect(await answers({ prompt: ['x', 'y', 'z'], n: 2, best_of: 5 })).toBe(15);
    expect(await answers({ prompt: [1, 2, 3] })).toBe(1);
    expect(await answers({ prompt: [[1, 2, 3], [4]] })).toBe(2);
    expect(await answers({ prompt: 'x'.repeat(2 * READ_AGAIN_BYTES_MAX) })).toBe(1);
    expect(await answers({ prompt: ['x'.repeat(2 * READ_AGAIN_BYTES_MAX)] })).toBeGreaterThanOrEqual(1);
  });

  it('with too many answers is refused', async () => {
    const prompt = Array.from({ length: 129 }, () => 'x');
    await expect(read({ prompt })).rejects.toThrow('40004 A call has at most 128 answers');
    await expect(read({ prompt: ['x', 'y'], best_of: 65 })).rejects.toThrow('40004');
    await expect(read({ prompt: 'x', best_of: 129 })).rejects.toThrow('40004');
  });

  it('is limited by max_tokens, and its ids are tokens', async () => {
    expect(await read({ prompt: 'x', max_tokens: 7 })).toMatchObject({ outputTokensMax: 7, edit: false });
    expect((await read({ prompt: 'x' })).outputTokensMax).toBeUndefined();
    const ids = Array.from({ length: 1_000 }, (_, index) => index);
    const facts = await read({ prompt: ids });
    expect(facts.inputTokensEstimate).toBeGreaterThanOrEqual(1_000);
    expect(completions.countInput(raw({ model: 'm', prompt: ids }), facts)).toBeGreaterThanOrEqual(1_000);
  });

  it('counts prompt and suffix', async () => {
    const body = { model: 'm', prompt: ['one text', 'another text'], suffix: 'and an end' };
    const wanted = [...body.prompt, body.suffix].reduce((sum, each) => sum + countTokens(each), 0);
    expect(completions.countInput(raw(body), await read(body))).toBe(wanted);
  });

  it('as a stream asks for the usage, and keeps what only we asked for', async () => {
    const request = raw({ model: 'm', prompt: 'x', stream: true });
    const facts = await read({ prompt: 'x', stream: true });
    const sent = Buffer.concat(completions.spliceRequest(request, facts, 'vendor')).toString();
    expect(JSON.parse(sent)).toMatchObject({ model: 'vendor', stream_options: { include_usage: true } });
    const relay = completions.relayStream('sse', facts, 'platform');
    const chunk =
      '{"model":"vendor","choices":[{"index":0,"text":" hello","finish_reason":null}],"usage":null}';
    expect(relay.push(Buffer.from(`data: ${chunk}\n\n`))?.toString()).toBe(
      'data: {"model":"platform","choices":[{"index":0,"text":" hello","finish_reason":null}]}\n\n',
    );
    expect(relay.usage()).toMatchObject({ usage: { outputText: 1 }, estimated: true });
    const report = '{"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":1}}';
    expect(relay.push(Buffer.from(`data: ${report}\n\ndata: [DONE]\n\n`))?.toString()).toBe(
      'data: [DONE]\n\n',
    );
    expect(relay.usage()).toMatchObject({ usage: { inputFresh: 3, outputText: 1 }, estimated: false });
    expect(relay.finish().complete).toBe(true);
  });
});
