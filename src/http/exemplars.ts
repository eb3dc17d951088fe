/**
 * One call of each bucket of a histogram, so that a person finds what a slow bucket counted. The arrays are
 * written over, so a call costs no memory.
 */
export class Exemplars {
  readonly #callIds: string[];
  readonly #traceIds: string[];
  readonly #values: Float64Array;
  readonly #endedAtMs: Float64Array;

  constructor(buckets: number) {
    this.#callIds = new Array<string>(buckets).fill('');
    this.#traceIds = new Array<string>(buckets).fill('');
    this.#values = new Float64Array(buckets);
    this.#endedAtMs = new Float64Array(buckets);
  }

  note(bucket: number, value: number, call: ExemplarCall): void {
    const { callId, traceId, endedAtMs } = call;
    const isTraced = this.#traceIds[bucket] !== '';
    if (traceId === '' && isTraced && endedAtMs - (this.#endedAtMs[bucket] ?? 0) < TRACE_KEPT_MS) return;
    this.#callIds[bucket] = callId;
    this.#traceIds[bucket] = traceId;
    this.#values[bucket] = value;
    this.#endedAtMs[bucket] = endedAtMs;
  }

  /** In the form of OpenMetrics, with a blank before it; '' if the bucket has counted no call. */
  render(bucket: number): string {
    const callId = this.#callIds[bucket] ?? '';
    if (callId === '') return '';
    const traceId = this.#traceIds[bucket] ?? '';
    // Names and values together have 80 characters; OpenMetrics allows 128.
    const trace = traceId === '' ? '' : `,trace_id="${traceId}"`;
    const seconds = ((this.#endedAtMs[bucket] ?? 0) / 1000).toFixed(3);
    return ` # {request_id="${callId}"${trace}} ${this.#values[bucket]} ${seconds}`;
  }
}

/** A call with a trace stays for so long when calls without one follow: few calls may be sampled. */
const TRACE_KEPT_MS = 60_000;

export interface ExemplarCall {
  callId: string;
  /** '' without a trace that was sampled. */
  traceId: string;
  endedAtMs: number;
}

/** No label value can end like this: its quotes are escaped. */
const EXEMPLAR = / # \{request_id="\w+"(?:,trace_id="[0-9a-f]{32}")?\} \S+ (\S+)$/;

export interface SampleLine {
  readonly sample: string;
  /** As `render` wrote it, or ''. */
  readonly exemplar: string;
  readonly exemplarAtSeconds: number;
}

/** Splits a line of our metrics. */
export function splitExemplar(line: string): SampleLine {
  const found = EXEMPLAR.exec(line);
  if (found === null) return { sample: line, exemplar: '', exemplarAtSeconds: 0 };
  return {
    sample: line.slice(0, found.index),
    exemplar: found[0],
    exemplarAtSeconds: Number(found[1]),
  };
}
