import { sha256Hex } from '../../../kernel/encoding/hash.ts';
import { shortHash } from './names.ts';

/**
 * Characters that every vendor accepts (Messages is the strictest). Shorter length limits are in the rules.
 */
const LEGAL = /^[A-Za-z0-9_-]+$/;
const CLIENT_ID_CHARS_MAX = 64;
const SYNTHETIC_CHARS = 24;
const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567';

/**
 * Call ids that the target accepts (rule C-32), one for each call of the conversation, all different: vendors
 * refuse both special characters and repeated ids. An id that is legal when it first appears stays unchanged,
 * so such ids are reserved before others are made up.
 */
export class CallIds {
  readonly #lengthMax: number;
  readonly #reserved: ReadonlySet<string>;
  readonly #taken = new Set<string>();
  /** How often an id was hashed: the search for a free one continues where it ended. */
  readonly #rounds = new Map<string, number>();

  /** `ids` of all calls, in their order. */
  constructor(lengthMax: number, ids: readonly string[]) {
    this.#lengthMax = lengthMax;
    this.#reserved = new Set(ids.filter((id) => isLegalId(id, lengthMax)));
  }

  /** The id for the next call of the conversation. The same calls in the same order get the same ids. */
  next(id: string): string {
    const isFirst = !this.#taken.has(id);
    if (isFirst && this.#reserved.has(id)) {
      this.#taken.add(id);
      return id;
    }
    for (let round = this.#rounds.get(id) ?? 0; ; round++) {
      const made = cleanId(id, this.#lengthMax, `${id} ${round}`);
      if (this.#taken.has(made) || this.#reserved.has(made)) continue;
      this.#taken.add(made);
      this.#rounds.set(id, round + 1);
      return made;
    }
  }
}

/** The client's id for a vendor's: the vendor's own if all protocols can carry it. */
export function clientCallId(vendorId: string): string {
  return isLegalId(vendorId, CLIENT_ID_CHARS_MAX)
    ? vendorId
    : cleanId(vendorId, CLIENT_ID_CHARS_MAX, vendorId);
}

/** An id for a call without one: stable, and unique across calls, answers and turns. */
export function synthesizeCallId(callId: string, choice: number, index: number): string {
  const digest = Buffer.from(sha256Hex(`${callId} ${choice} ${index}`), 'hex');
  let letters = '';
  for (const byte of digest.subarray(0, SYNTHETIC_CHARS)) letters += BASE32[byte % BASE32.length];
  return `call_${letters}`;
}

function isLegalId(id: string, lengthMax: number): boolean {
  return id.length <= lengthMax && LEGAL.test(id);
}

function cleanId(id: string, lengthMax: number, hashed: string): string {
  const hash = shortHash(hashed);
  const clean = id === '' ? 'call' : id.slice(0, lengthMax).replace(/[^A-Za-z0-9_-]/g, '_');
  return `${clean.slice(0, lengthMax - hash.length - 1)}_${hash}`;
}
