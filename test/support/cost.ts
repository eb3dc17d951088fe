/**
 * Processor time of this process so far. What a computation costs is told by it, and not by the clock: on a
 * busy machine the clock tells what the others do.
 */
export function processorMs(): number {
  return process.cpuUsage().user / 1000;
}
