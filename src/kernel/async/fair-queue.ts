/** Whoever waits does so in a line of its owner, and the owners take turns: many of one delay no other. */
export class FairQueue<Owner, Item> {
  readonly #max: number;
  /** In the order of their turns; no line is empty. */
  readonly #lines = new Map<Owner, Item[]>();
  #size = 0;

  constructor(max: number) {
    this.#max = max;
  }

  get size(): number {
    return this.#size;
  }

  /**
   * Nothing: the item waits. In a full queue somebody has to go, and is answered: the last of the longest
   * line, or the item itself when its own line is no shorter than that.
   */
  add(owner: Owner, item: Item): Item | undefined {
    const line = this.#lines.get(owner);
    let gone: Item | undefined;
    if (this.#size >= this.#max) {
      const longest = this.#longest();
      if (longest === undefined || longest.length <= (line?.length ?? 0) + 1) return item;
      // It has two at least, so it does not become empty.
      gone = longest.pop();
      this.#size -= 1;
    }
    if (line === undefined) this.#lines.set(owner, [item]);
    else line.push(item);
    this.#size += 1;
    return gone;
  }

  /** The first of the next owner in turn who is ready for one more. */
  next(isReady: (owner: Owner) => boolean = () => true): Item | undefined {
    for (const [owner, line] of this.#lines) {
      if (!isReady(owner)) continue;
      const item = line.shift();
      this.#lines.delete(owner);
      if (line.length > 0) this.#lines.set(owner, line);
      this.#size -= 1;
      return item;
    }
    return undefined;
  }

  remove(owner: Owner, item: Item): void {
    const line = this.#lines.get(owner) ?? [];
    const place = line.indexOf(item);
    if (place < 0) return;
    line.splice(place, 1);
    if (line.length === 0) this.#lines.delete(owner);
    this.#size -= 1;
  }

  #longest(): Item[] | undefined {
    let longest: Item[] | undefined;
    for (const line of this.#lines.values()) if (line.length > (longest?.length ?? 0)) longest = line;
    return longest;
  }
}
