import { ANSWERS_PER_CALL_MAX } from '../../../bounds.ts';
import type { LentBytes } from '../../../kernel/encoding/lent-bytes.ts';
import { QUOTE } from '../../bytes/ascii.ts';
import { readFigure } from '../../bytes/number.ts';
import { compilePaths } from '../../bytes/paths.ts';
import { Skimmer, walkObjects } from '../../bytes/skim.ts';

const TREE = compilePaths({ index: 'index', finishReason: 'finish_reason' });
const { slots } = TREE;

/** The choices of one chunk: which ones are in it, and which of them end with it. */
export class ChunkChoices {
  count = 0;
  readonly indexes = new Int32Array(ANSWERS_PER_CALL_MAX);
  readonly isFinished = new Uint8Array(ANSWERS_PER_CALL_MAX);
  readonly #skimmer = new Skimmer(TREE);

  /** Reads the array that starts here, and forgets the previous one. */
  readonly walk = (bytes: LentBytes, start: number, end: number): number => {
    this.count = 0;
    return walkObjects(bytes, start, end, this.#walkChoice);
  };

  readonly #walkChoice = (bytes: LentBytes, start: number, end: number): number => {
    const after = this.#skimmer.run(bytes, start, end);
    if (after < 0 || this.count === ANSWERS_PER_CALL_MAX) return after;
    const { starts, ends } = this.#skimmer;
    const at = starts[slots.index] as number;
    const index = at < 0 ? 0 : readFigure(bytes, at, ends[slots.index] as number, ANSWERS_PER_CALL_MAX - 1);
    if (index === undefined) return after;
    const reason = starts[slots.finishReason] as number;
    const isFinished =
      reason >= 0 && bytes[reason] === QUOTE && (ends[slots.finishReason] as number) > reason + 2;
    this.indexes[this.count] = index;
    this.isFinished[this.count++] = isFinished ? 1 : 0;
    return after;
  };
}

/** The choices of a whole stream: which ones began, and which have their finish reason. */
export class StreamChoices {
  readonly #begun = new Set<number>();
  readonly #finished = new Set<number>();

  take({ count, indexes, isFinished }: ChunkChoices): void {
    for (let at = 0; at < count; at++) {
      const index = indexes[at] as number;
      this.#begun.add(index);
      if (isFinished[at] === 1) this.#finished.add(index);
    }
  }

  get isWhole(): boolean {
    return this.#begun.size > 0 && this.#finished.size === this.#begun.size;
  }
}
