import { describe, expect, test } from 'vitest';
import { someCapabilities, someTarget } from '../../../test/support/hub.ts';
import type { Target } from '../hub/codec.ts';
import { type JsonObject, readJson, writeJson } from '../hub/content/json.ts';
import { wrapSignatures } from '../hub/envelope.ts';
import type { Signature } from '../hub/signature.ts';
import { messagesCodec } from './codec.ts';

const ours: Signature = { issuer: 'v1-c1-m1', form: 'signature', place: 'reasoning', value: 'raw' };
const hidden: Signature = { ...ours, form: 'redacted', value: 'data' };
const other: Signature = { ...ours, issuer: 'r-1', form: 'encrypted' };
const thinking = (signature: string): object => ({ type: 'thinking', thinking: 'so', signature });
const text = { type: 'text', text: 'a' };
const use = { type: 'tool_use', id: 't', name: 'f', input: {} };
const user = { role: 'user', content: 'hi' };
const results = { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't' }] };

function returned(
  content: unknown,
  target: Partial<Target> = {},
  more: object = {},
): Record<string, unknown> {
  const body = { model: 'm', messages: [user, { role: 'assistant', content }, results], ...more };
  const read = readJson(JSON.stringify(body), messagesCodec.rawKeys) as JsonObject;
  return JSON.parse(writeJson(messagesCodec.returnSignatures(read, someTarget(target))));
}

const contentOf = (body: Record<string, unknown>): unknown =>
  (body.messages as { content: unknown }[])[1]?.content;

describe('a Messages body that stays in its protocol', () => {
  test('gets the signatures of its target back, and loses thinking of other vendors', () => {
    const content = [
      thinking(wrapSignatures([ours, hidden])),
      thinking(wrapSignatures([other])),
      { type: 'redacted_thinking', data: wrapSignatures([other]) },
      thinking(wrapSignatures([ours]).slice(0, -7)),
      thinking('EqQBnative'),
      text,
      use,
    ];
    expect(contentOf(returned(content))).toEqual([
      { type: 'thinking', thinking: 'so', signature: 'raw' },
      { type: 'redacted_thinking', data: 'data' },
      thinking('EqQBnative'),
      text,
      use,
    ]);
  });

  test('loses every signature after its vendor refused one', () => {
    const content = [thinking('EqQBnative'), { type: 'redacted_thinking', data: 'x' }, text, use];
    expect(contentOf(returned(content, { issuer: 'none' }))).toEqual([text, use]);
  });

  test('loses an empty turn', () => {
    expect(returned([thinking(wrapSignatures([other]))]).messages).toEqual([user, results]);
  });

  test('has no manual thinking over a call that lost its thinking', () => {
    const manual = { thinking: { type: 'enabled', budget_tokens: 2000 } };
    const lost = [thinking(wrapSignatures([other])), use];
    expect(returned(lost, {}, manual).thinking).toEqual({ type: 'disabled' });
    expect(returned([thinking('native'), use], {}, manual).thinking).toEqual(manual.thinking);
    const bound = { capabilities: someCapabilities({ thinkingOff: false }) };
    expect(returned(lost, bound, manual).thinking).toEqual(manual.thinking);
  });

  test('is otherwise unchanged', () => {
    const body =
      '{"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":"x"}],' +
      '"tools":[{"input_schema":{"b":1.0,"a":2}}]}';
    const read = readJson(body, messagesCodec.rawKeys) as JsonObject;
    expect(writeJson(messagesCodec.returnSignatures(read, someTarget()))).toBe(body);
  });
});
