import type { Database } from './database.ts';

/** An insert or update with values `$1`, `$2` …; it reads nothing that other parts of its statement write. */
export interface Part {
  readonly name: string;
  readonly text: string;
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
    const parts = this.#parts.map(({ name, text }, index) => {
      const first = before;
      before += this.#values[index]?.length ?? 0;
      return `${name} as (${text.replace(/\$(\d+)/g, (_place, number) => `$${first + Number(number)}`)})`;
    });
    // PostgreSQL begins with the last one whose rows are not read.
    return `with ${parts.toReversed().join(',\n')} select`;
  }
}
