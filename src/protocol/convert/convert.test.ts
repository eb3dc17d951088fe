import { describe, expect, it } from 'vitest';
import { someCapabilities, someTarget } from '../../../test/support/hub.ts';
import { WHOLE_REQUEST_BYTES_MAX, WHOLE_REQUEST_VALUES_MAX } from '../../bounds.ts';
import { isRefusal } from '../../kernel/errors.ts';
import { WHOLE_ANSWER_VALUES_MAX } from '../bounds.ts';
import type { RawRequest } from '../dialect.ts';
import type { Target } from '../hub/codec.ts';
import { wrapSignatures } from '../hub/envelope.ts';
import type { TextProtocol } from '../hub/protocol.ts';
import { IDENTITY, PROTOCOLS } from '../suite/pairs.ts';
import { type Conversion, convertRequest, readClientRequest, returnOwnSignatures } from './convert.ts';

function raw(body: unknown): RawRequest {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return { body: Buffer.from(text), contentType: 'application/json', path: undefined };
}

function convert(protocol: TextProtocol, body: unknown, target: Target): Conversion {
  const client = readClientRequest(protocol, raw(body));
  if (isRefusal(client)) throw new Error(client.message);
  const conversion = convertRequest(client, target, IDENTITY);
  if (isRefusal(conversion)) throw new Error(conversion.message);
  return conversion;
}

async function returned(returning: ReturnType<typeof returnOwnSignatures>): Promise<string> {
  const body = await returning;
  if (isRefusal(body)) throw new Error(body.message);
  return body.body.toString();
}

function requireAnswer(conversion: Conversion, body: unknown): Record<string, unknown> {
  const answer = conversion.convertAnswer(Buffer.from(JSON.stringify(body)));
  if (!Buffer.isBuffer(answer)) throw new Error(`no answer: ${JSON.stringify(answer)}`);
  return JSON.parse(answer.toString());
}

const CHAT = {
  model: 'platform-model',
  messages: [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'Weather in Oslo?' },
  ],
  tools: [
    { type: 'function', function: { name: 'weather', parameters: { type: 'object', properties: {} } } },
  ],
};

const MESSAGES_CALL = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'vendor-model',
  content: [
    { type: 'thinking', thinking: 'Oslo, then.', signature: 'sig-1' },
    { type: 'text', text: 'Let me look.' },
    { type: 'tool_use', id: 'toolu_1', name: 'weather', input: { city: 'Oslo' } },
  ],
  stop_reason: 'tool_use',
  stop_sequence: null,
  usage: { input_tokens: 10, output_tokens: 5, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 },
};

describe('a request', () => {
  it.each(PROTOCOLS.slice(1))('of Chat Completions reaches a vendor that speaks %s', (protocol) => {
    const { body } = convert('chat', CHAT, someTarget({ protocol }));
    const text = body.toString();
    expect(() => JSON.parse(text)).not.toThrow();
    expect(text).toContain('Be brief.');
    expect(text).toContain('Weather in Oslo?');
    expect(text).toContain('"weather"');
    expect(convert('chat', CHAT, someTarget({ protocol })).body.equals(body)).toBe(true);
  });

  it('that is not a JSON object is refused with 40002', () => {
    for (const body of ['{', '[]', '']) {
      expect(readClientRequest('chat', raw(body))).toMatchObject({ kind: 'refusal', error: { code: 40002 } });
    }
  });

  it.each([
    ['chat', { ...CHAT, n: 2 }, 'n: the vendor gives one answer at a time'],
    [
      'gemini',
      { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }], generationConfig: { candidateCount: 2 } },
      'generationConfig.candidateCount: the vendor gives one answer at a time',
    ],
  ] as const)('of %s for several answers is refused in the client’s terms', (protocol, body, message) => {
    for (const target of ['responses', 'messages'] as const) {
      expect(() => convert(protocol, body, someTarget({ protocol: target }))).toThrow(message);
    }
  });

  it('with content that the target cannot carry is refused with 40004 and its place', () => {
    const audio = { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } };
    const client = readClientRequest(
      'chat',
      raw({ ...CHAT, messages: [{ role: 'user', content: [audio] }] }),
    );
    if (isRefusal(client)) throw new Error(client.message);
    const refusal = convertRequest(client, someTarget({ protocol: 'messages' }), IDENTITY);
    expect(refusal).toMatchObject({ kind: 'refusal', error: { code: 40004 } });
    expect((refusal as { message: string }).message).toContain('audio');
  });

  it('reports what each target drops, and nothing of another target', () => {
    const client = readClientRequest('chat', raw({ ...CHAT, seed: 7, logit_bias: { 1: 2 } }));
    if (isRefusal(client)) throw new Error(client.message);
    const first = convertRequest(client, someTarget({ protocol: 'messages' }), IDENTITY) as Conversion;
    const second = convertRequest(client, someTarget({ protocol: 'gemini' }), IDENTITY) as Conversion;
    expect([...first.dropped].sort()).toEqual(['logit_bias', 'seed']);
    expect(second.dropped).toEqual(['logit_bias']);
  });
});

describe('an answer', () => {
  it('has the platform’s model, the text and the call, and stores the signatures of a Chat client', () => {
    const conversion = convert('chat', CHAT, someTarget());
    const answer = requireAnswer(conversion, MESSAGES_CALL) as {
      model: string;
      choices: { message: { content: string; tool_calls: { id: string; function: unknown }[] } }[];
    };
    expect(answer.model).toBe('platform-model');
    const message = answer.choices[0]?.message;
    expect(message?.content).toBe('Let me look.');
    expect(message?.tool_calls[0]).toMatchObject({
      id: 'toolu_1',
      function: { name: 'weather', arguments: '{"city":"Oslo"}' },
    });
    expect([...conversion.kept]).toEqual([
      [
        'toolu_1',
        [
          {
            issuer: 'v1-c1-m1',
            form: 'signature',
            place: 'reasoning',
            value: 'sig-1',
            text: 'Oslo, then.',
            beforeText: true,
          },
        ],
      ],
    ]);
  });

  it('of the next turn returns thinking to its vendor, in order', () => {
    const first = requireAnswer(convert('chat', CHAT, someTarget()), MESSAGES_CALL) as {
      choices: { message: object }[];
    };
    const messages = [
      ...CHAT.messages,
      first.choices[0]?.message,
      { role: 'tool', tool_call_id: 'toolu_1', content: 'Rain.' },
    ];
    const next = JSON.parse(convert('chat', { ...CHAT, messages }, someTarget()).body.toString());
    expect(next.messages[1].content).toEqual(MESSAGES_CALL.content);
    expect(next.messages[2].content[0]).toMatchObject({ type: 'tool_result', tool_use_id: 'toolu_1' });
    const elsewhere = convert(
      'chat',
      { ...CHAT, messages },
      someTarget({ issuer: 'v2-c2-m2' }),
    ).body.toString();
    expect(elsewhere).not.toContain('sig-1');
  });

  it('that is an error inside a 200 is an error', () => {
    const conversion = convert('chat', CHAT, someTarget());
    const error = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };
    expect(conversion.convertAnswer(Buffer.from(JSON.stringify(error)))).toMatchObject({
      message: 'Overloaded',
    });
  });

  it('that is not JSON is a failure', () => {
    expect(convert('chat', CHAT, someTarget()).convertAnswer(Buffer.from('<html>'))).toBeUndefined();
  });

  it('stops at the client’s stop sequence, although Responses has none', () => {
    const target = someTarget({ protocol: 'responses' });
    const conversion = convert('chat', { ...CHAT, stop: ['END'] }, target);
    expect(conversion.body.toString()).not.toContain('END');
    expect(conversion.dropped).toEqual([]);
    const answer = requireAnswer(conversion, {
      id: 'resp_1',
      object: 'response',
      status: 'completed',
      output: [
        {
          type: 'message',
          id: 'msg_1',
          role: 'assistant',
          status: 'completed',
          content: [{ type: 'output_text', text: 'one END two', annotations: [] }],
        },
        {
          type: 'function_call',
          id: 'fc_1',
          call_id: 'c1',
          name: 'weather',
          arguments: '{}',
          status: 'completed',
        },
      ],
    }) as { choices: { message: { content: string; tool_calls?: unknown }; finish_reason: string }[] };
    expect(answer.choices[0]?.message.content).toBe('one ');
    expect(answer.choices[0]?.message.tool_calls).toBeUndefined();
    expect(answer.choices[0]?.finish_reason).toBe('stop');
  });
});

describe('a request that would block the process', () => {
  const many = (values: number): string =>
    `{"model":"m","messages":[{"role":"user","content":"q"}],"tools":[${'0,'.repeat(values)}0]}`;
  const long = (bytes: number): string =>
    `{"model":"m","messages":[{"role":"user","content":"${'x'.repeat(bytes)}"}]}`;

  it.each([
    ['more values than any client sends', many(WHOLE_REQUEST_VALUES_MAX)],
    ['more bytes than are converted', long(WHOLE_REQUEST_BYTES_MAX)],
  ])('is refused with %s', async (_name, body) => {
    const refused = {
      error: { code: 40004 },
      message: expect.stringContaining('32 MiB, 5 MiB of text with escapes, or 50000 JSON values'),
    };
    expect(readClientRequest('chat', raw(body))).toMatchObject(refused);
    expect(await returnOwnSignatures('chat', raw(body), someTarget())).toMatchObject(refused);
  });

  it('is refused as an answer, too', () => {
    const logprobs = `[${'0,'.repeat(WHOLE_ANSWER_VALUES_MAX)}0]`;
    const answer = `{"type":"message","role":"assistant","content":[],"logprobs":${logprobs}}`;
    expect(convert('chat', CHAT, someTarget()).convertAnswer(Buffer.from(answer))).toBeUndefined();
  });

  it('is read up to the bound', () => {
    const read = readClientRequest('chat', raw(long(WHOLE_REQUEST_BYTES_MAX - 100)));
    expect(isRefusal(read)).toBe(false);
  });
});

describe('a body that stays in its protocol', () => {
  const target = someTarget({ capabilities: someCapabilities() });
  const thinking = (issuer: string) => ({
    type: 'thinking',
    thinking: 't',
    signature: wrapSignatures([{ issuer, form: 'signature', place: 'reasoning', value: 'sig-1' }]),
  });
  const body = (issuer: string) => ({
    model: 'm',
    max_tokens: 9,
    messages: [
      { role: 'user', content: 'q' },
      { role: 'assistant', content: [thinking(issuer), { type: 'text', text: 'a' }] },
      { role: 'user', content: 'go on' },
    ],
  });

  it('gets its envelopes opened for their issuer, and loses them for all others', async () => {
    const own = await returned(returnOwnSignatures('messages', raw(body('v1-c1-m1')), target));
    expect(JSON.parse(own).messages[1].content[0]).toEqual({
      type: 'thinking',
      thinking: 't',
      signature: 'sig-1',
    });
    const foreign = await returned(returnOwnSignatures('messages', raw(body('v9')), target));
    expect(JSON.parse(foreign).messages[1].content).toEqual([{ type: 'text', text: 'a' }]);
  });

  it('is refused when it is not JSON', async () => {
    expect(await returnOwnSignatures('messages', raw('{'), target)).toMatchObject({ error: { code: 40002 } });
  });
});
