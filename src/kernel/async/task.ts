import type { Logger } from '../log.ts';

/**
 * Every promise is awaited or given to a task registry: a failure in the background is logged once with its
 * name, and a stop waits for running tasks.
 */
export class Tasks {
  readonly #running = new Set<Promise<void>>();
  readonly #log: Logger;

  constructor(log: Logger) {
    this.#log = log;
  }

  run(name: string, work: () => Promise<void>): void {
    const task = work().catch((error: unknown) => {
      this.#log.error({ task: name, err: error }, 'background task failed');
    });
    this.#running.add(task);
    void task.then(() => this.#running.delete(task));
  }

  get size(): number {
    return this.#running.size;
  }

  /** Waits for all running tasks, at most `timeoutMs`. Returns whether all of them ended. */
  async settled(timeoutMs: number): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => resolve(false), timeoutMs);
    });
    const done = Promise.all(this.#running).then(() => true);
    const ended = await Promise.race([done, late]);
    clearTimeout(timer);
    return ended;
  }
}
