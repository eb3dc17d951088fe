import { describe, expect, test } from 'vitest';
import { wrapSignatures } from '../hub/envelope.ts';
import type { Signature } from '../hub/signature.ts';
import { responsesCodec } from './codec.ts';
import { parse, plain, target } from './suite/world.ts';

const SUMMARY = [{ type: 'summary_text', text: 'hm' }];
const signature = (issuer: string): Signature => ({
  issuer,
  form: 'encrypted',
  place: 'reasoning',
  value: 'gAAA',
  itemId: 'rs_v',
});
const reasoning = (encrypted_content: string): object => ({
  type: 'reasoning',
  id: 'rs_c1_0',
  summary: SUMMARY,
  encrypted_content,
});
const user = { role: 'user', content: 'hi' };
const call = { type: 'function_call', id: 'fc_c1_1', call_id: 'c', name: 'f', arguments: '{}' };
const returned = (items: readonly object[], issuer = 'r-1'): unknown => {
  const body = parse({ model: 'm', input: items, store: false });
  return plain(responsesCodec.returnSignatures(body, { ...target(), issuer })).input;
};

describe('a request that stays in its protocol', () => {
  test('returns the vendor’s own ciphertext, under the id it is bound to', () => {
    const { id: _id, ...unlinked } = call;
    expect(returned([user, reasoning(wrapSignatures([signature('r-1')])), call])).toEqual([
      user,
      { type: 'reasoning', id: 'rs_v', summary: SUMMARY, encrypted_content: 'gAAA' },
      unlinked,
    ]);
  });

  test('loses the items of other vendors, and nothing else', () => {
    const other: Signature = { issuer: 'm-1', form: 'signature', place: 'reasoning', value: 's' };
    expect(
      returned([
        user,
        reasoning(wrapSignatures([signature('r-2')])),
        reasoning(wrapSignatures([other])),
        user,
      ]),
    ).toEqual([user, user]);
  });

  test('keeps a genuine ciphertext, unless the vendor refused one', () => {
    const items = [user, reasoning('gAAAgenuine'), call];
    expect(returned(items)).toEqual(items);
    expect(returned(items, 'none')).toHaveLength(2);
    expect(returned([reasoning(wrapSignatures([signature('none')]))], 'none')).toEqual([]);
  });

  test('is the same body when there is nothing to do', () => {
    for (const body of [parse({ input: 'text' }), parse({ input: [user, call] }), parse({})]) {
      expect(responsesCodec.returnSignatures(body, target())).toBe(body);
    }
  });
});
