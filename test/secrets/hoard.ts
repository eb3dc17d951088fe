/** Texts that nobody may find again, and what was found of them where they have no business. */
export class Hoard {
  readonly #needles = new Map<string, readonly string[]>();
  readonly sightings: string[] = [];
  /** Characters that were searched. */
  searched = 0;

  /** The text itself is the return value, so that it can be hidden where it is made. */
  hide(label: string, text: string): string {
    if (text.length < 12) throw new Error(`${label} is too short to be told from chance`);
    this.#needles.set(label, formsOf(text));
    return text;
  }

  get labels(): readonly string[] {
    return [...this.#needles.keys()];
  }

  search(place: string, text: string, allowed: readonly string[] = []): void {
    this.searched += text.length;
    for (const [label, forms] of this.#needles) {
      if (allowed.includes(label)) continue;
      const found = forms.findIndex((form) => text.includes(form));
      if (found >= 0) this.sightings.push(`${label} (form ${found}) in ${place}`);
    }
  }
}

/** As it is, in JSON, in an address, in hexadecimal, and in base64 at each of its three alignments. */
function formsOf(text: string): readonly string[] {
  const bytes = Buffer.from(text);
  const aligned = [0, 1, 2].map((shift) => {
    const encoded = Buffer.concat([Buffer.alloc(shift), bytes]).toString('base64');
    // What depends on the neighbours is left out at both ends.
    return encoded.replace(/=+$/, '').slice(shift === 0 ? 0 : shift + 1, -2);
  });
  const urls = aligned.map((form) => form.replaceAll('+', '-').replaceAll('/', '_'));
  const hex = bytes.toString('hex');
  const plain = [text, JSON.stringify(text).slice(1, -1), encodeURIComponent(text), hex, hex.toUpperCase()];
  return [...new Set([...plain, ...aligned, ...urls])];
}
