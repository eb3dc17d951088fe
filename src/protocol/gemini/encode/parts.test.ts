import { describe, expect, it } from 'vitest';
import { Inexpressible } from '../../hub/notes.ts';
import type { Part, ToolCallPart, ToolResultPart } from '../../hub/part.ts';
import type { Turn } from '../../hub/request.ts';
import { createGeminiTarget, encodeBody, hubRequest } from '../suite/sample.ts';

const user = (...parts: Part[]): Turn => ({ role: 'user', parts });
const assistant = (...parts: Part[]): Turn => ({ role: 'assistant', parts });
const text = (words: string): Part => ({ kind: 'text', text: words });
const call = (more: Partial<ToolCallPart> = {}): ToolCallPart => ({
  kind: 'tool-call',
  id: 'c1',
  name: 'f',
  arguments: '{"a":1.0}',
  custom: false,
  ...more,
});
const result = (more: Partial<ToolResultPart> = {}): ToolResultPart => ({
  kind: 'tool-result',
  callId: 'c1',
  name: 'f',
  parts: [text('ok')],
  isError: false,
  custom: false,
  ...more,
});
const picture: Part = { kind: 'image', source: { kind: 'bytes', mime: 'image/png', base64: 'AAAA' } };
const SENTINEL = 'skip_thought_signature_validator';

const contentsOf = (turns: readonly Turn[], model = 'gemini-3-pro'): unknown =>
  encodeBody(hubRequest({ turns }), createGeminiTarget(model)).body.contents;

describe('a conversation for Gemini', () => {
  it('keeps system texts apart and without the attribution of Claude Code', () => {
    const system = ['x-anthropic-billing-header: a', 'one', '', 'two'].map((words) => ({
      kind: 'text' as const,
      text: words,
    }));
    const { body } = encodeBody(hubRequest({ system }));
    expect(body.systemInstruction).toEqual({ parts: [{ text: 'one' }, { text: 'two' }] });
  });

  it('sends the system as the user where no other turn exists', () => {
    const { body } = encodeBody(hubRequest({ system: [{ kind: 'text', text: 'go' }], turns: [] }));
    expect(body).toEqual({ contents: [{ role: 'user', parts: [{ text: 'go' }] }] });
  });

  it('puts system turns inside the conversation into the user turn', () => {
    const system: Turn = { role: 'system', parts: [text('short!')] };
    expect(contentsOf([user(text('a')), assistant(text('b')), system, user(text('c'))])).toEqual([
      { role: 'user', parts: [{ text: 'a' }] },
      { role: 'model', parts: [{ text: 'b' }] },
      {
        role: 'user',
        parts: [{ text: '<system-reminder>\nshort!\n</system-reminder>' }, { text: 'c' }],
      },
    ]);
  });

  it('begins and ends with the user', () => {
    expect(contentsOf([assistant(text('a')), user(text('b')), assistant(text('prefill'))])).toEqual([
      { role: 'user', parts: [{ text: 'Continue.' }] },
      { role: 'model', parts: [{ text: 'a' }] },
      { role: 'user', parts: [{ text: 'b' }] },
    ]);
  });

  it('contains no empty text and no turn without content', () => {
    const turns = [user(text('a')), assistant(text('')), user(text(''), text('b'))];
    expect(contentsOf(turns)).toEqual([{ role: 'user', parts: [{ text: 'a' }, { text: 'b' }] }]);
  });

  it('keeps arguments as they were written, and puts those that are no object under one name', () => {
    const turns = [
      user(text('a')),
      assistant(call(), call({ id: 'c2', arguments: '{"a":' })),
      user(result()),
    ];
    const { text: body } = encodeBody(hubRequest({ turns }), createGeminiTarget('gemini-2.5-pro'));
    expect(body).toContain('{"functionCall":{"id":"c1","name":"f","args":{"a":1.0}}}');
    expect(body).toContain('"args":{"_raw":"{\\"a\\":"}');
  });

  it('signs the first call of each step with the real signature or the sentinel', () => {
    const signatures = [{ issuer: 'google-1', form: 'thought', place: 'call', value: 'U0lH' }] as const;
    const turns = [
      user(text('a')),
      assistant(call(), call({ id: 'c2' })),
      user(result(), result({ callId: 'c2' })),
      assistant(call({ id: 'c3', signatures }), call({ id: 'c4' })),
      user(result({ callId: 'c3' }), result({ callId: 'c4' })),
    ];
    const sent = (model: string): unknown[] =>
      (contentsOf(turns, model) as { parts: { functionCall?: object; thoughtSignature?: string }[] }[])
        .flatMap((content) => content.parts)
        .filter((part) => part.functionCall !== undefined)
        .map((part) => part.thoughtSignature);
    expect(sent('gemini-3-pro')).toEqual([SENTINEL, undefined, 'U0lH', undefined]);
    expect(sent('gemini-2.5-pro')).toEqual([undefined, undefined, 'U0lH', undefined]);
  });

  it('returns signed thoughts and texts in their places, and no thought without a signature', () => {
    const signature = { issuer: 'google-1', form: 'thought', value: 'U0lH' } as const;
    const turns = [
      user(text('a')),
      assistant(
        { kind: 'reasoning', text: 'unsigned' },
        { kind: 'reasoning', text: 'hm', signature: { ...signature, place: 'reasoning' } },
        { kind: 'text', text: 'b', signatures: [{ ...signature, place: 'text' }] },
      ),
      user(text('c')),
    ];
    expect(contentsOf(turns)).toMatchObject([
      {},
      {
        parts: [
          { text: 'hm', thought: true, thoughtSignature: 'U0lH' },
          { text: 'b', thoughtSignature: 'U0lH' },
        ],
      },
      {},
    ]);
  });

  it('puts results first, with their error, their JSON and their text', () => {
    const results = [
      result(),
      result({ isError: true }),
      result({ parts: [text('{"a":1.0}')] }),
      result({ parts: [text('{"output":1}')] }),
      result({ parts: [text('{"$ref":"x"}')] }),
      result({ parts: [text('[1]')] }),
      result({ parts: [] }),
      result({ parts: [text('a'), text('b')] }),
    ];
    const { text: body } = encodeBody(
      hubRequest({ turns: [user(text('a')), assistant(call()), user(...results, text('go on'))] }),
    );
    const responses = [...body.matchAll(/"response":(\{.*?\})\}\}/g)].map((match) => match[1]);
    expect(responses).toEqual([
      '{"output":"ok"}',
      '{"error":"ok"}',
      '{"a":1.0}',
      '{"output":"{\\"output\\":1}"}',
      '{"output":"{\\"$ref\\":\\"x\\"}"}',
      '{"output":"[1]"}',
      '{"output":""}',
      '{"output":"a\\nb"}',
    ]);
    expect(body).toContain('}},{"text":"go on"}]');
  });

  it('contains the pictures of a result inside it, or behind all results for older models', () => {
    const turns = [
      user(text('a')),
      assistant(call(), call({ id: 'c2' })),
      user(result({ parts: [text('see'), picture] }), result({ callId: 'c2' }), text('what?')),
    ];
    const inlineData = { mimeType: 'image/png', data: 'AAAA' };
    const last = (model: string): unknown => (contentsOf(turns, model) as unknown[])[2];
    expect(last('gemini-3-pro')).toMatchObject({
      parts: [{ functionResponse: { parts: [{ inlineData }] } }, { functionResponse: {} }, { text: 'what?' }],
    });
    const older = last('gemini-2.5-pro') as { parts: object[] };
    expect(older).toMatchObject({
      parts: [{ functionResponse: {} }, { functionResponse: {} }, { inlineData }, { text: 'what?' }],
    });
    expect(older.parts[0]).not.toHaveProperty('functionResponse.parts');
  });

  it('names media as Google wants them', () => {
    const bytes = (mime: string) => ({ kind: 'bytes', mime, base64: 'AAAA' }) as const;
    const turns = [
      user(
        picture,
        { kind: 'audio', source: bytes('audio/wav') },
        { kind: 'video', source: bytes('video/mp4') },
        { kind: 'file', source: bytes('application/pdf'), filename: 'a.pdf' },
        { kind: 'file', source: { kind: 'text', text: 'plain' } },
      ),
    ];
    expect(contentsOf(turns)).toEqual([
      {
        role: 'user',
        parts: [
          { inlineData: { mimeType: 'image/png', data: 'AAAA' } },
          { inlineData: { mimeType: 'audio/wav', data: 'AAAA' } },
          { inlineData: { mimeType: 'video/mp4', data: 'AAAA' } },
          { inlineData: { mimeType: 'application/pdf', data: 'AAAA' } },
          { inlineData: { mimeType: 'text/plain', data: Buffer.from('plain').toString('base64') } },
        ],
      },
    ]);
  });

  it('keeps addresses for models that fetch them, with a type only where it is known', () => {
    const url = (address: string): Part => ({ kind: 'file', source: { kind: 'url', url: address } });
    const turns = [user(url('https://a.example/x.pdf?s=1'), url('https://a.example/x'))];
    const { body } = encodeBody(
      hubRequest({ turns }),
      createGeminiTarget('gemini-3-pro', { mediaUrls: true }),
    );
    expect(body.contents).toMatchObject([
      {
        parts: [
          { fileData: { mimeType: 'application/pdf', fileUri: 'https://a.example/x.pdf?s=1' } },
          { fileData: { fileUri: 'https://a.example/x' } },
        ],
      },
    ]);
  });

  const REFUSED: readonly (readonly [string, Part, string])[] = [
    ['an address', { kind: 'image', source: { kind: 'url', url: 'https://a.example/x.png' } }, 'image: '],
    ['a file of another vendor', { kind: 'file', source: { kind: 'file', id: 'file-1' } }, 'file: '],
    [
      'a picture it cannot read',
      { kind: 'image', source: { kind: 'bytes', mime: 'image/gif', base64: '' } },
      'image: ',
    ],
    [
      'what only its vendor reads',
      { kind: 'opaque', protocol: 'responses', type: 'compaction', raw: '{}', path: 'input[3]' },
      'input[3]: ',
    ],
  ];

  it.each(REFUSED)('with %s is refused', (_name, part, message) => {
    expect(() => contentsOf([user(part)])).toThrow(Inexpressible);
    expect(() => contentsOf([user(part)])).toThrow(message);
  });

  it('represents refusals and foreign tools as text', () => {
    const turns = [
      user(text('a')),
      assistant(
        { kind: 'refusal', text: 'no' },
        { kind: 'server-tool', protocol: 'responses', raw: '{}', text: 'searched' },
        { kind: 'server-tool', protocol: 'gemini', raw: '{"executableCode":{"code":"1"}}', text: '' },
      ),
      user(text('b')),
    ];
    expect(contentsOf(turns)).toMatchObject([
      {},
      { parts: [{ text: 'no' }, { text: 'searched' }, { executableCode: { code: '1' } }] },
      {},
    ]);
  });
});
