import { createHash } from 'node:crypto';

const BLOCK_CHARACTERS = 512;
const BLOCKS_MAX = 100_000;

/** What a vendor remembers of the prompts of each key: their beginnings, in whole blocks. */
export class PromptCache {
  readonly #known = new Set<string>();

  /** How many of the input tokens are read from the cache. The whole prompt is remembered. */
  read(key: string, text: string, inputTokens: number): number {
    const beginning = createHash('sha256').update(key);
    let knownCharacters = 0;
    for (let end = BLOCK_CHARACTERS; end <= text.length; end += BLOCK_CHARACTERS) {
      const block = beginning
        .update(text.slice(end - BLOCK_CHARACTERS, end))
        .copy()
        .digest('base64');
      if (this.#known.has(block)) knownCharacters = end;
      else if (this.#known.size < BLOCKS_MAX) this.#known.add(block);
    }
    return Math.floor((inputTokens * knownCharacters) / Math.max(text.length, 1));
  }

  clear(): void {
    this.#known.clear();
  }
}
