/** What the receiver has decoded, as plain values. Times are nanoseconds since the epoch. */

export type Value = string | number | boolean | readonly Value[];
export type Attributes = Readonly<Record<string, Value>>;

export interface ReceivedSpan {
  readonly resource: Attributes;
  readonly traceId: string;
  readonly spanId: string;
  /** '' for a root. */
  readonly parentId: string;
  readonly traceState: string;
  readonly name: string;
  readonly kind: 'server' | 'client';
  readonly startNano: bigint;
  readonly endNano: bigint;
  readonly isError: boolean;
  readonly attributes: Attributes;
}

export interface ReceivedRecord {
  readonly resource: Attributes;
  readonly traceId: string;
  readonly spanId: string;
  readonly severity: number;
  readonly body: string;
  readonly attributes: Attributes;
}

export interface ReceivedMetric {
  readonly resource: Attributes;
  readonly name: string;
  readonly unit: string;
  readonly type: 'gauge' | 'sum' | 'histogram';
  readonly points: readonly ReceivedPoint[];
}

export interface ReceivedPoint {
  readonly attributes: Attributes;
  /** Of a histogram its count. */
  readonly value: number;
  readonly sum: number | undefined;
}
