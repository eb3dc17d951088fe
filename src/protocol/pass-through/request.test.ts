import { describe, expect, it } from 'vitest';
import { SCAN_TURN_BYTES } from '../../bounds.ts';
import { isRefusal } from '../../kernel/errors.ts';
import type { Protocol } from '../../kernel/protocol-name.ts';
import type { RequestFacts } from '../dialect.ts';
import { getDialect } from '../registry.ts';

const path = { model: 'gemini-x', stream: false, framing: 'sse' } as const;

function read(protocol: Protocol, body: string | Buffer): RequestFacts {
  const request = { body: Buffer.from(body), contentType: 'application/json', path };
  return getDialect(protocol).readRequest(request) as RequestFacts;
}

function refusedCode(protocol: Protocol, body: string | Buffer): number | undefined {
  const facts: unknown = read(protocol, body);
  return isRefusal(facts) ? facts.error.code : undefined;
}

const WITH_MODEL = ['chat', 'responses', 'messages', 'images'] as const;

describe('a body that is not a JSON object is 40002', () => {
  it.each(['', '[]', '{"model":"m"', '{"model":"m"}x', '<html>', '\ufeff{"model":"m"}', 'null'])(
    '%j',
    (body) => {
      for (const protocol of [...WITH_MODEL, 'gemini'] as const)
        expect(refusedCode(protocol, body)).toBe(40002);
    },
  );

  it('such as a text that is not UTF-8', () => {
    expect(refusedCode('chat', Buffer.from('7b226d6f64656c223a22ff227d', 'hex'))).toBe(40002);
  });
});

describe('an invalid model name is 40003', () => {
  it.each([
    '{}',
    '{"model":null}',
    '{"model":1}',
    '{"model":""}',
    '{"model":["m"]}',
    '{"model":{"x":"m"}}',
    '{"models":"m","x":{"model":"m"}}',
    `{"model":"${'m'.repeat(257)}"}`,
    `{"model":"${'m'.repeat(200_000)}"}`,
    '{"model":"m","model":7}',
  ])('%.60s', (body) => {
    for (const protocol of WITH_MODEL) expect(refusedCode(protocol, body)).toBe(40003);
  });

  it('but a name of 256 characters with escapes is accepted', () => {
    expect(read('chat', `{"model":"${'\\u006d'.repeat(256)}"}`).model).toBe('m'.repeat(256));
  });
});

describe('the facts of a request', () => {
  it('have the larger of the two output limits of Chat Completions', () => {
    const both = '{"model":"m","max_tokens":10,"max_completion_tokens":20,"n":3}';
    expect(read('chat', both)).toMatchObject({ outputTokensMax: 20, answers: 3, images: 0, edit: false });
    const older = '{"model":"m","max_completion_tokens":1,"max_tokens":8000}';
    expect(read('chat', older).outputTokensMax).toBe(8000);
    expect(read('chat', '{"model":"m","max_tokens":10}').outputTokensMax).toBe(10);
    const spelledOut = '{"model":"m","max_completion_tokens":null,"max_tokens":10}';
    expect(read('chat', spelledOut).outputTokensMax).toBe(10);
  });

  it('have each name of Gemini in either spelling', () => {
    for (const config of ['generationConfig', 'generation_config']) {
      for (const max of ['maxOutputTokens', 'max_output_tokens']) {
        for (const count of ['candidateCount', 'candidate_count']) {
          const facts = read('gemini', JSON.stringify({ [config]: { [max]: 9, [count]: 8 } }));
          expect(facts).toMatchObject({ outputTokensMax: 9, answers: 8 });
        }
      }
    }
  });

  it('have the limits of the other protocols', () => {
    expect(read('responses', '{"model":"m","max_output_tokens":7}').outputTokensMax).toBe(7);
    expect(read('messages', '{"model":"m","max_tokens":8,"stream":true}')).toMatchObject({
      outputTokensMax: 8,
      stream: true,
    });
    expect(read('gemini', '{"generationConfig":{"maxOutputTokens":9,"candidateCount":2}}')).toMatchObject({
      outputTokensMax: 9,
      answers: 2,
    });
    expect(read('gemini', '{"generation_config":{"max_output_tokens":9}}').outputTokensMax).toBe(9);
  });

  function quantities(quantity: string) {
    const chat = read('chat', `{"model":"m","max_tokens":${quantity},"n":${quantity}}`);
    const config = `{"maxOutputTokens":${quantity},"candidateCount":${quantity}}`;
    const gemini = read('gemini', `{"generationConfig":${config}}`);
    const { images } = read('images', `{"model":"m","n":${quantity}}`);
    expect(gemini).toMatchObject({ outputTokensMax: chat.outputTokensMax, answers: chat.answers });
    return { outputMax: chat.outputTokensMax, answers: chat.answers, images };
  }

  it('have no quantity for null', () => {
    expect(quantities('null')).toEqual({ outputMax: undefined, answers: 1, images: 1 });
  });

  it.each(['5', '5.0', '5.000'])('have the quantity five for %s', (quantity) => {
    expect(quantities(quantity)).toEqual({ outputMax: 5, answers: 5, images: 5 });
  });

  it('have no limit where a vendor may read none', () => {
    for (const limit of ['0', '-1', '-5.0', '0.0']) {
      expect(read('chat', `{"model":"m","max_tokens":${limit}}`).outputTokensMax).toBeUndefined();
      const other = `{"model":"m","max_completion_tokens":${limit},"max_tokens":10}`;
      expect(read('chat', other).outputTokensMax).toBeUndefined();
    }
    expect(read('chat', '{"model":"m","n":0}').answers).toBe(1);
    expect(read('images', '{"model":"m","n":0}').images).toBe(1);
    expect(read('images', '{"model":"m"}').images).toBe(1);
  });

  it('have an image edit when it contains images', () => {
    const edits = ['"image":"data:,"', '"images":[{"file_id":"f"}]', '"image":["a"]'];
    for (const member of edits) expect(read('images', `{"model":"m",${member}}`).edit).toBe(true);
    for (const member of ['"image":null', '"images":[ ]', '"prompt":"image"']) {
      expect(read('images', `{"model":"m",${member}}`).edit).toBe(false);
    }
  });

  it('have the image tool of Responses, in any spelling', () => {
    const painters = ['"image_generation"', '"image\\u005fgeneration"'];
    const readTools = (type: string) => read('responses', `{"model":"m","tools":[{"type":${type}}]}`);
    for (const type of painters) expect(readTools(type).imageTool, type).toBe(true);
    expect(readTools('"web_search"').imageTool).toBe(false);
    expect(read('responses', '{"model":"m","input":"image_generation"}').imageTool).toBe(false);
  });

  it('leave fields of a wrong type to the vendor', () => {
    const facts = read('chat', '{"model":"m","messages":7,"temperature":"hot"}');
    expect(facts).toMatchObject({ model: 'm', stream: false });
  });

  it('have an estimate of a third of a token per byte, more for a dense text, and never less than is likely', () => {
    const estimate = (content: string): RequestFacts =>
      read('chat', JSON.stringify({ model: 'gpt-5', messages: [{ content }] }));
    const prose = estimate('some plain words '.repeat(600));
    expect(prose.inputTokensEstimate).toBeGreaterThan(10_200 / 3);
    expect(prose.inputTokensEstimate).toBeLessThan(10_200 / 2.8);
    expect(estimate('4096/8191,7!'.repeat(600)).inputTokensEstimate).toBeGreaterThan(7_200 * 0.9);
    expect(prose.inputTokensLikely).toBeLessThan(prose.inputTokensEstimate);
  });

  it('count text that looks like a file as text', () => {
    const base64 = 'QUJD'.repeat(9_000);
    const body = { model: 'claude-x', messages: [{ data: base64 }, { type: 'tool_use', input: {} }] };
    expect(read('messages', JSON.stringify(body)).inputTokensEstimate).toBeGreaterThan(base64.length / 3);
  });
});

describe('a large body', () => {
  it('is scanned in slices while the event loop turns', async () => {
    const body = Buffer.from(
      JSON.stringify({
        messages: Array(100_000).fill({ role: 'user', content: 'hello "there"\n'.repeat(6) }),
        model: 'last',
      }),
    );
    expect(body.length).toBeGreaterThan(2 * SCAN_TURN_BYTES);
    let turns = 0;
    let timer = setImmediate(function count() {
      turns++;
      timer = setImmediate(count);
    });
    const facts = await getDialect('chat').readRequest({
      body,
      contentType: 'application/json',
      path: undefined,
    });
    clearImmediate(timer);
    expect(facts).toMatchObject({ model: 'last' });
    expect(turns).toBeGreaterThanOrEqual(2);
  });

  it('is refused when its last byte is wrong', async () => {
    const body = Buffer.from(`{"model":"m","text":"${'y'.repeat(2 * SCAN_TURN_BYTES)}"]`);
    const facts = await getDialect('chat').readRequest({
      body,
      contentType: 'application/json',
      path: undefined,
    });
    expect(isRefusal(facts) && facts.error.code).toBe(40002);
  });
});
