import { type Refusal, refuse } from '../../kernel/errors.ts';
import { LETTER_N, OPEN_BRACE, OPEN_BRACKET, QUOTE } from '../bytes/ascii.ts';
import type { ByteRange } from '../dialect.ts';

/** What a member that is counted may be. */
export type MemberKind = 'a text' | 'a list' | 'an object';

const FIRST: Readonly<Record<MemberKind, number>> = {
  'a text': QUOTE,
  'a list': OPEN_BRACKET,
  'an object': OPEN_BRACE,
};

/**
 * A value of another kind would not be counted, and a vendor may read it all the same. `null` counts as
 * absent.
 */
export function refuseOtherKind(
  body: Buffer,
  name: string,
  range: ByteRange | undefined,
  kinds: readonly MemberKind[],
): Refusal | undefined {
  const first = firstByte(body, range);
  if (first === undefined || kinds.some((kind) => first === FIRST[kind])) return undefined;
  return refuse('notExpressible', { message: `"${name}" must be ${kinds.join(' or ')}: it is charged` });
}

/** The same for a member without which there is nothing to count. */
export function refuseMissing(body: Buffer, name: string, range: ByteRange | undefined): Refusal | undefined {
  if (firstByte(body, range) !== undefined) return undefined;
  return refuse('notExpressible', { message: `"${name}" is missing: it is what is charged` });
}

/** `undefined`: there is no value. */
function firstByte(body: Buffer, range: ByteRange | undefined): number | undefined {
  const first = range === undefined ? LETTER_N : body[range.start];
  return first === LETTER_N ? undefined : first;
}
