/** What came of the calls of one window. */
import { createHistogram, type RecordableHistogram } from 'node:perf_hooks';
import type { CallOutcome } from './connection.ts';
import type { LoadResult, Percentiles } from './order.ts';

/** A result carries a few reasons of failure; thousands of the same would tell no more. */
const FAILURES_KEPT = 5;

export class Tally {
  readonly #latency = createHistogram({ figures: 3 });
  readonly #firstByte = createHistogram({ figures: 3 });
  readonly #late = createHistogram({ figures: 3 });
  readonly #failures = new Map<string, number>();
  readonly #begunMs = performance.now();
  #calls = 0;

  record(outcome: CallOutcome): void {
    if (outcome.failure !== undefined) {
      const known = this.#failures.get(outcome.failure);
      if (known !== undefined || this.#failures.size < FAILURES_KEPT) {
        this.#failures.set(outcome.failure, (known ?? 0) + 1);
      }
      return;
    }
    this.#calls += 1;
    recordMs(this.#latency, outcome.latencyMs);
    recordMs(this.#firstByte, outcome.firstByteMs);
  }

  recordLate(lateMs: number): void {
    recordMs(this.#late, lateMs);
  }

  result(events: number, bytes: number, streamsOpen: number): LoadResult {
    return {
      durationMs: performance.now() - this.#begunMs,
      calls: this.#calls,
      events,
      bytes,
      latencyMs: percentilesOf(this.#latency),
      firstByteMs: percentilesOf(this.#firstByte),
      ...(this.#late.count > 0 && { lateMs: percentilesOf(this.#late) }),
      streamsOpen,
      failures: Object.fromEntries(this.#failures),
    };
  }
}

/** Histograms count whole numbers: microseconds. */
function recordMs(histogram: RecordableHistogram, ms: number): void {
  histogram.record(Math.max(1, Math.round(ms * 1000)));
}

function percentilesOf(histogram: RecordableHistogram): Percentiles {
  const at = (percentile: number): number =>
    histogram.count === 0 ? 0 : histogram.percentile(percentile) / 1000;
  return { p50: at(50), p90: at(90), p99: at(99) };
}
