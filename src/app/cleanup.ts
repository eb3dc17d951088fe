/** What was begun and must be ended, the last one first: at a stop, and when a start fails half-way. */
export class Cleanup {
  readonly #steps: Array<() => void | Promise<void>> = [];

  add(end: () => void | Promise<void>): void {
    this.#steps.push(end);
  }

  /** One that fails keeps no other from its end: a database left behind is worse. The first is thrown. */
  async run(): Promise<void> {
    const failures: unknown[] = [];
    for (let end = this.#steps.pop(); end !== undefined; end = this.#steps.pop()) {
      try {
        await end();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  }
}
