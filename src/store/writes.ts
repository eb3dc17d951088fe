import { type Columns, columnRows } from './columns.ts';
import type { Database } from './database.ts';

/** An insert or update of rows with these columns. It reads nothing that other parts write. */
export interface Part {
  readonly name: string;
  readonly columns: Columns<never>;
  /** The statement without `returning`. `given` are its rows; further values come after their columns. */
  readonly text: (given: string) => string;
}

interface Statement {
  readonly name: string;
  readonly text: string;
}

/** By the names of their parts. There are few: a batch leaves out what it has no rows for. */
const statements = new Map<string, Statement>();

/**
 * Many writes as one statement: each round trip costs both sides as much as some rows. They are carried out
 * in the order in which they were added, so that everybody who takes locks takes them in one order.
 * PostgreSQL does not define the order of parts that do not read each other. So each part has rows only when
 * the one before it has returned all of its own.
 */
export class Writes {
  readonly #parts: Part[] = [];
  readonly #values: unknown[][] = [];

  add(part: Part, values: readonly unknown[]): void {
    this.#parts.push(part);
    this.#values.push([...values]);
  }

  async send(transaction: Database): Promise<void> {
    if (this.#parts.length === 0) return;
    const { text, name } = this.#statement();
    await transaction.query(text, this.#values.flat(), name);
  }

  #statement(): Statement {
    const names = this.#parts.map((part) => part.name).join(' ');
    const known = statements.get(names);
    if (known !== undefined) return known;
    const statement = { name: `writes-${statements.size}`, text: this.#text() };
    statements.set(names, statement);
    return statement;
  }

  #text(): string {
    let before = 0;
    const parts = this.#parts.map(({ name, columns, text }, index) => {
      const first = before;
      before += this.#values[index]?.length ?? 0;
      const previous = this.#parts[index - 1];
      const turn = previous && `(select count(*) from ${previous.name}) >= 0`;
      const numbered = text(columnRows(columns, turn)).replace(
        /\$(\d+)/g,
        (_place, number) => `$${first + Number(number)}`,
      );
      return `${name} as (${numbered} returning 1)`;
    });
    return `with ${parts.join(',\n')} select`;
  }
}
