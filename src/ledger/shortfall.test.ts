import { expect, test } from 'vitest';
import { NO_USAGE } from '../kernel/usage.ts';
import { describeShortfall, listCauses, type Shortfall } from './shortfall.ts';

const EXPECTED = { inputTokens: 100, outputTokens: 50, images: 1 };

function sampleShortfall(parts: Partial<Shortfall>): Shortfall {
  return {
    callId: 'req_1',
    accountId: 12,
    model: 'gpt-5',
    vendor: 'openai',
    usage: { ...NO_USAGE, inputFresh: 60, cacheRead: 40, outputText: 20, outputReasoning: 30, images: 1 },
    chargeMicro: 10_000_000n,
    heldMicro: 8_000_000n,
    shortfallMicro: 1_500_000n,
    of: 'credits',
    expected: EXPECTED,
    ...parts,
  };
}

const USED = sampleShortfall({}).usage;

test.each([
  [['input-beyond-estimate'], { usage: { ...USED, cacheWrite: 1 } }],
  [['output-beyond-bound'], { usage: { ...USED, outputReasoning: 31 } }],
  [['images-beyond-asked'], { usage: { ...USED, images: 2 } }],
  [['input-beyond-estimate', 'output-beyond-bound'], { usage: { ...USED, inputFresh: 61, outputText: 21 } }],
  [['held-too-little'], {}],
  [['held-too-little'], { expected: undefined }],
  [['funds-gone'], { heldMicro: 10_000_000n }],
] as const)('%j', (causes, parts) => {
  expect(listCauses(sampleShortfall(parts))).toEqual(causes);
});

test('an operator reads the account, the amount, the vendor and the cause', () => {
  const text = describeShortfall(sampleShortfall({ usage: { ...USED, outputText: 120 } }));
  expect(text).toBe(
    'call req_1 of account 12 (model gpt-5, vendor openai): 1.5 of 10 Credits not paid, 8 were held. Cause: ' +
      'openai produced 150 output tokens, the bound was 50; the account had no Credits left for the rest',
  );
  expect(describeShortfall(sampleShortfall({ of: undefined }))).toMatch(/held than the call could cost$/);
  expect(describeShortfall(sampleShortfall({ of: 'cap', heldMicro: 10_000_000n }))).toMatch(
    /was gone: an operator took it.*; the monthly cap was reached$/,
  );
});
