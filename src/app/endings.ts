/** What was begun and must be ended, the last one first: at a stop, and when a start fails half-way. */
export class Endings {
  readonly #steps: Array<() => void | Promise<void>> = [];

  add(end: () => void | Promise<void>): void {
    this.#steps.push(end);
  }

  async run(): Promise<void> {
    for (let end = this.#steps.pop(); end !== undefined; end = this.#steps.pop()) await end();
  }
}
