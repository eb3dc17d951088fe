import type { LentBytes } from '../../../kernel/encoding/lent-bytes.ts';
import { QUOTE } from '../../bytes/ascii.ts';
import { compilePaths } from '../../bytes/paths.ts';
import { isWord, Skimmer, walkObjects } from '../../bytes/skim.ts';
import type { ByteRange } from '../../dialect.ts';

const TREE = compilePaths({ type: 'type', result: 'result' });
const { slots } = TREE;
const itemSkimmer = new Skimmer(TREE);

const PICTURE = '"image_generation_call"';
const IMAGE_TOOL = Buffer.from('"image_generation"');
/** Letters can be written like this, but clients do so only to hide a name. */
const ESCAPED = Buffer.from('\\u00');

/**
 * Whether a request's `tools` may contain the image tool. A false positive holds money for one image too
 * many.
 */
export function mayHoldImageTool(body: Buffer, { start, end }: ByteRange): boolean {
  const tools = body.subarray(start, end);
  return tools.includes(IMAGE_TOOL) || tools.includes(ESCAPED);
}

/** Counts the finished images among the items of a response's `output`. */
export class OutputPictures {
  count = 0;

  /** Counts in the array that starts here, and forgets the previous count. */
  readonly walk = (bytes: LentBytes, start: number, end: number): number => {
    this.count = 0;
    return walkObjects(bytes, start, end, this.#walkItem);
  };

  readonly #walkItem = (bytes: LentBytes, start: number, end: number): number => {
    const after = itemSkimmer.run(bytes, start, end);
    if (after >= 0 && isPicture(bytes, itemSkimmer, slots)) this.count++;
    return after;
  };
}

export interface ItemSlots {
  readonly type: number;
  readonly result: number;
}

/**
 * Whether the last skimmed item is a finished image. Until it is finished, its `result` is null or absent.
 * Its status proves nothing, because not every vendor sets it before the end.
 */
export function isPicture(bytes: LentBytes, { starts, ends }: Skimmer, { type, result }: ItemSlots): boolean {
  const content = starts[result] as number;
  if (content < 0 || bytes[content] !== QUOTE || bytes[content + 1] === QUOTE) return false;
  return isWord(bytes, starts[type] as number, ends[type] as number, PICTURE);
}
