/**
 * Loaded into a server before its own code. On SIGUSR2 it writes what the heap holds, before and after a
 * collection, to the file that TEST_HEAP_FILE names. What was allocated between two readings is the second
 * one's `before` less the first one's `after`, if nothing was collected meanwhile.
 */
import { renameSync, writeFileSync } from 'node:fs';
import { constants, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';

/** In bytes. */
export interface Sizes {
  readonly objects: number;
  readonly buffers: number;
}

export interface HeapReading {
  readonly id: number;
  readonly before: Sizes;
  readonly after: Sizes;
  /** Collections since the start of the process that no reading asked for. */
  readonly collections: number;
}

const file = process.env.TEST_HEAP_FILE ?? '';
let id = 0;
let collections = 0;

new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) {
    const { detail } = entry as PerformanceEntry & { readonly detail: { readonly flags: number } };
    if ((detail.flags & constants.NODE_PERFORMANCE_GC_FLAGS_FORCED) === 0) collections += 1;
  }
}).observe({ entryTypes: ['gc'] });

function sizes(): Sizes {
  const { used_heap_size: objects, external_memory: buffers } = getHeapStatistics();
  return { objects, buffers };
}

/** Buffers are freed by another thread some time after the first collection. */
const SWEEP_MS = 100;

function read(): void {
  const before = sizes();
  const known = collections;
  globalThis.gc?.();
  setTimeout(() => {
    globalThis.gc?.();
    const reading: HeapReading = { id: ++id, before, after: sizes(), collections: known };
    writeFileSync(`${file}.new`, JSON.stringify(reading));
    renameSync(`${file}.new`, file);
  }, SWEEP_MS);
}

process.on('SIGUSR2', read);
