import { expect, test } from 'vitest';
import { sampleAccount, sampleCatalog, sampleModel, sampleRoute } from '../../test/support/samples.ts';
import type { RequestFacts } from '../protocol/dialect.ts';
import { picturesExpected, priceSnapshot, quote } from './quote.ts';

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

const tariff = {
  catalog: sampleCatalog({ nodes: [{ name: 'local', baseUrl: '', region: '', rateMicro: 50_000_000n }] }),
  model: sampleModel(),
  account: sampleAccount(),
  nodeName: 'elsewhere',
};

test('a call may cost its input and all the output it asked for', () => {
  expect(quote(facts, [sampleRoute()], tariff)).toEqual({ mostMicro: 13_000n, inputMicro: 10_000n });
});

test('the dearest route counts, since any of them may serve', () => {
  const dear = sampleRoute({ id: 2, rateMultiplierMicro: 2_000_000n });
  expect(quote(facts, [sampleRoute(), dear], tariff).mostMicro).toBe(26_000n);
});

test('more output than the model gives is not held; several answers are', () => {
  expect(quote({ ...facts, outputTokensMax: 1e15 }, [sampleRoute()], tariff).mostMicro).toBe(40_000n);
  expect(quote({ ...facts, answers: 3 }, [sampleRoute()], tariff).mostMicro).toBe(19_000n);
});

test('images are held at their price', () => {
  expect(quote({ ...facts, images: 2, outputTokensMax: 0 }, [sampleRoute()], tariff).mostMicro).toBe(
    610_000n,
  );
});

test('a picture that nobody announced is held where the vendor may paint', () => {
  const painter = sampleRoute({ protocols: ['gemini'] });
  expect(quote(facts, [painter], tariff).mostMicro).toBe(313_000n);
  expect(quote({ ...facts, answers: 2 }, [painter], tariff).mostMicro).toBe(616_000n);
  expect(quote({ ...facts, images: 1 }, [painter], tariff).mostMicro).toBe(313_000n);
  const prices = { ...sampleModel().prices, imageMicro: 0n };
  const writer = { ...tariff, model: sampleModel({ prices }) };
  expect(quote(facts, [sampleRoute({ protocols: ['gemini'] })], writer).mostMicro).toBe(13_000n);
});

test('a hosted tool that paints is held for where it is hosted', () => {
  const drawing = { ...facts, paintingTool: true };
  const host = sampleRoute({ protocols: ['responses', 'chat'] });
  expect(quote(drawing, [host], tariff).mostMicro).toBe(313_000n);
  expect(quote(drawing, [sampleRoute({ protocols: ['chat'] })], tariff).mostMicro).toBe(13_000n);
  expect(quote(facts, [host], tariff).mostMicro).toBe(13_000n);
});

test('pictures are expected of text calls that any route may answer with one', () => {
  const painter = sampleRoute({ protocols: ['gemini'] });
  const model = sampleModel({ routes: [sampleRoute(), painter] });
  expect(picturesExpected({ ...facts, answers: 2 }, model)).toBe(2);
  expect(picturesExpected({ ...facts, images: 3 }, model)).toBe(0);
  expect(picturesExpected(facts, sampleModel({ routes: [sampleRoute()] }))).toBe(0);
  const prices = { ...model.prices, imageMicro: 0n };
  expect(picturesExpected(facts, sampleModel({ routes: [painter], prices }))).toBe(0);
});

test('a snapshot is one object per route and rate, and has the rate of its node', () => {
  const route = sampleRoute();
  expect(priceSnapshot(route, tariff)).toBe(priceSnapshot(route, tariff));
  expect(priceSnapshot(sampleRoute(), { ...tariff, nodeName: 'local' }).rates.nodeMicro).toBe(50_000_000n);
  const other = { ...tariff, account: sampleAccount({ userRateMicro: 80_000_000n }) };
  expect(priceSnapshot(route, other).rates.userMicro).toBe(80_000_000n);
});
