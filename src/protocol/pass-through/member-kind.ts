import { ANSWERS_PER_CALL_MAX } from '../../bounds.ts';
import { type Refusal, refuse } from '../../kernel/errors.ts';
import {
  DOT,
  LETTER_F,
  LETTER_N,
  LETTER_T,
  MINUS,
  NINE,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  ZERO,
} from '../bytes/ascii.ts';
import type { ByteRange, MemberKind } from '../dialect.ts';

const WANTED: Readonly<Record<MemberKind, string>> = {
  text: 'a text',
  list: 'a list',
  object: 'an object',
  flag: 'true or false',
  count: `a whole number up to ${ANSWERS_PER_CALL_MAX}`,
  limit: 'a whole number',
  any: 'anything',
};

/** Whether the value may be read as one of these kinds, and as nothing else. */
export function isOfKinds(body: Buffer, range: ByteRange, kinds: readonly MemberKind[]): boolean {
  if (body[range.start] === LETTER_N) return true;
  for (let index = 0; index < kinds.length; index++) {
    if (isOfKind(kinds[index] as MemberKind, body, range)) return true;
  }
  return false;
}

/** `param` is what the vendors' own clients read. */
export function refuseOtherKind(name: string, kinds: readonly MemberKind[]): Refusal {
  return refuseMember(name, `"${name}" must be ${kinds.map((kind) => WANTED[kind]).join(' or ')}`);
}

/** A member without which there is nothing to count. */
export function refuseMissing(body: Buffer, name: string, range: ByteRange | undefined): Refusal | undefined {
  if (range !== undefined && body[range.start] !== LETTER_N) return undefined;
  return refuseMember(name, `"${name}" is missing: it is what is charged`);
}

function refuseMember(param: string, message: string): Refusal {
  return refuse('notExpressible', {
    message,
    vendorFields: { type: 'invalid_request_error', param, code: 'invalid_type' },
  });
}

function isOfKind(kind: MemberKind, body: Buffer, { start, end }: ByteRange): boolean {
  const first = body[start] as number;
  switch (kind) {
    case 'text':
      return first === QUOTE;
    case 'list':
      return first === OPEN_BRACKET;
    case 'object':
      return first === OPEN_BRACE;
    case 'flag':
      return first === LETTER_T || first === LETTER_F;
    case 'limit':
      return isWhole(body, first === MINUS ? start + 1 : start, end);
    case 'count':
      return isWhole(body, start, end) && Number(body.toString('latin1', start, end)) <= ANSWERS_PER_CALL_MAX;
    case 'any':
      return true;
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
