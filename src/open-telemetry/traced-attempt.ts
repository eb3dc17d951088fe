import type { Span } from '@opentelemetry/api';
import type { Route } from '../catalog/contract.ts';
import type { Protocol } from '../kernel/protocol-name.ts';
import type { AnswerWords } from './answer-words.ts';

/** One try of one route, with its span. Times are in milliseconds since the epoch, with fractions. */
export interface TracedAttempt {
  readonly span: Span;
  readonly route: Route;
  readonly protocol: Protocol;
  readonly words: AnswerWords;
  readonly startedAtMs: number;
  /** 0 while it runs. */
  endedAtMs: number;
  /** '' while it runs. */
  outcome: string;
}
