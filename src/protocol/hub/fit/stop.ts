import { STOP_CHARS_MAX, STOP_SEQUENCES_MAX } from '../../../bounds.ts';
import type { Logprob } from '../answer.ts';
import type { Target } from '../codec.ts';
import { Inexpressible } from '../notes.ts';
import type { HubRequest } from '../request.ts';

/** Whether we must find the stop sequences, because the target cannot (Responses has no such field). */
export function stopsHere(request: HubRequest, target: Target): boolean {
  const isUnable = target.protocol === 'responses' || !target.capabilities.stopSequences;
  return isUnable && request.stop.some((stop) => stop !== '');
}

/** Every text is searched for each stop sequence, so sequences that no vendor would accept are refused. */
export function checkStops(stops: readonly string[]): void {
  if (stops.length > STOP_SEQUENCES_MAX) throw new Inexpressible('stop', 'too many stop sequences');
  if (stops.some((stop) => stop.length > STOP_CHARS_MAX)) {
    throw new Inexpressible('stop', 'a stop sequence is too long');
  }
}

/** The logprobs of the tokens that are wholly inside the text. */
export function logprobsWithin(logprobs: readonly Logprob[], text: string): readonly Logprob[] {
  let length = 0;
  const end = logprobs.findIndex(({ token }) => {
    length += token.length;
    return length > text.length;
  });
  return end < 0 ? logprobs : logprobs.slice(0, end);
}

/** The result for a piece of text. */
export interface Scanned {
  readonly text: string;
  /** The stop sequence that was found. No text after it may be sent. */
  readonly stop: string | undefined;
}

/** Finds stop sequences in a text that comes in pieces. It keeps back only what may be the start of one. */
export class StopScanner {
  readonly #stops: readonly string[];
  #held = '';

  constructor(stops: readonly string[]) {
    this.#stops = stops.filter((stop) => stop !== '');
  }

  push(piece: string): Scanned {
    const text = this.#held + piece;
    const hit = this.#find(text);
    if (hit !== undefined) {
      this.#held = '';
      return { text: text.slice(0, hit.at), stop: hit.stop };
    }
    const end = text.length - this.#prefixAtEnd(text);
    this.#held = text.slice(end);
    return { text: text.slice(0, end), stop: undefined };
  }

  /** The text ended: what was kept back was not a stop sequence. */
  flush(): string {
    const held = this.#held;
    this.#held = '';
    return held;
  }

  /** The earliest; of several at one place the first of the client's list. */
  #find(text: string): { readonly at: number; readonly stop: string } | undefined {
    let found: { readonly at: number; readonly stop: string } | undefined;
    for (const stop of this.#stops) {
      const at = text.indexOf(stop);
      if (at >= 0 && (found === undefined || at < found.at)) found = { at, stop };
    }
    return found;
  }

  /** How many characters at the end are the beginning of a stop sequence. */
  #prefixAtEnd(text: string): number {
    let longest = 0;
    for (const stop of this.#stops) {
      const first = stop.charAt(0);
      const from = Math.max(0, text.length - stop.length + 1);
      let at = text.indexOf(first, from);
      while (at >= 0 && !stop.startsWith(text.slice(at))) at = text.indexOf(first, at + 1);
      if (at >= 0) longest = Math.max(longest, text.length - at);
    }
    return longest;
  }
}
