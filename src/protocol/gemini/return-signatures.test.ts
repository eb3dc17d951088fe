import { describe, expect, it } from 'vitest';
import type { Target } from '../hub/codec.ts';
import { readJson, writeJson } from '../hub/content/json.ts';
import { wrapSignaturesBase64 } from '../hub/envelope.ts';
import type { Signature } from '../hub/signature.ts';
import { geminiCodec } from './codec.ts';
import { createGeminiTarget } from './suite/sample.ts';

const own = { issuer: 'google-1', form: 'thought', value: 'U0lH' } as const;
const foreign: Signature = {
  issuer: 'anthropic-1',
  form: 'signature',
  place: 'reasoning',
  value: 's',
  text: 't',
};
const SENTINEL = 'skip_thought_signature_validator';

function returned(parts: readonly object[], target: Target = createGeminiTarget('gemini-3-pro')): unknown {
  const text = JSON.stringify({ contents: [{ role: 'model', parts }], generationConfig: { topK: 1 } });
  const body = geminiCodec.returnSignatures(readJson(text, geminiCodec.rawKeys) ?? {}, target);
  const { contents, ...rest } = JSON.parse(writeJson(body));
  expect(rest).toEqual({ generationConfig: { topK: 1 } });
  return contents[0].parts;
}

const call = { functionCall: { name: 'f', args: {} } };

describe('a request that stays with Google', () => {
  it('opens the envelopes of its target, each in its place', () => {
    const signatures: Signature[] = [
      { ...own, place: 'reasoning', text: 'hm', value: 'VA==' },
      { ...own, place: 'call' },
      foreign,
    ];
    expect(returned([{ ...call, thought_signature: wrapSignaturesBase64(signatures) }])).toEqual([
      { text: 'hm', thought: true, thoughtSignature: 'VA==' },
      { ...call, thoughtSignature: 'U0lH' },
    ]);
    const text = { text: 'x', thoughtSignature: wrapSignaturesBase64([{ ...own, place: 'text' }]) };
    expect(returned([text])).toEqual([{ text: 'x', thoughtSignature: 'U0lH' }]);
  });

  it('loses every other envelope, with a part that consists of it', () => {
    const envelope = wrapSignaturesBase64([foreign]);
    const parts = [
      { ...call, thoughtSignature: envelope },
      { text: 'x', thoughtSignature: envelope },
      { text: '', thoughtSignature: envelope },
      { text: 'hm', thought: true, thoughtSignature: envelope },
    ];
    expect(returned(parts)).toEqual([{ ...call, thoughtSignature: SENTINEL }, { text: 'x' }]);
    expect(returned(parts, createGeminiTarget('gemini-2.5-pro'))).toEqual([call, { text: 'x' }]);
    expect(returned(parts.slice(2))).toEqual([{ text: '' }]);
  });

  it('keeps Google’s own signatures, unless no signature may return', () => {
    const parts = [
      { ...call, thoughtSignature: 'Q0FG' },
      { text: 'x', thoughtSignature: 'Q0FG' },
    ];
    expect(returned(parts)).toEqual(parts);
    const nobody = { ...createGeminiTarget('gemini-3-pro'), issuer: 'none' };
    expect(returned(parts, nobody)).toEqual([{ ...call, thoughtSignature: SENTINEL }, { text: 'x' }]);
  });

  it('has its envelopes found where a single object stands for a list', () => {
    const part = { text: 'x', thoughtSignature: wrapSignaturesBase64([foreign]) };
    const body = geminiCodec.returnSignatures(
      { contents: { parts: part } },
      createGeminiTarget('gemini-3-pro'),
    );
    expect(body).toEqual({ contents: [{ parts: [{ text: 'x' }] }] });
  });

  it('keeps the sentinel and unknown fields', () => {
    const parts = [{ ...call, thoughtSignature: SENTINEL }, { hologram: 1 }, { text: '' }];
    expect(returned(parts)).toEqual(parts);
  });
});
