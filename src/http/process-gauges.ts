import { monitorEventLoopDelay } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';
import type { Clock } from '../kernel/time/clock.ts';
import { VERSION } from '../kernel/version.ts';
import { Gauge, gaugeOf, labelText, type Metric } from './metrics.ts';

/** Shorter than scrapers wait, so that each scrape shows what was since the last one. */
const WINDOW_MS = 10_000;

/** The delay of the event loop lately. Since the start of the process a late hour would not be seen. */
class LoopDelay {
  readonly #delay = monitorEventLoopDelay({ resolution: 20 });
  readonly #clock: Clock;
  #begunAtMs: number;
  /** Of the window before this one. */
  #lastP99 = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#begunAtMs = clock.monotonic();
    this.#delay.enable();
  }

  /** The worse of this window and the one before, so that two scrapers see the same. */
  p99Seconds(): number {
    const p99 = this.#delay.percentile(99) / 1e9;
    const worse = Math.max(p99, this.#lastP99);
    const nowMs = this.#clock.monotonic();
    if (nowMs - this.#begunAtMs >= WINDOW_MS) {
      this.#begunAtMs = nowMs;
      this.#lastP99 = p99;
      this.#delay.reset();
    }
    return worse;
  }

  close(): void {
    this.#delay.disable();
  }
}

/** What operators know of every process, by the names that are usual with Prometheus. */
export class ProcessGauges {
  readonly #loop: LoopDelay;
  readonly #startedAtSeconds: number;

  constructor(clock: Clock) {
    this.#loop = new LoopDelay(clock);
    this.#startedAtSeconds = Math.round(clock.now() / 1000 - process.uptime());
  }

  list(): readonly Metric[] {
    const { rss, heapUsed } = process.memoryUsage();
    const { user, system } = process.cpuUsage();
    return [
      gaugeOf('tollgate_build_info', 'Always 1; the version is a label.', 1, labelText({ version: VERSION })),
      gaugeOf('process_start_time_seconds', 'Start, in seconds since the epoch.', this.#startedAtSeconds),
      new Gauge(
        'process_cpu_seconds_total',
        'Processor time, of user and system.',
        () => [['', (user + system) / 1e6]],
        'counter',
      ),
      gaugeOf('process_resident_memory_bytes', 'Resident memory.', rss),
      gaugeOf('nodejs_heap_used_bytes', 'JavaScript heap in use.', heapUsed),
      gaugeOf(
        'nodejs_heap_limit_bytes',
        'JavaScript heap that V8 allows.',
        getHeapStatistics().heap_size_limit,
      ),
      gaugeOf(
        'nodejs_eventloop_delay_p99_seconds',
        'Event-loop delay of the last seconds, p99.',
        this.#loop.p99Seconds(),
      ),
    ];
  }

  close(): void {
    this.#loop.close();
  }
}
