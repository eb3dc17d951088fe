import type { Database } from '../database.ts';

/** Jobs that run now, on all nodes, by their kind. What has ended is 0 for as long as it is looked at. */
export class RunningJobs {
  readonly #database: Database;
  #counts: ReadonlyMap<string, number> = new Map();
  #isCounting = false;

  constructor(database: Database) {
    this.#database = database;
  }

  get counts(): ReadonlyMap<string, number> {
    return this.#counts;
  }

  /** While the database is away the last figures stay. */
  async count(): Promise<void> {
    if (this.#isCounting) return;
    this.#isCounting = true;
    try {
      const rows = await this.#database.query<{ readonly kind: string; readonly count: bigint }>(
        "select kind, count(*) from jobs where state = 'running' group by kind",
      );
      const ended = [...this.#counts.keys()].map((kind): [string, number] => [kind, 0]);
      this.#counts = new Map([
        ...ended,
        ...rows.map(({ kind, count }): [string, number] => [kind, Number(count)]),
      ]);
    } catch {
      // Whoever watches sees tollgate_database_up.
    } finally {
      this.#isCounting = false;
    }
  }
}
