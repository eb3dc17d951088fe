import { ANSWERS_PER_CALL_MAX } from '../../bounds.ts';
import { assert } from '../../kernel/assert.ts';
import { DOT, LETTER_F, LETTER_N, LETTER_T, MINUS, NINE, OPEN_BRACE, ZERO } from '../bytes/ascii.ts';
import type { PathTree } from '../bytes/paths.ts';
import type { ByteRange } from '../dialect.ts';
import { foldKey } from './key-spelling.ts';

/** What a key that affects metering may hold. null always counts as absent. */
type Kind =
  | 'flag'
  /** How many answers or images. */
  | 'count'
  /** The longest answer. Vendors take a negative one as no limit. */
  | 'limit'
  | 'object';

const KINDS: ReadonlyMap<string, Kind> = new Map([
  ['stream', 'flag'],
  ['include_usage', 'flag'],
  ['background', 'flag'],
  ['store', 'flag'],
  ['n', 'count'],
  ['best_of', 'count'],
  ['batch_size', 'count'],
  ['num_images', 'count'],
  ['max_images', 'count'],
  ['candidateCount', 'count'],
  ['candidate_count', 'count'],
  ['max_tokens', 'limit'],
  ['max_completion_tokens', 'limit'],
  ['max_output_tokens', 'limit'],
  ['maxOutputTokens', 'limit'],
  ['budget_tokens', 'limit'],
  ['stream_options', 'object'],
  ['generationConfig', 'object'],
  ['generation_config', 'object'],
]);

const WANTED: Readonly<Record<Kind, string>> = {
  flag: 'true or false',
  count: `a whole number up to ${ANSWERS_PER_CALL_MAX}`,
  limit: 'a whole number',
  object: 'an object',
};

interface MeteredSlot {
  readonly path: string;
  readonly kind: Kind | undefined;
  /** A bit that is shared by slots whose paths differ only in spellings that a vendor knows. */
  readonly group: number;
}

/** May be repeated: every one of them is replaced in the vendor's request. */
const REPEATABLE = 'model';

const trees = new WeakMap<PathTree<string>, readonly MeteredSlot[]>();

function toMeteredSlots(tree: PathTree<string>): readonly MeteredSlot[] {
  let slots = trees.get(tree);
  if (slots === undefined) {
    assert(tree.slotCount <= 32, 'the groups of a tree are bits of one number');
    const folded = tree.paths.map(foldKey);
    slots = tree.paths.map((path, slot) => ({
      path,
      kind: KINDS.get(path.split('.').at(-1) ?? ''),
      group: 1 << folded.indexOf(folded[slot] as string),
    }));
    trees.set(tree, slots);
  }
  return slots;
}

/**
 * Describes, for the client, what two readers of a request could read differently: a value of the wrong type,
 * because some take `1` and `"true"` for true; and a repeated key, because some read the first, most the
 * last, and some both.
 */
export function findAmbiguity(
  body: Buffer,
  found: readonly (readonly ByteRange[] | undefined)[],
  tree: PathTree<string>,
): string | undefined {
  const slots = toMeteredSlots(tree);
  let groups = 0;
  for (let index = 0; index < found.length; index++) {
    const ranges = found[index];
    if (ranges === undefined) continue;
    const { kind, path, group } = slots[index] as MeteredSlot;
    const isSeen = ranges.length > 1 || (groups & group) !== 0;
    if (isSeen && path !== REPEATABLE) return `"${path}" comes more than once`;
    groups |= group;
    const range = ranges[0] as ByteRange;
    if (kind !== undefined && !isOfKind(kind, body, range)) return `"${path}" must be ${WANTED[kind]}`;
  }
  return undefined;
}

function isOfKind(kind: Kind, body: Buffer, { start, end }: ByteRange): boolean {
  const first = body[start] as number;
  if (first === LETTER_N) return true;
  switch (kind) {
    case 'flag':
      return first === LETTER_T || first === LETTER_F;
    case 'object':
      return first === OPEN_BRACE;
    case 'limit':
      return isWhole(body, first === MINUS ? start + 1 : start, end);
    case 'count':
      return isWhole(body, start, end) && Number(body.toString('latin1', start, end)) <= ANSWERS_PER_CALL_MAX;
  }
}

/** The most digits that every reader keeps exactly. */
const DIGITS_MAX = 15;

/** Some languages write a whole number with a fraction of zeros. Not every reader accepts `5e0` and `"5"`. */
function isWhole(body: Buffer, start: number, end: number): boolean {
  let at = start;
  while (at < end && isDigit(body[at] as number)) at++;
  const digits = at - start;
  if (digits === 0 || digits > DIGITS_MAX) return false;
  if (at < end && body[at] === DOT) {
    at++;
    while (at < end && body[at] === ZERO) at++;
  }
  return at === end;
}

function isDigit(byte: number): boolean {
  return byte >= ZERO && byte <= NINE;
}
