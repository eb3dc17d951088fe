/** A queue with one line per owner. The owners take turns, so many items of one owner delay no other. */
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
   * Undefined: the item waits. If the queue is full, one item is removed and returned: the last of the
   * longest line, or the item itself if its own line is not shorter.
   */
  add(owner: Owner, item: Item): Item | undefined {
    const line = this.#lines.get(owner);
    let gone: Item | undefined;
    if (this.#size >= this.#max) {
      const longest = this.#longest();
      if (longest === undefined || longest.length <= (line?.length ?? 0) + 1) return item;
      // It has at least two items, so it does not become empty.
      gone = longest.pop();
      this.#size -= 1;
    }
    if (line === undefined) this.#lines.set(owner, [item]);
    else line.push(item);
    this.#size += 1;
    return gone;
  }

  /** The first item of the next owner in turn that is ready for one more. */
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
