import { describe, expect, test } from 'vitest';
import {
  answered,
  call,
  encode,
  messagesOf,
  result,
  said,
  text,
  told,
  words,
} from '../../../../test/convert/messages-body.ts';
import type { CapabilityOverrides } from '../../../kernel/capability.ts';
import { Inexpressible } from '../../hub/notes.ts';
import type { Part } from '../../hub/part.ts';

describe('turns', () => {
  test('lose blank texts, and neighbours of one role become one message', () => {
    expect(messagesOf([said('a'), answered(words(' \n')), said('b')])).toEqual([
      { role: 'user', content: [text('a'), text('b')] },
    ]);
  });

  test('begin with the user, if need be with a placeholder', () => {
    expect(messagesOf([answered(words('a')), said('b')])).toEqual([
      { role: 'user', content: [text('Continue.')] },
      { role: 'assistant', content: [text('a')] },
      { role: 'user', content: [text('b')] },
    ]);
  });

  test('of the system alone become a user turn', () => {
    const { body } = encode({ system: [{ kind: 'text', text: 's' }], turns: [] });
    expect(body.system).toBeUndefined();
    expect(body.messages).toEqual([{ role: 'user', content: [text('s')] }]);
  });

  test('of the system stay where the model allows them', () => {
    expect(messagesOf([said('a'), told('now'), answered(words('b')), said('c')])).toEqual([
      { role: 'user', content: [text('a')] },
      { role: 'system', content: [text('now')] },
      { role: 'assistant', content: [text('b')] },
      { role: 'user', content: [text('c')] },
    ]);
  });

  test('of the system between assistant and user (Claude Code) join the user, and are never hoisted', () => {
    const turns = [said('a'), answered(words('b')), told('now'), said('c')];
    const expected = [
      { role: 'user', content: [text('a')] },
      { role: 'assistant', content: [text('b')] },
      { role: 'user', content: [text('<system-reminder>\nnow\n</system-reminder>'), text('c')] },
    ];
    expect(messagesOf(turns)).toEqual(expected);
    expect(
      messagesOf([said('a'), answered(words('b')), said('c'), told('now')], { systemTurns: false }),
    ).toEqual([
      expected[0],
      expected[1],
      { role: 'user', content: [text('c'), text('<system-reminder>\nnow\n</system-reminder>')] },
    ]);
  });

  test('that start an answer are dropped where the model refuses them, and lose trailing blanks', () => {
    const turns = [said('a'), answered(words('b \n'))];
    expect(messagesOf(turns, { prefill: false })).toEqual([{ role: 'user', content: [text('a')] }]);
    expect(messagesOf(turns)).toEqual([
      { role: 'user', content: [text('a')] },
      { role: 'assistant', content: [text('b')] },
    ]);
  });

  test('with a document alone get a text beside it', () => {
    const file: Part = { kind: 'file', source: { kind: 'text', text: 'x' }, filename: 'a.txt' };
    expect(messagesOf([{ role: 'user', parts: [file] }])).toEqual([
      {
        role: 'user',
        content: [
          {
            type: 'document',
            source: { type: 'text', media_type: 'text/plain', data: 'x' },
            title: 'a.txt',
          },
          text('See the document.'),
        ],
      },
    ]);
  });

  test('contain thinking with its signature, in its place, and none without one', () => {
    const signature = { issuer: 'v1-c1-m1', form: 'signature', place: 'reasoning', value: 'sig' } as const;
    const turns = [
      said('a'),
      answered(
        { kind: 'reasoning', text: 'so', signature },
        { kind: 'reasoning', text: '', signature: { ...signature, form: 'redacted', value: 'data' } },
        words('b'),
        { kind: 'reasoning', text: 'lost' },
        call('{"a": 1.0}'),
      ),
      { role: 'user', parts: [result(words('r'))] } as const,
    ];
    expect(messagesOf(turns)).toEqual([
      { role: 'user', content: [text('a')] },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'so', signature: 'sig' },
          { type: 'redacted_thinking', data: 'data' },
          text('b'),
          { type: 'tool_use', id: 't1', name: 'f', input: { a: 1 } },
        ],
      },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: 'r' }] },
    ]);
    expect(encode({ turns }).text).toContain('"input":{"a": 1.0}');
  });

  test('keep arguments that are no object as they were written', () => {
    const inputOf = (args: string): unknown => {
      const messages = messagesOf([said('a'), answered(call(args)), { role: 'user', parts: [result()] }]);
      return (messages as [unknown, { content: [{ input: unknown }] }])[1].content[0].input;
    };
    expect(inputOf('{"a":')).toEqual({ _raw: '{"a":' });
    expect(inputOf('[1]')).toEqual({ _raw: '[1]' });
    expect(inputOf('')).toEqual({});
  });

  test('contain results: empty, errors, with pictures inside or behind, with an inner cache mark', () => {
    const picture: Part = { kind: 'image', source: { kind: 'bytes', mime: 'image/gif', base64: 'R0lGODlh' } };
    const gif = { type: 'image', source: { type: 'base64', media_type: 'image/gif', data: 'R0lGODlh' } };
    const contentOf = (part: Part, capabilities: CapabilityOverrides = {}): unknown =>
      (
        messagesOf([said('a'), answered(call()), { role: 'user', parts: [part] }], capabilities) as {
          content: unknown;
        }[]
      )[2]?.content;
    expect(contentOf(result())).toEqual([{ type: 'tool_result', tool_use_id: 't1' }]);
    expect(contentOf({ ...result(words('no')), isError: true } as Part)).toEqual([
      { type: 'tool_result', tool_use_id: 't1', content: 'no', is_error: true },
    ]);
    expect(contentOf(result(words('see'), picture))).toEqual([
      { type: 'tool_result', tool_use_id: 't1', content: [text('see'), gif] },
    ]);
    expect(contentOf(result(picture), { toolResultImages: false })).toEqual([
      { type: 'tool_result', tool_use_id: 't1', content: '[image]' },
      gif,
    ]);
    expect(contentOf(result({ kind: 'text', text: 'x', cache: {} }), { cacheMarks: true })).toEqual([
      { type: 'tool_result', tool_use_id: 't1', content: 'x', cache_control: { type: 'ephemeral' } },
    ]);
  });

  test.each<[Part, string]>([
    [{ kind: 'audio', source: { kind: 'bytes', mime: 'audio/wav', base64: 'AAAA' } }, 'audio'],
    [{ kind: 'video', source: { kind: 'url', url: 'https://x' } }, 'video'],
    [{ kind: 'image', source: { kind: 'bytes', mime: 'image/heic', base64: 'AAAA' } }, 'image'],
    [{ kind: 'image', source: { kind: 'file', id: 'file-1' } }, 'image'],
    [{ kind: 'file', source: { kind: 'bytes', mime: 'application/zip', base64: 'AAAA' } }, 'file'],
    [{ kind: 'opaque', protocol: 'responses', type: 'compaction', raw: '{}', path: 'input[3]' }, 'input[3]'],
  ])('with %o are refused by name', (part, name) => {
    expect(() => encode({ turns: [{ role: 'user', parts: [part] }] })).toThrow(Inexpressible);
    expect(() => encode({ turns: [{ role: 'user', parts: [part] }] })).toThrow(`${name}: `);
  });

  test('with an address are refused where the vendor does not fetch', () => {
    const parts: Part[] = [{ kind: 'image', source: { kind: 'url', url: 'https://x/a.png' } }];
    expect(messagesOf([{ role: 'user', parts }])).toEqual([
      { role: 'user', content: [{ type: 'image', source: { type: 'url', url: 'https://x/a.png' } }] },
    ]);
    expect(() => encode({ turns: [{ role: 'user', parts }] }, { mediaUrls: false })).toThrow('image: ');
  });
});
