import type { IncomingHttpHeaders } from 'node:http';
import type { Route } from '../catalog/contract.ts';
import type { LentBytes } from '../kernel/encoding/lent-bytes.ts';
import type { Protocol } from '../kernel/protocol-name.ts';
import type { CallRecord } from '../ledger/contract.ts';

/** Traces calls. Absent if OpenTelemetry is off: then a call costs a test of `undefined` and nothing else. */
export interface CallTracer {
  /** Continues the trace that the client's headers name, or begins one. `undefined` after an error. */
  begin(start: TracedStart, headers: IncomingHttpHeaders): CallTrace | undefined;
}

/** What is known of a call when it begins. */
export interface TracedStart {
  readonly createdAtMs: number;
  /** By the monotonic clock. */
  readonly startedAt: number;
  readonly endpoint: {
    readonly protocol: Protocol;
    readonly edit: boolean;
    readonly action?: 'variation' | 'translation' | 'compact' | 'batch';
    readonly path: { readonly stream: boolean; readonly batch?: true } | undefined;
  };
}

/** The trace of one call: a span for it, and one for each attempt. None of this throws. */
export interface CallTrace {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits: the span of the call. */
  readonly spanId: string;
  /** False: the spans are not exported. */
  readonly isSampled: boolean;
  attemptBegan(route: Route, protocol: Protocol): void;
  /** Adds the trace context of the running attempt to the vendor's headers, if the operator wants that. */
  passOn(headers: string[]): void;
  /** Bytes of the vendor's answer to the running attempt. They are lent. */
  readonly answerArrived: (bytes: LentBytes) => void;
  attemptEnded(outcome: string): void;
  ended(record: CallRecord): void;
}
