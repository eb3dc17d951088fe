import { nextTurn } from '../async/next-turn.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;

export interface MemberChange {
  /** Members that are put first, as JSON text without braces: `"a":1,"b":2`. Not empty. */
  readonly added: string;
  /** Names of top-level members that are removed, in plain letters. */
  readonly removed: readonly string[];
}

/**
 * A JSON object with members added and removed at its top. All other bytes stay as they are: the pieces are
 * views of the source. The source is valid JSON. Large ones are searched in several turns.
 */
export async function changeMembers(
  source: Buffer,
  { added, removed }: MemberChange,
  turnBytes: number,
): Promise<readonly Buffer[]> {
  const search = new MemberSearch(source, removed);
  while (!search.run(search.at + turnBytes)) await nextTurn();
  const { open, cuts, isFirstCut, hasMembers } = search;
  const pieces: Buffer[] = [Buffer.from(hasMembers && !isFirstCut ? `{${added},` : `{${added}`)];
  let from = open + 1;
  for (const cut of cuts) {
    if (cut.start > from) pieces.push(source.subarray(from, cut.start));
    from = cut.end;
  }
  pieces.push(source.subarray(from));
  return pieces;
}

/** Finds the unwanted members, each with the comma before it. */
class MemberSearch {
  readonly cuts: { readonly start: number; readonly end: number }[] = [];
  readonly open: number;
  at: number;
  /** The first member has no comma before it. */
  isFirstCut = false;
  hasMembers = false;
  readonly #source: Buffer;
  readonly #removed: ReadonlySet<string>;
  #depth = 1;
  /** Where the current member starts, with its comma. */
  #memberStart: number;
  #isFirst = true;
  #isKey = true;
  #isCut = false;

  constructor(source: Buffer, removed: readonly string[]) {
    this.#source = source;
    this.#removed = new Set(removed);
    this.open = source.indexOf(OPEN_BRACE);
    this.at = this.open + 1;
    this.#memberStart = this.at;
  }

  /** True: the object was searched to its end. */
  run(until: number): boolean {
    const source = this.#source;
    while (this.at < until) {
      const byte = source[this.at];
      if (byte === undefined) return true;
      if (byte === QUOTE) this.#readString();
      else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) this.#depth++;
      else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) this.#depth--;
      else if (byte === COLON && this.#depth === 1) this.#isKey = false;
      if (this.#depth === 0 || (byte === COMMA && this.#depth === 1)) this.#endMember();
      if (this.#depth === 0) return true;
      this.at++;
    }
    return false;
  }

  /** Ends on the closing quote. */
  #readString(): void {
    const start = this.at + 1;
    let end = this.#source.indexOf(QUOTE, start);
    while (end > 0 && this.#isEscaped(end)) end = this.#source.indexOf(QUOTE, end + 1);
    this.at = end < 0 ? this.#source.length : end;
    if (this.#depth !== 1 || !this.#isKey) return;
    this.hasMembers = true;
    this.#isCut = this.#removed.has(this.#source.toString('latin1', start, this.at));
  }

  #isEscaped(at: number): boolean {
    let backslashes = 0;
    while (this.#source[at - 1 - backslashes] === BACKSLASH) backslashes++;
    return backslashes % 2 === 1;
  }

  #endMember(): void {
    if (this.#isCut) {
      this.cuts.push({ start: this.#memberStart, end: this.at });
      if (this.#isFirst) this.isFirstCut = true;
    }
    this.#memberStart = this.at;
    this.#isFirst = false;
    this.#isKey = true;
    this.#isCut = false;
  }
}
