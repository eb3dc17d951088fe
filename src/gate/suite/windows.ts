import { expect, it } from 'vitest';
import { DIMENSIONS } from '../../catalog/contract.ts';
import {
  CREDIT,
  createFunds,
  createHold,
  createPolicy,
  NOTHING_DONE,
  rule,
  toReason,
  type World,
} from './world.ts';

const minute = createPolicy([rule('requests', 60, 1n)]);
const rich = createFunds({ creditsMicro: 99n * CREDIT });
const tokenMinute = createPolicy([rule('tokens', 60, 100n)]);

export function anchors(world: World): void {
  it('a window starts at first use and ends exactly one length later', async () => {
    await world.advance(12_345);
    await world.lease({ policy: minute });
    await world.advance(59_999);
    expect(await world.enter({ policy: minute })).toMatchObject({
      reason: 'requests',
      limit: 1n,
      used: 1n,
      seconds: 60,
      retryAfterMs: 1,
    });
    await world.advance(1);
    expect(toReason(await world.enter({ policy: minute }))).toBe('entered');
  });

  it('a window that starts one millisecond after the end of the last is new', async () => {
    await world.lease({ policy: minute });
    await world.advance(60_001);
    await world.lease({ policy: minute });
    await world.advance(59_999);
    expect(await world.enter({ policy: minute })).toMatchObject({ retryAfterMs: 1 });
    await world.advance(1);
    expect(toReason(await world.enter({ policy: minute }))).toBe('entered');
  });

  it('a refused call neither starts nor lengthens a window', async () => {
    const policy = createPolicy([rule('requests', 60, 1n)], 1);
    const running = await world.lease({ policy, scope: 'key:1' });
    expect(toReason(await world.enter({ policy, scope: 'key:1' }))).toBe('concurrency');
    await world.gate().leave(running, NOTHING_DONE);
    await world.advance(30_000);
    expect(await world.enter({ policy, scope: 'key:1' })).toMatchObject({ retryAfterMs: 30_000 });
    await world.advance(30_000);
    expect(toReason(await world.enter({ policy, scope: 'key:1' }))).toBe('entered');
  });
}

export function independence(world: World): void {
  it('each dimension and each length has a window of its own', async () => {
    const policy = createPolicy([
      rule('requests', 60, 1n),
      rule('requests', 3600, 2n),
      rule('images', 60, 5n),
    ]);
    await world.lease({ policy });
    await world.advance(61_000);
    // The hour began with the first call, the images begin here.
    await world.lease({ policy, images: 5 });
    await world.advance(61_000);
    expect(await world.enter({ policy })).toMatchObject({ seconds: 3600, retryAfterMs: 3_478_000 });
    await world.advance(3_478_000);
    expect(toReason(await world.enter({ policy, images: 5 }))).toBe('entered');
  });

  it('scopes are independent', async () => {
    await world.lease({ policy: minute, scope: 'key:1' });
    await world.lease({ policy: minute, scope: 'key:2' });
    await world.lease({ policy: minute, scope: 'account:1' });
    expect(toReason(await world.enter({ policy: minute, scope: 'key:1' }))).toBe('requests');
  });

  it('the wait ends when the last refusing window opens, whichever gave the reason', async () => {
    const policy = createPolicy([rule('requests', 60, 1n), rule('requests', 3600, 1n)]);
    await world.lease({ policy });
    expect(await world.enter({ policy })).toMatchObject({ seconds: 60, retryAfterMs: 3_600_000 });
    await world.advance(3_600_000);
    expect(toReason(await world.enter({ policy }))).toBe('entered');
  });

  it('a changed policy continues with the counts of the old one', async () => {
    await world.lease({ policy: createPolicy([rule('requests', 60, 5n)]) });
    await world.lease({ policy: createPolicy([rule('requests', 60, 5n)]) });
    expect(await world.enter({ policy: createPolicy([rule('requests', 60, 2n)]) })).toMatchObject({
      used: 2n,
    });
  });

  it('the stricter of two rules for one dimension and length counts, and a call counts once', async () => {
    const policy = createPolicy([rule('requests', 60, 9n), rule('requests', 60, 2n)]);
    await world.lease({ policy });
    await world.lease({ policy });
    expect(await world.enter({ policy })).toMatchObject({ limit: 2n, used: 2n });
  });
}

export function order(world: World): void {
  it('concurrency is checked first, then windows in the order of the policy, Credits, the cap', async () => {
    const none = createHold(createFunds({ monthSpentMicro: 9n }), { capMicro: 1n });
    const capped = createHold(createFunds({ version: 2, creditsMicro: 99n * CREDIT, monthSpentMicro: 9n }), {
      capMicro: 1n,
    });
    const policy = createPolicy([rule('tokens', 60, 1n), rule('requests', 60, 1n)], 1);
    const running = await world.lease({ policy, inputTokens: 1 });
    expect(toReason(await world.enter({ policy, inputTokens: 1, money: none }))).toBe('concurrency');
    await world.gate().leave(running, { ...NOTHING_DONE, tokens: 1 });
    expect(toReason(await world.enter({ policy, inputTokens: 1, money: none }))).toBe('tokens');
    expect(toReason(await world.enter({ policy, inputTokens: 0, money: none }))).toBe('requests');
    await world.advance(60_000);
    expect(toReason(await world.enter({ policy, inputTokens: 1, money: none }))).toBe('credits');
    expect(toReason(await world.enter({ policy, inputTokens: 1, money: capped }))).toBe('cap');
  });
}

export function tokens(world: World): void {
  it('tokens take the estimate at entry and are corrected at exit, down and up', async () => {
    const first = await world.lease({ policy: tokenMinute, inputTokens: 90 });
    expect(await world.enter({ policy: tokenMinute, inputTokens: 11 })).toMatchObject({
      reason: 'tokens',
      used: 90n,
    });
    await world.gate().leave(first, { ...NOTHING_DONE, tokens: 40 });
    const second = await world.lease({ policy: tokenMinute, inputTokens: 60 });
    await world.gate().leave(second, { ...NOTHING_DONE, tokens: 500 });
    expect(await world.enter({ policy: tokenMinute, inputTokens: 1 })).toMatchObject({ used: 540n });
  });

  it('a correction does not change the next window', async () => {
    const long = await world.lease({ policy: tokenMinute, inputTokens: 10 });
    await world.advance(60_000);
    await world.lease({ policy: tokenMinute, inputTokens: 10 });
    await world.gate().leave(long, { ...NOTHING_DONE, tokens: 5_000 });
    expect(await world.enter({ policy: tokenMinute, inputTokens: 91 })).toMatchObject({ used: 10n });
    expect(toReason(await world.enter({ policy: tokenMinute, inputTokens: 90 }))).toBe('entered');
  });

  it('a call estimated above the whole token limit passes in a fresh window only', async () => {
    await world.lease({ policy: tokenMinute, inputTokens: 101 });
    expect(toReason(await world.enter({ policy: tokenMinute, inputTokens: 101 }))).toBe('tokens');
    await world.advance(60_000);
    await world.lease({ policy: tokenMinute, inputTokens: 1 });
    expect(await world.enter({ policy: tokenMinute, inputTokens: 101 })).toMatchObject({
      retryAfterMs: 60_000,
    });
  });
}

export function otherDimensions(world: World): void {
  it('a limit of 0 admits no call that uses the dimension', async () => {
    for (const dimension of DIMENSIONS) {
      const policy = createPolicy([rule(dimension, 60, 0n)]);
      const parts = { policy, images: 1, videos: 1, scope: `key:${dimension}`, money: createHold(rich) };
      expect(await world.enter(parts)).toMatchObject({ reason: dimension, retryAfterMs: 60_000 });
    }
    const policy = createPolicy([rule('images', 60, 0n), rule('videos', 60, 0n), rule('amount', 60, 0n)]);
    expect(toReason(await world.enter({ policy }))).toBe('entered');
  });

  it('images and videos count at entry and are not given back; further images are added', async () => {
    const policy = createPolicy([rule('images', 60, 10n), rule('videos', 60, 1n)]);
    const first = await world.lease({ policy, images: 4, videos: 1 });
    expect(toReason(await world.enter({ policy, videos: 1 }))).toBe('videos');
    await world.gate().leave(first, { ...NOTHING_DONE, images: 0 });
    const second = await world.lease({ policy, images: 4 });
    await world.gate().leave(second, { ...NOTHING_DONE, images: 6 });
    expect(await world.enter({ policy, images: 1 })).toMatchObject({ reason: 'images', used: 10n });
    expect(toReason(await world.enter({ policy }))).toBe('entered');
  });

  it('possible images are taken at entry, and given back as far as they were not made', async () => {
    const policy = createPolicy([rule('images', 60, 2n)]);
    const [first, second] = [
      await world.lease({ policy, imagesGuess: 1 }),
      await world.lease({ policy, imagesGuess: 1 }),
    ];
    expect(await world.enter({ policy, imagesGuess: 1 })).toMatchObject({ reason: 'images', used: 2n });
    expect(toReason(await world.enter({ policy }))).toBe('entered');
    await world.gate().leave(first, NOTHING_DONE);
    const third = await world.lease({ policy, imagesGuess: 1 });
    await world.gate().leave(second, { ...NOTHING_DONE, images: 1 });
    expect(await world.enter({ policy, imagesGuess: 1 })).toMatchObject({ used: 2n });
    // More than was expected counts; what was given back went to nobody's next window.
    await world.gate().leave(third, { ...NOTHING_DONE, images: 3 });
    expect(await world.enter({ policy, images: 1 })).toMatchObject({ used: 4n, retryAfterMs: 60_000 });
  });

  it('expected images of a window that ended are not given back to the next one', async () => {
    const policy = createPolicy([rule('images', 60, 2n)]);
    const long = await world.lease({ policy, imagesGuess: 2 });
    await world.advance(60_000);
    await world.lease({ policy, images: 2 });
    await world.gate().leave(long, NOTHING_DONE);
    expect(await world.enter({ policy, imagesGuess: 1 })).toMatchObject({ reason: 'images', used: 2n });
  });

  it('images that were not requested count when they are made', async () => {
    const policy = createPolicy([rule('images', 60, 3n)]);
    const lease = await world.lease({ policy });
    await world.advance(10_000);
    await world.gate().leave(lease, { ...NOTHING_DONE, images: 3 });
    expect(await world.enter({ policy, images: 1 })).toMatchObject({ used: 3n, retryAfterMs: 60_000 });
  });
}
