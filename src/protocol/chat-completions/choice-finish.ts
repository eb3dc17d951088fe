import { QUOTE } from '../ascii.ts';
import { compilePaths } from '../paths.ts';
import { Skimmer, walkObjects } from '../skim.ts';

const TREE = compilePaths({ finishReason: 'finish_reason' });
const REASON = TREE.slots.finishReason;

/** How many choices one chunk has, and whether one of them is finished with it. */
export class ChoiceFinish {
  choices = 0;
  isAnyFinished = false;
  readonly #skimmer = new Skimmer(TREE);

  /** Of the array that starts here; how it was before is forgotten. */
  readonly walk = (bytes: Buffer, start: number, end: number): number => {
    this.choices = 0;
    this.isAnyFinished = false;
    return walkObjects(bytes, start, end, this.#walkChoice);
  };

  readonly #walkChoice = (bytes: Buffer, start: number, end: number): number => {
    const after = this.#skimmer.run(bytes, start, end);
    if (after < 0) return after;
    this.choices++;
    if (bytes[this.#skimmer.starts[REASON] as number] === QUOTE) this.isAnyFinished = true;
    return after;
  };
}
