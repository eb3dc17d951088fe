import { CATALOG_PROBLEMS_MAX } from '../../bounds.ts';
import type { Problem } from '../document.ts';

/** Everything wrong with a file is reported at once, up to a bound. */
export class Problems {
  readonly #list: Problem[] = [];
  readonly #places = new Set<string>();
  #found = 0;

  add(path: string, message: string, line: number): void {
    this.#found++;
    this.#places.add(path);
    if (this.#list.length < CATALOG_PROBLEMS_MAX) this.#list.push({ path, message, line });
  }

  /** Whether a problem at this path was reported. The value used in its place was never written. */
  has(path: string): boolean {
    return this.#places.has(path);
  }

  get found(): boolean {
    return this.#found > 0;
  }

  /** In the order of the file. */
  list(): readonly Problem[] {
    const sorted = this.#list.toSorted((one, other) => one.line - other.line);
    const more = this.#found - sorted.length;
    return more === 0 ? sorted : [...sorted, { path: '', message: `${more} more problems`, line: 0 }];
  }
}

export function formatProblem({ path, message, line }: Problem): string {
  const where = path === '' ? '' : `${path}: `;
  return line === 0 ? `${where}${message}` : `${where}${message} (line ${line})`;
}
