import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/** Two halves, of which V8 uses one at a time. It is what Node allowed before version 24. */
const YOUNG_BYTES_MAX = 32 * 2 ** 20;

/** Settings of V8 that can be changed after its start, so that they hold however the process was started. */
export function setHeap(): void {
  collectBuffersEarly();
  limitYoungSpace();
}

/**
 * Lets V8 collect young buffers when they take 32 MiB instead of 128. Node 24 has raised that bound above the
 * 64 MiB of new buffers at which V8 marks the whole heap, so it is the whole heap that is marked, again and
 * again (nodejs/node#61967). For 2 GB of bodies of 1 MB: 1 marking instead of 54, and two thirds of the
 * processor time.
 */
function collectBuffersEarly(): void {
  setFlagsFromString('--scavenger-max-new-space-capacity-mb=8');
}

/**
 * Stops the growth of the space for young objects, which V8 doubles up to 128 MiB under load and then keeps.
 * The size itself can only be set when a process starts; how much it grows at a time can be set later. After
 * a load of small calls the process takes 40 to 190 MiB less, for the same processor time.
 */
function limitYoungSpace(): void {
  let grows = true;
  new PerformanceObserver(() => {
    // V8 may also shrink it, and then it may grow again.
    if (grows === youngBytes() < YOUNG_BYTES_MAX) return;
    grows = !grows;
    setFlagsFromString(`--semi-space-growth-factor=${grows ? 2 : 1}`);
  }).observe({ entryTypes: ['gc'] });
}

function youngBytes(): number {
  return getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')?.space_size ?? 0;
}
