import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Directory } from '../accounts/contract.ts';
import type { Refusal } from '../kernel/errors.ts';
import type { Random } from '../kernel/random.ts';
import type { Calendar } from '../kernel/time/calendar.ts';
import type { CallTracer } from '../open-telemetry/contract.ts';
import type { StreamTimes } from './answer/stream-watch.ts';
import type { GatewayDeps } from './attempt/attempt-context.ts';
import type { RunningResponses } from './background/running.ts';

/** A request body in memory. `release` gives its bytes back to the process's budget, once. */
export interface RequestBody {
  readonly kind: 'body';
  readonly bytes: Buffer;
  release(): void;
}

export type BodyResult = RequestBody | Refusal | { readonly kind: 'aborted' };

export interface Gateway {
  readonly directory: Directory;
  readonly deps: GatewayDeps;
  /** Reads a body within the account's share of the memory for all bodies. */
  readBody(request: IncomingMessage, accountId: number, response: ServerResponse): Promise<BodyResult>;
  /** For a request that is refused before its body is read. */
  discardBody(request: IncomingMessage, response: ServerResponse): void;
  readonly calendar: Calendar;
  readonly random: Random;
  readonly nodeName: string;
  readonly times: StreamTimes;
  /** Where clients reach this server, if the operator says so. */
  readonly publicUrl?: string | undefined;
  /** Responses in the background. */
  readonly running: RunningResponses;
  /** Only if OpenTelemetry is on. */
  readonly tracer?: CallTracer | undefined;
  /** The process is about to end, and new calls are refused. */
  isDraining(): boolean;
}
