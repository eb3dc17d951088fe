import type { LentBytes } from '../../../kernel/encoding/lent-bytes.ts';
import { BACKSLASH, QUOTE, SLASH } from '../../bytes/ascii.ts';
import { compilePaths } from '../../bytes/paths.ts';
import { isWord, Skimmer, walkObjects } from '../../bytes/skim.ts';

const PART_TREE = compilePaths({
  thought: 'thought',
  mime: 'inlineData.mimeType',
  data: 'inlineData.data',
});
const partSkimmer = new Skimmer(PART_TREE);
const { starts, ends } = partSkimmer;
const CANDIDATE_TREE = compilePaths({ finishReason: 'finishReason', parts: 'content.parts' });

const IMAGE = Buffer.from('image');
/** Small and capital letters differ only by this bit. */
const CASE_BIT = 0x20;

/**
 * What the candidates of one answer or chunk contain beside their text. Google sends an image whole, in one
 * part of one chunk, and never again.
 */
export class Candidates {
  pictures = 0;
  isAnyFinished = false;
  readonly #skimmer: Skimmer;

  constructor() {
    const walk = (bytes: LentBytes, start: number, end: number): number =>
      walkObjects(bytes, start, end, this.#walkPart);
    this.#skimmer = new Skimmer(CANDIDATE_TREE, { slot: CANDIDATE_TREE.slots.parts, walk });
  }

  /** Reads the array that starts here, and forgets the previous one. */
  readonly walk = (bytes: LentBytes, start: number, end: number): number => {
    this.pictures = 0;
    this.isAnyFinished = false;
    return walkObjects(bytes, start, end, this.#walkCandidate);
  };

  readonly #walkCandidate = (bytes: LentBytes, start: number, end: number): number => {
    const skimmer = this.#skimmer;
    const after = skimmer.run(bytes, start, end);
    if (after < 0) return after;
    const reason = skimmer.starts[CANDIDATE_TREE.slots.finishReason] as number;
    const reasonEnd = skimmer.ends[CANDIDATE_TREE.slots.finishReason] as number;
    if (reason >= 0 && bytes[reason] === QUOTE && reasonEnd > reason + 2) this.isAnyFinished = true;
    return after;
  };

  readonly #walkPart = (bytes: LentBytes, start: number, end: number): number => {
    const after = partSkimmer.run(bytes, start, end);
    if (after >= 0 && isPicture(bytes)) this.pictures++;
    return after;
  };
}

/** Whether the last skimmed part is a non-empty image, and not a sketch for one. */
function isPicture(bytes: LentBytes): boolean {
  const { thought, mime, data } = PART_TREE.slots;
  const type = starts[mime] as number;
  const content = starts[data] as number;
  if (type < 0 || content < 0 || !isImageType(bytes, type)) return false;
  if (bytes[content] !== QUOTE || bytes[content + 1] === QUOTE) return false;
  return !isWord(bytes, starts[thought] as number, ends[thought] as number, 'true');
}

/** Media types are case-insensitive, and some writers escape the slash. */
function isImageType(bytes: LentBytes, quote: number): boolean {
  const family = quote + 1;
  for (let index = 0; index < IMAGE.length; index++) {
    if (((bytes[family + index] as number) | CASE_BIT) !== IMAGE[index]) return false;
  }
  const after = bytes[family + IMAGE.length];
  return after === SLASH || after === BACKSLASH;
}
