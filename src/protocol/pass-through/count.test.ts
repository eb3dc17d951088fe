import { describe, expect, it } from 'vitest';
import { READ_AGAIN_BYTES_MAX } from '../../bounds.ts';
import { isRefusal } from '../../kernel/errors.ts';
import {
  type CountProtocol,
  countBody,
  countLocally,
  isCount,
  readCountRequest,
  writeCount,
} from './count.ts';

const path = { model: 'acme/gemini', stream: false, framing: 'json-array' } as const;

async function read(protocol: CountProtocol, body: string) {
  const raw = {
    body: Buffer.from(body),
    contentType: 'application/json',
    path: protocol === 'gemini' ? path : undefined,
  };
  const request = await readCountRequest(protocol, raw);
  if (isRefusal(request)) return expect.unreachable(request.message);
  return request;
}

async function sent(protocol: CountProtocol, body: string, forwardModel = 'fwd'): Promise<string> {
  const pieces = await countBody(protocol, await read(protocol, body), forwardModel);
  if (isRefusal(pieces)) return expect.unreachable(pieces.message);
  return Buffer.concat(pieces).toString();
}

describe('the vendor’s request of a count', () => {
  it('is the client’s, with the vendor’s model name', async () => {
    const body = '{ "n":1.0, "model": "acme/x", "messages":[{"role":"user","content":"model"}] }';
    expect(await sent('messages', body)).toBe(body.replace('"acme/x"', '"fwd"'));
    expect(await sent('responses', '{"model":"acme/x","input":"hi"}')).toBe('{"model":"fwd","input":"hi"}');
  });

  it('has plain contents unchanged, because Google has the model in the path', async () => {
    const body = '{"contents":[{"parts":[{"text":"hi"}]}]}';
    expect(await sent('gemini', body)).toBe(body);
  });

  const CONTENTS = '"contents":[{"parts":[{"text":"hi"}]}]';

  it.each([
    [
      'an envelope',
      `{"generateContentRequest":{"model":"models/acme/gemini",${CONTENTS},"tools":[]}}`,
      `{"model":"models/fwd",${CONTENTS},"tools":[]}`,
    ],
    [
      'an envelope in the other spelling',
      `{"generate_content_request": {${CONTENTS}, "system_instruction":{}} }`,
      `{"model":"models/fwd",${CONTENTS}, "system_instruction":{}}`,
    ],
    ['an empty envelope', '{"generateContentRequest":{ }}', '{"model":"models/fwd" }'],
    [
      'a whole request without an envelope',
      `{${CONTENTS},"systemInstruction":{"parts":[]}}`,
      `{"model":"models/fwd",${CONTENTS},"systemInstruction":{"parts":[]}}`,
    ],
    [
      'a request that names a model',
      `{"model":"acme/gemini",${CONTENTS}}`,
      `{"model":"models/fwd",${CONTENTS}}`,
    ],
  ])('has %s in Google’s envelope, with the model inside', async (_, body, inner) => {
    expect(await sent('gemini', body)).toBe(`{"generateContentRequest":${inner}}`);
  });

  it('keeps a model name with its collection', async () => {
    const body = `{"generateContentRequest":{${CONTENTS}}}`;
    expect(await sent('gemini', body, 'tunedModels/t')).toContain('"model":"tunedModels/t"');
  });

  it('is left unchanged when the envelope is invalid', async () => {
    expect(await sent('gemini', '{"generateContentRequest":null}')).toBe('{"generateContentRequest":null}');
  });

  it('is refused when it is not JSON, or has no model', async () => {
    const raw = { body: Buffer.from('{"contents":'), contentType: '', path };
    expect(await readCountRequest('gemini', raw)).toMatchObject({ error: { code: 40002 } });
    const nameless = { body: Buffer.from('{"messages":[]}'), contentType: '', path: undefined };
    expect(await readCountRequest('messages', nameless)).toMatchObject({ error: { code: 40003 } });
  });
});

describe('the gateway’s own count', () => {
  const text = 'The quick brown fox jumps over the lazy dog. '.repeat(20);
  const contents = JSON.stringify([{ role: 'user', parts: [{ text }] }]);

  it('is the same with an envelope and without', async () => {
    const bare = countLocally('gemini', await read('gemini', `{"contents":${contents}}`));
    const inside = `{"generate_content_request":{"contents":${contents}}}`;
    expect(countLocally('gemini', await read('gemini', inside))).toBe(bare);
    expect(bare).toBeGreaterThan(190);
    expect(bare).toBeLessThan(220);
  });

  it('counts tools and instructions', async () => {
    const ask = async (more: string): Promise<number> =>
      countLocally('messages', await read('messages', `{"model":"m","messages":[]${more}}`));
    const plain = await ask('');
    expect(await ask(`,"system":${JSON.stringify(text)}`)).toBeGreaterThan(plain + 150);
    const tools = [{ name: 'weather', description: text, input_schema: { type: 'object' } }];
    expect(await ask(`,"tools":${JSON.stringify(tools)}`)).toBeGreaterThan(plain + 150);
  });

  it('is an estimate for a body too large to be read at once', async () => {
    const large = 'word '.repeat(READ_AGAIN_BYTES_MAX / 5 + 1);
    const request = await read('messages', JSON.stringify({ model: 'm', system: large, messages: [] }));
    expect(countLocally('messages', request)).toBe(request.facts.inputTokensLikely);
  });
});

describe('the answer of a count', () => {
  it.each([
    ['messages', '{"input_tokens":12}', true],
    ['messages', '{"input_tokens":0}', true],
    ['messages', '{"input_tokens":-1}', false],
    ['messages', '{"input_tokens":"12"}', false],
    ['messages', '{"totalTokens":12}', false],
    ['messages', '{"type":"error"}', false],
    ['messages', '<html>12</html>', false],
    ['messages', '[]', false],
    ['messages', '', false],
    ['responses', '{"object":"response.input_tokens","input_tokens":3}', true],
    ['gemini', '{\n  "totalTokens": 31\n}\n', true],
    ['gemini', '{"totalTokens":1e300}', false],
  ] as const)('of %s: %s is a count: %s', (protocol, body, expected) => {
    expect(isCount(protocol, Buffer.from(body))).toBe(expected);
  });

  it('of the gateway itself is valid', () => {
    for (const protocol of ['messages', 'responses', 'gemini'] as const) {
      expect(isCount(protocol, Buffer.from(writeCount(protocol, 7)))).toBe(true);
    }
  });
});
