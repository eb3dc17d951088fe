import type { Dimension } from '../catalog/contract.ts';
import type { LeasedWindow, RememberedWindow } from '../gate/contract.ts';

/** The usage of a call in all dimensions that a window can count. */
export interface WindowUse {
  readonly tokens: number;
  /** Micro-yuan, for any payer. */
  readonly amountMicro: bigint;
  /** Requested or produced, whichever is more: images count at entry and are not returned. */
  readonly images: number;
  readonly videos: number;
}

const NONE: readonly RememberedWindow[] = Object.freeze([]);

/** The use of each window that counts the call: the same numbers that the gate counts at its end. */
export function windowUse(windows: readonly LeasedWindow[], use: WindowUse): readonly RememberedWindow[] {
  if (windows.length === 0) return NONE;
  return windows.map(({ scope, dimension, seconds, startedAtMs }) => ({
    scope,
    dimension,
    seconds,
    startedAtMs,
    used: countUsed(dimension, use),
  }));
}

function countUsed(dimension: Dimension, use: WindowUse): bigint {
  switch (dimension) {
    case 'requests':
      return 1n;
    case 'tokens':
      return BigInt(use.tokens);
    case 'amount':
      return use.amountMicro;
    case 'images':
      return BigInt(use.images);
    case 'videos':
      return BigInt(use.videos);
  }
}
