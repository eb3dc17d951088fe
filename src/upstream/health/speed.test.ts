import { expect, it } from 'vitest';
import { OUTPUT_SPEED_DEFAULT, OUTPUT_SPEED_MAX } from '../../bounds.ts';
import { OutputSpeed } from './speed.ts';

it('the speed is the default until a stream was long enough to be measured', () => {
  const speed = new OutputSpeed();
  expect(speed.tokensPerSecond).toBe(OUTPUT_SPEED_DEFAULT);
  speed.measure({ outputTokens: 2, reasoningTokens: 0, ms: 60_000 });
  expect(speed.tokensPerSecond).toBe(OUTPUT_SPEED_DEFAULT);
  expect(speed.reasons).toBe('never');
});

it('the speed follows the newer streams, up to a maximum', () => {
  const speed = new OutputSpeed();
  speed.measure({ outputTokens: 400, reasoningTokens: 0, ms: 10_000 });
  expect(speed.tokensPerSecond).toBe(40);
  speed.measure({ outputTokens: 1_400, reasoningTokens: 0, ms: 10_000 });
  expect(speed.tokensPerSecond).toBe(60);
  // A short one weighs less than its tenth.
  speed.measure({ outputTokens: 200, reasoningTokens: 0, ms: 200 });
  expect(speed.tokensPerSecond).toBeCloseTo(60 + (1_000 - 60) * 0.02);
  for (let stream = 0; stream < 100; stream++) {
    speed.measure({ outputTokens: 90_000_000, reasoningTokens: 0, ms: 2_000 });
  }
  expect(speed.tokensPerSecond).toBeGreaterThan(OUTPUT_SPEED_MAX * 0.99);
  expect(speed.tokensPerSecond).toBeLessThanOrEqual(OUTPUT_SPEED_MAX);
});

it('the speed record contains how often answers reported reasoning, however short they were', () => {
  const speed = new OutputSpeed();
  speed.noteReasoning(0);
  expect(speed.reasons).toBe('never');
  speed.noteReasoning(1);
  expect(speed.reasons).toBe('usually');
  for (let answer = 0; answer < 5; answer++) speed.noteReasoning(0);
  expect(speed.reasons).toBe('sometimes');
  for (let answer = 0; answer < 50; answer++) speed.noteReasoning(0);
  expect(speed.reasons).toBe('never');
});
