import { expect, it } from 'vitest';
import type { Route } from '../../catalog/contract.ts';
import type { Protocol } from '../../kernel/protocol-name.ts';
import { NO_USAGE } from '../../kernel/usage.ts';
import { OutputSpeed } from '../../upstream/health/speed.ts';
import type { AttemptContext } from '../attempt/attempt-context.ts';
import {
  findHiddenReasoning,
  type HiddenReasoning,
  isOutOfSight,
  withHeldReasoning,
  withHiddenReasoning,
} from './secret-reasoning.ts';

const route = (forwardModelId: string): Route => ({ forwardModelId, capabilities: undefined }) as Route;

const ROWS: readonly (readonly [Protocol, string, string, HiddenReasoning['reasons']])[] = [
  ['chat', 'gpt-5', '{}', 'perhaps'],
  ['chat', 'gpt-5', '{"reasoning_effort":"low"}', 'surely'],
  ['chat', 'gpt-5.6', '{"reasoning_effort":"none"}', 'never'],
  ['chat', 'gpt-5.1', '{}', 'never'],
  ['chat', 'gpt-5.1', '{"reasoning_effort":"high"}', 'surely'],
  ['chat', 'gpt-4o', '{"reasoning_effort":"high"}', 'never'],
  ['chat', 'deepseek-reasoner', '{}', 'never'],
  ['responses', 'o4-mini', '{}', 'perhaps'],
  ['messages', 'claude-sonnet-4-5', '{}', 'never'],
  ['messages', 'claude-sonnet-4-5', '{"thinking":{"type":"enabled","budget_tokens":2000}}', 'surely'],
  ['gemini', 'gemini-3-pro', '{}', 'perhaps'],
  ['images', 'gpt-image-1', '{}', 'never'],
];

it.each(ROWS)('with %s, %s, asked %s: hidden reasoning is %s', (protocol, model, body, reasons) => {
  const asked = { protocol, body: [Buffer.from(body)] };
  expect(findHiddenReasoning(route(model), asked, new OutputSpeed()).reasons).toBe(reasons);
});

it('an unknown model has hidden reasoning when its answers have reported it', () => {
  const speed = new OutputSpeed();
  const asked = { protocol: 'chat', body: [Buffer.from('{}')] } as const;
  expect(findHiddenReasoning(route('house-model'), asked, speed).reasons).toBe('never');
  speed.noteReasoning(10);
  expect(findHiddenReasoning(route('house-model'), asked, speed)).toEqual({
    reasons: 'surely',
    tokensPerSecond: speed.tokensPerSecond,
  });
  for (let answer = 0; answer < 5; answer++) speed.noteReasoning(0);
  expect(findHiddenReasoning(route('house-model'), asked, speed).reasons).toBe('perhaps');
});

it.each([
  ['gpt-5', '{}', true],
  ['gpt-4o', '{}', false],
  ['gpt-5.6', '{"reasoning_effort":"none"}', false],
  ['house-model', '{}', false],
  ['house-model', '{"reasoning_effort":"high"}', true],
  ['deepseek-reasoner', '{"reasoning_effort":"high"}', false],
])('%s, asked %s, reasons out of sight: %s', (model, body, isHidden) => {
  const asked = { protocol: 'chat', body: [Buffer.from(body)] } as const;
  const hidden = findHiddenReasoning(route(model), asked, new OutputSpeed());
  expect(isOutOfSight(hidden, 'shows-nothing')).toBe(isHidden);
  // What the answer shows decides, unless it shows all of its reasoning.
  expect(isOutOfSight(hidden, 'reasoned')).toBe(model !== 'deepseek-reasoner');
});

/** A yuan for a million tokens, a thousand Credits for a yuan: a thousandth of a Credit for a token. */
function createContext(limits: {
  outputTokensMax?: number;
  answers?: number;
  heldMicro?: bigint;
}): AttemptContext {
  const { outputTokensMax, answers = 1, heldMicro } = limits;
  const rates = Object.fromEntries(
    ['systemMicro', 'userMicro', 'vendorMicro', 'credentialMicro', 'nodeMicro'].map((rate) => [
      rate,
      100_000_000n,
    ]),
  );
  const prices = { inputMicro: 0n, outputMicro: 1_000_000n, imageMicro: 0n, videoMicro: 0n };
  const price = { prices, rates: { rateMultiplierMicro: 1_000_000n, ...rates } };
  const lease = heldMicro === undefined ? undefined : { payer: 'credits', heldMicro };
  const deps = { settlement: { creditsPerYuan: 1_000 } };
  const facts = { outputTokensMax, answers };
  return { call: { lease, price }, model: { maxOutputTokens: 4_000 }, facts, deps } as never;
}

const SECONDS_10 = { tokensPerSecond: 100, ms: 10_000 };
const seen = { ...NO_USAGE, inputFresh: 7, outputText: 30 };
const countReasoning = (limits: Parameters<typeof createContext>[0], written = SECONDS_10): number =>
  withHiddenReasoning(seen, createContext(limits), written).outputReasoning;

it('hidden reasoning is what the model writes in the time, beside the visible output', () => {
  expect(countReasoning({})).toBe(1_000);
});

it('hidden reasoning stays within the longest answer: the requested, the model’s own, and all together', () => {
  expect(countReasoning({ outputTokensMax: 200 })).toBe(170);
  expect(countReasoning({ outputTokensMax: 9_000 }, { tokensPerSecond: 900, ms: 10_000 })).toBe(3_970);
  expect(countReasoning({ outputTokensMax: 200, answers: 2 })).toBe(370);
});

it('hidden reasoning does not reduce the visible output', () => {
  expect(withHiddenReasoning(seen, createContext({}), { tokensPerSecond: 100, ms: 9 })).toBe(seen);
  expect(withHiddenReasoning(seen, createContext({ outputTokensMax: 5 }), SECONDS_10)).toBe(seen);
});

it('hidden reasoning is charged as far as the hold pays for it', () => {
  const held = (heldMicro: bigint) =>
    withHeldReasoning(seen, createContext({ heldMicro }), SECONDS_10).outputReasoning;
  expect(held(1_000_000n)).toBe(970);
  expect(held(100_000n)).toBe(70);
  expect(held(10_000n)).toBe(0);
});
