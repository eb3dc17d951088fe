/**
 * A machine with cores, and processes of one thread each. A process does one piece of work after the other;
 * when more processes have work than there are cores, all get the same share, as under a fair scheduler.
 */
import type { Timeline } from './timeline.ts';

interface Work {
  remainingMs: number;
  readonly done: () => void;
}

export interface Process {
  /** Processor time that it has had. */
  readonly busyMs: number;
  /** Pieces of work that wait or run. */
  readonly length: number;
  run(workMs: number, done: () => void): void;
}

class SingleThread implements Process {
  readonly queue: Work[] = [];
  readonly #machine: Machine;
  #busyMs = 0;
  #taken = 0;

  constructor(machine: Machine) {
    this.#machine = machine;
  }

  get busyMs(): number {
    this.#machine.advance();
    return this.#busyMs;
  }

  get length(): number {
    return this.queue.length - this.#taken;
  }

  get current(): Work | undefined {
    return this.queue[this.#taken];
  }

  run(workMs: number, done: () => void): void {
    this.queue.push({ remainingMs: Math.max(workMs, 0), done });
    if (this.length === 1) this.#machine.begin(this);
  }

  work(doneMs: number): void {
    if (this.current === undefined) return;
    this.current.remainingMs -= doneMs;
    this.#busyMs += doneMs;
  }

  /** What is done is taken off in portions, because taking off the first of a long list costs its length. */
  finish(): Work | undefined {
    const work = this.current;
    this.#taken += 1;
    if (this.#taken > 1_000 && this.#taken * 2 > this.queue.length) {
      this.queue.splice(0, this.#taken);
      this.#taken = 0;
    }
    return work;
  }
}

/** Less than this is rounding, not work. */
const NOTHING_MS = 1e-9;

export class Machine {
  readonly #timeline: Timeline;
  readonly #cores: number;
  readonly #running = new Set<SingleThread>();
  #sinceMs = 0;
  /** A planned end counts only if nothing changed meanwhile. */
  #generation = 0;

  constructor(timeline: Timeline, cores: number) {
    this.#timeline = timeline;
    this.#cores = cores;
  }

  startProcess(): Process {
    return new SingleThread(this);
  }

  begin(process: SingleThread): void {
    this.advance();
    this.#running.add(process);
    this.#plan();
  }

  get #share(): number {
    return Math.min(1, this.#cores / this.#running.size);
  }

  /** All that was done until now. */
  advance(): void {
    const doneMs = (this.#timeline.nowMs - this.#sinceMs) * this.#share;
    for (const process of this.#running) process.work(doneMs);
    this.#sinceMs = this.#timeline.nowMs;
  }

  #plan(): void {
    if (this.#running.size === 0) return;
    this.#generation += 1;
    const generation = this.#generation;
    let leastMs = Number.POSITIVE_INFINITY;
    for (const { current } of this.#running) leastMs = Math.min(leastMs, current?.remainingMs ?? leastMs);
    this.#timeline.after(leastMs / this.#share, () => {
      if (generation === this.#generation) this.#endSome();
    });
  }

  #endSome(): void {
    this.advance();
    const ended: Work[] = [];
    for (const process of this.#running) {
      if ((process.current?.remainingMs ?? 0) > NOTHING_MS) continue;
      const work = process.finish();
      if (work !== undefined) ended.push(work);
      if (process.length === 0) this.#running.delete(process);
    }
    this.#plan();
    for (const { done } of ended) done();
  }
}
