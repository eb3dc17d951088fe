import type { Logprob } from '../../hub/answer.ts';
import type { HubEvent } from '../../hub/event.ts';
import { type DecoderState, type ItemState, openPart, type PartState } from './stream-state.ts';
import { findRest, note, nothingSaid } from './text-so-far.ts';

/** Words of a part: some of them, or all. */
export interface Words {
  readonly kind: PartState['kind'];
  /** Where the vendor says that the part is among those of its item. */
  readonly place: number | undefined;
  readonly text: string;
  readonly logprobs: readonly Logprob[];
}

export function isOpen(item: ItemState, part: PartState): boolean {
  return item.isPartOpen && item.part === part;
}

/** Some more words of a part, which begins with them if it is not there. */
export function addWords(state: DecoderState, item: ItemState, words: Words): void {
  say(state, item, partFor(item, words), words);
}

/**
 * All words of a part. What was not said of it yet is said; where it was told in other words, what was said
 * first counts. Gives the part, or nothing where there is none.
 */
export function endWords(state: DecoderState, item: ItemState, words: Words): PartState | undefined {
  const { place, text } = words;
  const known = place === undefined ? item.part : item.parts.get(place);
  const last = item.isPartOpen ? item.part : undefined;
  const candidates = [known, last].filter((part) => part?.kind === words.kind) as PartState[];
  for (const part of candidates) {
    const rest = findRest(part.said, text);
    if (rest === undefined || (part.isTold && rest !== '')) continue;
    if (rest !== '') say(state, item, part, { ...words, text: rest, logprobs: [] });
    return told(part);
  }
  const corrected = candidates.find((part) => !part.isTold);
  if (corrected !== undefined) return told(corrected);
  if (text === '') return undefined;
  const part = newPart(item, words);
  say(state, item, part, words);
  return told(part);
}

function told(part: PartState): PartState {
  part.isTold = true;
  return part;
}

function partFor(item: ItemState, words: Words): PartState {
  const { kind, place } = words;
  const last = item.isPartOpen ? item.part : undefined;
  const known = place === undefined ? last : item.parts.get(place);
  if (known !== undefined) return known.kind === kind && !known.isTold ? known : newPart(item, words);
  if (last === undefined || last.place !== undefined || last.kind !== kind || last.isTold) {
    return newPart(item, words);
  }
  // It began without a place, which is told only now.
  last.place = place;
  item.parts.set(place as number, last);
  return last;
}

function newPart(item: ItemState, { kind, place }: Words): PartState {
  const part: PartState = { kind, place, said: nothingSaid(), isTold: false, citations: 0 };
  if (place !== undefined) item.parts.set(place, part);
  item.partCount++;
  return part;
}

function say(state: DecoderState, item: ItemState, part: PartState, words: Words): void {
  const { kind, logprobs } = words;
  const isNext = item.part !== part;
  // Thoughts are one part with paragraphs.
  const isJoined = kind === 'reasoning' && item.isPartOpen;
  if (!isJoined && (isNext || !item.isPartOpen)) openPart(state, item, { kind });
  item.part = part;
  note(part.said, words.text);
  const text = isJoined && isNext && item.said.chars > 0 ? `\n\n${words.text}` : words.text;
  note(item.said, text);
  const delta: HubEvent = { kind: 'delta', choice: 0, text };
  state.emit(logprobs.length > 0 ? { ...delta, logprobs } : delta);
}
