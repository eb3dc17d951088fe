import type { Dialect } from './dialect.ts';
import type { Exchange } from './exchange.ts';
import type { Framing } from './frame.ts';
import type { Plan } from './plan.ts';
import { type Encoder, type Step, wholeText } from './send.ts';

export interface Stepped {
  readonly steps: Iterable<Step>;
  readonly encoder: Encoder;
  readonly headers: Readonly<Record<string, string>>;
  readonly writePaceMs: number;
}

export function applyFaults(plan: Plan, dialect: Dialect, _framing: Framing): Stepped {
  return { steps: dialect.frames(plan), encoder: wholeText, headers: {}, writePaceMs: 0 };
}

export async function takeOver(_exchange: Exchange, _dialect: Dialect, _plan: Plan): Promise<boolean> {
  return false;
}
