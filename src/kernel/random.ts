import { randomBytes } from 'node:crypto';

/** Randomness is a port, so that a seed can replay a failure. */
export interface Random {
  /** A number in [0, 1): for weights, jitter and choices. */
  unit(): number;
  /** Bytes for ids and secrets. */
  bytes(count: number): Buffer;
}

export const systemRandom: Random = {
  unit: () => Math.random(),
  bytes: (count) => randomBytes(count),
};

/** mulberry32: small, fast and good enough for tests and simulators. Never for secrets. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  const unit = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const bytes = (count: number): Buffer => {
    const made = Buffer.alloc(count);
    for (let index = 0; index < count; index++) made[index] = Math.floor(unit() * 256);
    return made;
  };
  return { unit, bytes };
}
