import { createHash } from 'node:crypto';
import { TRUTH_CALLS_MAX, TRUTH_RAW_BYTES_MAX, TRUTH_RAW_CALLS_MAX } from './bounds.ts';

export type Finished = 'running' | 'complete' | 'cut' | 'aborted-by-client' | 'refused';

/** What really happened in one call. It is changed while the answer streams: read it after the call ended. */
export interface TruthCall {
  readonly sequence: number;
  tag: string;
  readonly method: string;
  readonly path: string;
  readonly query: string;
  model: string;
  key: string;
  stream: 'stream' | 'plain';
  status: number;
  inputTokens: number;
  cacheRead: number;
  cacheWrite: number;
  /** Tokens written to the socket so far, reasoning included. */
  outputTokens: number;
  reasoningTokens: number;
  /** Tokens the answer would have had, had nothing cut it. */
  plannedOutputTokens: number;
  images: number;
  finished: Finished;
  /** Events written so far. */
  events: number;
  readonly startedAtMs: number;
  endedAtMs: number | undefined;
  readonly headerNames: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  bodyBytes: number;
  bodySha256: string;
  responseId: string;
  /** What the answer says, had nothing cut it; nothing for a call that was refused. */
  said: Said | undefined;
}

/** An answer's content in no protocol's words. */
export interface Said {
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly { readonly id: string; readonly name: string; readonly arguments: string }[];
  readonly refusal: string;
  readonly finish: string;
}

/** A ring of calls: memory stays bounded however long a benchmark runs. */
export class Truth {
  readonly #calls: TruthCall[] = [];
  readonly #byTag = new Map<string, TruthCall[]>();
  readonly #raw = new Map<TruthCall, Buffer>();
  #next = 0;

  record(call: TruthCall): void {
    const slot = this.#next % TRUTH_CALLS_MAX;
    const oldest = this.#calls[slot];
    if (oldest !== undefined) this.#forgetTag(oldest);
    this.#calls[slot] = call;
    this.#next++;
  }

  /** A call learns its tag when its body has been read. */
  tag(call: TruthCall, tag: string): void {
    call.tag = tag;
    if (tag === '') return;
    const tagged = this.#byTag.get(tag);
    if (tagged === undefined) this.#byTag.set(tag, [call]);
    else tagged.push(call);
  }

  keepBody(call: TruthCall, body: Buffer): void {
    call.bodyBytes = body.length;
    call.bodySha256 = createHash('sha256').update(body).digest('hex');
    if (body.length > TRUTH_RAW_BYTES_MAX) return;
    this.#raw.set(call, body);
    if (this.#raw.size <= TRUTH_RAW_CALLS_MAX) return;
    for (const oldest of this.#raw.keys()) {
      this.#raw.delete(oldest);
      break;
    }
  }

  /** The bytes of the request as they arrived, while they are still kept. */
  body(call: TruthCall): Buffer | undefined {
    return this.#raw.get(call);
  }

  /** All calls that are remembered, oldest first. */
  all(): readonly TruthCall[] {
    const first = Math.max(0, this.#next - TRUTH_CALLS_MAX) % TRUTH_CALLS_MAX;
    return [...this.#calls.slice(first), ...this.#calls.slice(0, first)];
  }

  /** The calls with this tag, oldest first: a retried call has several. */
  list(tag: string): readonly TruthCall[] {
    return this.#byTag.get(tag) ?? [];
  }

  /** The newest call with this tag. */
  find(tag: string): TruthCall | undefined {
    return this.#byTag.get(tag)?.at(-1);
  }

  get size(): number {
    return this.#calls.length;
  }

  clear(): void {
    this.#calls.length = 0;
    this.#byTag.clear();
    this.#raw.clear();
    this.#next = 0;
  }

  #forgetTag(call: TruthCall): void {
    this.#raw.delete(call);
    const tagged = this.#byTag.get(call.tag);
    if (tagged === undefined) return;
    if (tagged[0] === call) tagged.shift();
    if (tagged.length === 0) this.#byTag.delete(call.tag);
  }
}
