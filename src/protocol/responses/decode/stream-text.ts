import type { Logprob } from '../../hub/answer.ts';
import type { HubEvent } from '../../hub/event.ts';
import { type DecoderState, type ItemState, openPart, type PartState } from './stream-state.ts';
import { findRest, newText, note } from './text-so-far.ts';

/** Text of a part: some of it, or all. */
export interface PartText {
  readonly kind: PartState['kind'];
  /** The vendor's place of the part within its item. */
  readonly place: number | undefined;
  readonly text: string;
  readonly logprobs: readonly Logprob[];
}

export function isOpen(item: ItemState, part: PartState): boolean {
  return item.isPartOpen && item.part === part;
}

/** Adds text to a part, which begins here if it does not exist. */
export function addPartText(state: DecoderState, item: ItemState, words: PartText): void {
  say(state, item, partFor(item, words), words);
}

/**
 * The whole text of a part. What was not emitted yet is emitted. If it differs from the streamed text, the
 * streamed text counts. Returns the part, or `undefined` if there is none.
 */
export function endPartText(state: DecoderState, item: ItemState, words: PartText): PartState | undefined {
  const { place, text } = words;
  const known = place === undefined ? item.part : item.parts.get(place);
  const last = item.isPartOpen ? item.part : undefined;
  const candidates = [known, last].filter((part) => part?.kind === words.kind) as PartState[];
  for (const part of candidates) {
    const rest = findRest(part.text, text);
    if (rest === undefined || (part.isComplete && rest !== '')) continue;
    if (rest !== '') say(state, item, part, { ...words, text: rest, logprobs: [] });
    return complete(part);
  }
  const corrected = candidates.find((part) => !part.isComplete);
  if (corrected !== undefined) return complete(corrected);
  if (text === '') return undefined;
  const part = newPart(item, words);
  say(state, item, part, words);
  return complete(part);
}

function complete(part: PartState): PartState {
  part.isComplete = true;
  return part;
}

function partFor(item: ItemState, words: PartText): PartState {
  const { kind, place } = words;
  const last = item.isPartOpen ? item.part : undefined;
  const known = place === undefined ? last : item.parts.get(place);
  if (known !== undefined) return known.kind === kind && !known.isComplete ? known : newPart(item, words);
  if (last === undefined || last.place !== undefined || last.kind !== kind || last.isComplete) {
    return newPart(item, words);
  }
  // It began without a place, which is known only now.
  last.place = place;
  item.parts.set(place as number, last);
  return last;
}

function newPart(item: ItemState, { kind, place }: PartText): PartState {
  const part: PartState = { kind, place, text: newText(), isComplete: false, citations: 0 };
  if (place !== undefined) item.parts.set(place, part);
  item.partCount++;
  return part;
}

function say(state: DecoderState, item: ItemState, part: PartState, words: PartText): void {
  const { kind, logprobs } = words;
  const isNext = item.part !== part;
  // Reasoning is one part with paragraphs.
  const isJoined = kind === 'reasoning' && item.isPartOpen;
  if (!isJoined && (isNext || !item.isPartOpen)) openPart(state, item, { kind });
  item.part = part;
  note(part.text, words.text);
  const text = isJoined && isNext && item.text.chars > 0 ? `\n\n${words.text}` : words.text;
  note(item.text, text);
  const delta: HubEvent = { kind: 'delta', choice: 0, text };
  state.emit(logprobs.length > 0 ? { ...delta, logprobs } : delta);
}
