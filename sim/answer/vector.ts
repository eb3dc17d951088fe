import { createHash } from 'node:crypto';
import { seededRandom } from '../../src/kernel/random.ts';

/** The vector of a text: the same for the same text, of length one, in numbers that four bytes hold. */
export function vectorOf(text: string, size: number): readonly number[] {
  const random = seededRandom(createHash('sha256').update(text).digest().readUInt32BE(0));
  const numbers = Array.from({ length: size }, () => random.unit() * 2 - 1);
  const length = Math.hypot(...numbers);
  return numbers.map((each) => Math.fround(each / length));
}
