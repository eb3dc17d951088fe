/** Simulated time: what is to happen, in its order. Nothing here reads a clock. */

interface Moment {
  readonly atMs: number;
  /** Moments at the same time happen in the order in which they were planned. */
  readonly sequence: number;
  readonly happen: () => void;
}

export class Timeline {
  readonly #heap: Moment[] = [];
  #nowMs = 0;
  #planned = 0;

  get nowMs(): number {
    return this.#nowMs;
  }

  after(delayMs: number, happen: () => void): void {
    this.#planned += 1;
    this.#push({ atMs: this.#nowMs + Math.max(0, delayMs), sequence: this.#planned, happen });
  }

  /** Answers when nothing is left, or when `endMs` is reached. */
  runUntil(endMs: number): void {
    for (let next = this.#heap[0]; next !== undefined && next.atMs <= endMs; next = this.#heap[0]) {
      this.#pop();
      this.#nowMs = next.atMs;
      next.happen();
    }
    this.#nowMs = Math.max(this.#nowMs, endMs);
  }

  /** A binary heap: the earliest moment is at its root. */
  #push(moment: Moment): void {
    const heap = this.#heap;
    let place = heap.length;
    heap.push(moment);
    while (place > 0) {
      const above = (place - 1) >> 1;
      const parent = heap[above];
      if (parent === undefined || !isBefore(moment, parent)) break;
      heap[place] = parent;
      place = above;
    }
    heap[place] = moment;
  }

  #pop(): void {
    const heap = this.#heap;
    const moved = heap.pop();
    if (moved === undefined || heap.length === 0) return;
    let place = 0;
    while (2 * place + 1 < heap.length) {
      const left = 2 * place + 1;
      const [one, other] = [heap[left], heap[left + 1]];
      if (one === undefined) break;
      const isOther = other !== undefined && isBefore(other, one);
      const child = isOther ? other : one;
      if (!isBefore(child, moved)) break;
      heap[place] = child;
      place = isOther ? left + 1 : left;
    }
    heap[place] = moved;
  }
}

function isBefore(one: Moment, other: Moment): boolean {
  return one.atMs < other.atMs || (one.atMs === other.atMs && one.sequence < other.sequence);
}
