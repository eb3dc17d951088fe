import type { TruthCall } from '../../sim/truth.ts';
import { type EndpointCall, type Form, type Used, worthMicro } from '../support/endpoints/table.ts';

/**
 * What the rules make of an ending (rule M-8, rule M-9, and those of each endpoint from rule M-28 on).
 * - `exact`: what the vendor's truth says, to the token, the character, the second, the unit, the picture.
 * - `counted`: nothing was reported: what came is counted here.
 * - `left`: what is owed for the work of a vendor that nobody waited for.
 * - `received`: the input, and at most what was produced.
 * - `nothing`: no amount, no movement.
 */
export type EndpointRule = 'exact' | 'counted' | 'left' | 'received' | 'nothing';

/** When the client goes away: never, when the vendor has the request, or at the first byte. */
export type EndpointLeave = 'never' | 'vendor-at-work' | 'answering' | 'first-byte';

export interface EndpointEnding {
  readonly name: string;
  readonly words: string | ((call: EndpointCall) => string);
  readonly leave: EndpointLeave;
  readonly rule: EndpointRule;
  readonly verdict: 'complete' | 'failed' | 'cut-by-upstream' | 'cut-by-client';
}

/** Longer than any client here waits. */
const HELD_MS = 20_000;

const WHOLE = { leave: 'never', verdict: 'complete' } as const;
const FAILED = { leave: 'never', rule: 'nothing', verdict: 'failed' } as const;
const LEFT = { verdict: 'cut-by-client' } as const;

const SHARED: readonly EndpointEnding[] = [
  { ...WHOLE, name: 'ok', words: '', rule: 'exact' },
  { ...WHOLE, name: 'no usage', words: 'usage=none', rule: 'counted' },
  { ...FAILED, name: 'vendor answers 500', words: 'fault=status@500' },
];

export const ENDPOINT_ENDINGS: Readonly<Record<Form, readonly EndpointEnding[]>> = {
  plain: [
    ...SHARED,
    { ...FAILED, name: 'vendor breaks off in its answer', words: 'fault=reset' },
    {
      ...LEFT,
      name: 'client leaves while the vendor is at work',
      words: 'fault=no-headers',
      leave: 'vendor-at-work',
      rule: 'left',
    },
    {
      ...LEFT,
      name: 'client leaves while the answer comes',
      words: `fault=pause@0:${HELD_MS}`,
      leave: 'answering',
      rule: 'left',
    },
  ],
  stream: [
    ...SHARED,
    {
      name: 'vendor breaks off in its answer',
      words: ({ cut }) => cut,
      leave: 'never',
      rule: 'received',
      verdict: 'cut-by-upstream',
    },
    {
      ...LEFT,
      name: 'client leaves before the head',
      words: 'fault=no-headers',
      leave: 'vendor-at-work',
      rule: 'nothing',
    },
    {
      ...LEFT,
      name: 'client leaves in the middle',
      words: 'pace=40',
      leave: 'first-byte',
      rule: 'received',
    },
  ],
};

/**
 * How far a count of the input may be from the truth: no vendor tells what its frame around a prompt costs
 * (see TOLERANCE). Where nobody adds a frame, the count is exact all the same.
 */
const FRAME_TOKENS = 8;

/** The least and the most that may be charged, in micro-yuan. */
export function rangeOf(
  call: EndpointCall,
  rule: EndpointRule,
  made: TruthCall,
): readonly [least: bigint, most: bigint] {
  const used = call.used(made);
  switch (rule) {
    case 'exact':
      return [worthMicro(call, used), worthMicro(call, used)];
    case 'counted':
      return [worthMicro(call, call.leastCounted ?? fewer(used)), worthMicro(call, more(used))];
    case 'left': {
      const left = call.left(made);
      return [worthMicro(call, call.leastCounted ?? fewer(left)), worthMicro(call, more(left))];
    }
    case 'received': {
      const input = call.leastCounted ?? { ...fewer(used), output: 0 };
      return [worthMicro(call, input), worthMicro(call, more(used))];
    }
    case 'nothing':
      return [0n, 0n];
  }
}

function fewer(used: Used): Used {
  return { ...used, input: Math.max(0, (used.input ?? 0) - FRAME_TOKENS) };
}

function more(used: Used): Used {
  return { ...used, input: (used.input ?? 0) + FRAME_TOKENS };
}
