import { expect, test } from 'vitest';
import { sampleAccount, sampleCatalog, sampleModel, sampleRoute } from '../../../test/support/samples.ts';
import type { Route } from '../../catalog/contract.ts';
import type { RequestFacts } from '../../protocol/dialect.ts';
import { imagesExpected, outputTokensPaid, priceSnapshot, quote } from './quote.ts';

const facts: RequestFacts = {
  model: 'gpt-5',
  stream: false,
  modelRanges: [],
  outputTokensMax: 100,
  answers: 1,
  images: 0,
  inputTokensEstimate: 1_000,
  usageInjected: false,
  holdsEnvelope: false,
  usageSplice: undefined,
  edit: false,
};

const pricing = {
  catalog: sampleCatalog({ nodes: [{ name: 'local', baseUrl: '', region: '', rateMicro: 50_000_000n }] }),
  model: sampleModel(),
  account: sampleAccount(),
  nodeName: 'elsewhere',
};

/** 10 yuan for a million input tokens, 30 for output, 0.3 for an image; answers of up to so many tokens. */
const upTo = (maxOutputTokens: number, parts: Partial<Route> = {}) =>
  sampleRoute({ capabilities: { maxOutputTokens }, ...parts });

test('the quote is the input and all the requested output', () => {
  expect(quote(facts, [sampleRoute()], pricing)).toEqual({
    mostMicro: 13_000n,
    shareMicro: 13_000n,
    leastMicro: 13_000n,
    isBounded: true,
  });
});

test('the quote of a call without an output limit is the longest answer of the model', () => {
  const open = { ...facts, outputTokensMax: undefined };
  expect(quote(open, [upTo(10_000)], pricing)).toEqual({
    mostMicro: 310_000n,
    // 4,096 and 256 output tokens behind the input.
    shareMicro: 132_880n,
    leastMicro: 17_680n,
    isBounded: false,
  });
});

test('all that a call without generated text may cost is held, whatever else its route speaks', () => {
  const fixed = { ...facts, outputTokensMax: 5_000, isFixed: true } as const;
  for (const protocols of [['rerank'], ['chat', 'rerank']] as const) {
    const { mostMicro, shareMicro, leastMicro } = quote(fixed, [upTo(1_000, { protocols })], pricing);
    expect([mostMicro, shareMicro, leastMicro]).toEqual([160_000n, 160_000n, 160_000n]);
  }
});

test('the whole price of a video is held, and nothing of its prompt', () => {
  const video = { ...facts, inputTokensEstimate: 0, outputTokensMax: 0, isFixed: true, videos: 1 } as const;
  const model = sampleModel({ prices: { ...sampleModel().prices, imageMicro: 0n, videoMicro: 2_500_000n } });
  const route = sampleRoute({ protocols: ['videos'], rateMultiplierMicro: 2_000_000n });
  expect(quote(video, [route], { ...pricing, model })).toEqual({
    ...{ mostMicro: 5_000_000n, shareMicro: 5_000_000n, leastMicro: 5_000_000n, isBounded: true },
  });
  expect(quote(video, [sampleRoute({ protocols: ['videos'] })], pricing).mostMicro).toBe(0n);
});

test('a model that counts seconds of sound is quoted by them, and no words', () => {
  const heard = { ...facts, inputTokensEstimate: 12_000, outputTokensMax: 8_100, secondsMost: 1_000 };
  const cost = (forwardModelId: string) =>
    quote({ ...heard, isFixed: true }, [upTo(1_000, { forwardModelId })], pricing).mostMicro;
  expect(cost('whisper-1')).toBe(10_000n);
  expect(cost('openai/Whisper-large-v3')).toBe(10_000n);
  expect(cost('gpt-4o-transcribe')).toBe(120_000n + 243_000n);
});

test('a completion is as long as the answer of a chat', () => {
  const open = { ...facts, outputTokensMax: undefined };
  const route = upTo(1_000, { protocols: ['completions'] });
  expect(quote(open, [route], pricing).mostMicro).toBe(40_000n);
});

test('the quote uses the dearest input price, because the use of the vendor’s cache is unknown', () => {
  const prices = { ...sampleModel().prices, cacheWriteMicro: 20_000_000n, cacheOutputMicro: 40_000_000n };
  const model = sampleModel({ prices });
  expect(quote(facts, [sampleRoute()], { ...pricing, model }).mostMicro).toBe(24_000n);
  const cheap = sampleModel({ prices: { ...prices, cacheWriteMicro: 1n, cacheOutputMicro: 1n } });
  expect(quote(facts, [sampleRoute()], { ...pricing, model: cheap }).mostMicro).toBe(13_000n);
});

test('a hold pays for a number of output tokens, and not for one more', () => {
  const terms = { pricing, creditsPerYuan: 1_000 };
  const paid = (heldMicro: bigint, parts: Partial<RequestFacts> = {}) =>
    outputTokensPaid(heldMicro, { ...facts, ...parts }, sampleRoute(), terms);
  // The input takes 10 Credits, an output token 0.03.
  expect(paid(13_000_000n)).toBe(100);
  expect(paid(12_999_999n)).toBe(99);
  expect(paid(13_000_000n, { answers: 3 })).toBe(33);
  expect(paid(10_000_000n)).toBe(0);
  expect(paid(9_999_999n)).toBe(0);
});

test('the dearest route determines the quote, because any of them may serve', () => {
  const dear = sampleRoute({ id: 2, rateMultiplierMicro: 2_000_000n });
  expect(quote(facts, [sampleRoute(), dear], pricing).mostMicro).toBe(26_000n);
});

test('the quote contains several answers, but not more output than the model can give', () => {
  expect(quote({ ...facts, outputTokensMax: 1e15 }, [upTo(1_000)], pricing).mostMicro).toBe(40_000n);
  expect(quote({ ...facts, answers: 3 }, [sampleRoute()], pricing).mostMicro).toBe(19_000n);
});

test('the quote of images is their whole price, with the tokens that a vendor may report for them', () => {
  const two = { ...facts, images: 2, outputTokensMax: undefined };
  const prices = { ...sampleModel().prices, outputMicro: 0n };
  const quoted = quote(two, [sampleRoute()], { ...pricing, model: sampleModel({ prices }) });
  expect(quoted).toEqual({
    mostMicro: 610_000n,
    shareMicro: 610_000n,
    leastMicro: 610_000n,
    isBounded: true,
  });
  expect(quote(two, [sampleRoute()], pricing).leastMicro).toBe(610_000n + 2n * 8_192n * 30n);
});

test('the quote contains an unannounced image where the vendor may make one', () => {
  const painter = sampleRoute({ protocols: ['gemini'] });
  expect(quote(facts, [painter], pricing).mostMicro).toBe(313_000n);
  expect(quote({ ...facts, answers: 2 }, [painter], pricing).mostMicro).toBe(616_000n);
  const prices = { ...sampleModel().prices, imageMicro: 0n };
  const writer = { ...pricing, model: sampleModel({ prices }) };
  expect(quote(facts, [sampleRoute({ protocols: ['gemini'] })], writer).mostMicro).toBe(13_000n);
});

test('the quote contains the image tool of the vendor with a BYOK credential', () => {
  const drawing = { ...facts, imageTool: true };
  const host = sampleRoute({ protocols: ['responses', 'chat'] });
  expect(quote(drawing, [host], pricing).mostMicro).toBe(313_000n);
  expect(quote(drawing, [sampleRoute({ protocols: ['chat'] })], pricing).mostMicro).toBe(13_000n);
  expect(quote(facts, [host], pricing).mostMicro).toBe(13_000n);
});

test('images are expected of text calls that any route may answer with one', () => {
  const painter = sampleRoute({ protocols: ['gemini'] });
  const model = sampleModel({ routes: [sampleRoute(), painter] });
  expect(imagesExpected({ ...facts, answers: 2 }, model)).toBe(2);
  expect(imagesExpected({ ...facts, images: 3 }, model)).toBe(0);
  expect(imagesExpected(facts, sampleModel({ routes: [sampleRoute()] }))).toBe(0);
  const prices = { ...model.prices, imageMicro: 0n };
  expect(imagesExpected(facts, sampleModel({ routes: [painter], prices }))).toBe(0);
});

test('a price snapshot is one object per route and rate, and has the rate of its node', () => {
  const route = sampleRoute();
  expect(priceSnapshot(route, pricing)).toBe(priceSnapshot(route, pricing));
  expect(priceSnapshot(sampleRoute(), { ...pricing, nodeName: 'local' }).rates.nodeMicro).toBe(50_000_000n);
  const other = { ...pricing, account: sampleAccount({ userRateMicro: 80_000_000n }) };
  expect(priceSnapshot(route, other).rates.userMicro).toBe(80_000_000n);
});
