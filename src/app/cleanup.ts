/** Cleanup steps, run in reverse order: at a stop, and when a start fails half-way. */
export class Cleanup {
  readonly #steps: Array<() => void | Promise<void>> = [];

  add(end: () => void | Promise<void>): void {
    this.#steps.push(end);
  }

  /** A failed step does not stop the others, so that no database is left running. Throws the first error. */
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
