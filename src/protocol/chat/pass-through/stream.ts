import { type JsonBounds, parseJson } from '../../../kernel/encoding/json.ts';
import type { LentBytes } from '../../../kernel/encoding/lent-bytes.ts';
import { COMMA, OPEN_BRACE, QUOTE, SPACE } from '../../bytes/ascii.ts';
import { commonShape, type EventShape, type Place, SHAPED_BYTES_MAX } from '../../bytes/event-shape.ts';
import { compilePaths } from '../../bytes/paths.ts';
import { isEmptyArray, isOpenBrace, isWord, Skimmer, skipSpace } from '../../bytes/skim.ts';
import { NOTHING } from '../../bytes/splitter.ts';
import { isDone } from '../../bytes/sse.ts';
import type { Figures } from '../../meter/usage-report.ts';
import { collectWords } from '../../meter/words.ts';
import type { EventControl, EventReader } from '../../pass-through/relay.ts';
import { ChunkChoices, StreamChoices } from './choices.ts';
import {
  CHAT_USAGE_PATHS,
  CHAT_USAGE_RULE,
  GROQ_USAGE_PATHS,
  readChatFigures,
  readGroqFigures,
} from './usage.ts';

const TREE = compilePaths({
  model: 'model',
  choices: 'choices',
  error: 'error',
  ...CHAT_USAGE_PATHS,
  ...GROQ_USAGE_PATHS,
});
const { slots } = TREE;
/** Reading an event is synchronous, so one skimmer serves all streams. */
const chunkChoices = new ChunkChoices();
const skimmer = new Skimmer(TREE, { slot: slots.choices, walk: chunkChoices.walk });
const { starts, ends, keyStarts } = skimmer;

const DONE = Buffer.from('data: [DONE]\n\n');

/** How often shapes are learned before learning stops. Long chunks are not learned: they are rare. */
const LEARNED_MAX = 16;
const LESSON_BOUNDS: JsonBounds = { bytesMax: SHAPED_BYTES_MAX, depthMax: 32 };

interface Range {
  readonly start: number;
  readonly end: number;
}

/** What a walk found in an event, by positions in it. */
interface Found {
  readonly choices: Range | undefined;
  readonly model: Range | undefined;
  readonly removed: Range | undefined;
}

/** A range of an event's structure, valid in the next event of the same shape. */
interface Span {
  readonly start: Place;
  readonly end: Place;
}

/** What to do with every event of one shape. */
interface LearnedShape {
  readonly shape: EventShape;
  /** The generated strings, between their quotes. */
  readonly texts: readonly Span[];
  readonly model: Span | undefined;
  readonly removed: Span | undefined;
}

export class ChatEventReader implements EventReader {
  readonly rule = CHAT_USAGE_RULE;
  readonly nextSequenceNumber = undefined;
  /** Every choice has its finish reason, and none had content since. */
  ended = false;
  /** No field of this protocol shows it before the usage does. */
  readonly reasoned = false;
  readonly #usageInjected: boolean;
  /**
   * Nearly all chunks of a stream differ only in some text. Such a chunk is compared with the common shape of
   * the last two that were walked, which costs a fraction of a walk. Any other chunk is walked.
   */
  #learned: LearnedShape | undefined;
  #lastWalked = NOTHING;
  /** The choice of that chunk: chunks of two choices are not mixed up. */
  #lastChoice = -1;
  #learnedCount = 0;
  readonly #choices = new StreamChoices();

  constructor(facts: { readonly usageInjected: boolean }) {
    this.#usageInjected = facts.usageInjected;
  }

  /** Rule I-37: every choice has its finish reason. */
  get omittedTerminator(): Buffer | undefined {
    return this.#choices.isWhole ? DONE : undefined;
  }

  read(payload: LentBytes, start: number, end: number, outlet: EventControl): void {
    const learned = this.#learned;
    if (learned?.shape.match(payload, start, end)) {
      if (learned.texts.length > 0) this.ended = false;
      repeat(learned, outlet);
      return;
    }
    if (payload[start] !== OPEN_BRACE) {
      if (isDone(payload, skipSpace(payload, start, end), end)) outlet.conclude();
      return;
    }
    if (skimmer.run(payload, start, end) < 0) return;
    const error = findRange(slots.error);
    const isError = error !== undefined && !isNone(payload, error);
    if (isError) outlet.fail();
    const choices = findRange(slots.choices);
    if (choices !== undefined) {
      outlet.generated(choices.start, choices.end);
      this.#choices.take(chunkChoices);
      if (chunkChoices.count > 0) this.ended = this.#choices.isWhole;
    }
    const hasUsage = isOpenBrace(payload, starts[slots.usage] as number);
    if (hasUsage && this.#report(payload, outlet)) return;
    const isGroq = !hasUsage && isOpenBrace(payload, starts[slots.groq] as number);
    if (isGroq) report(readGroqFigures(payload, skimmer, slots), outlet);
    const isReport = hasUsage || isGroq;
    const removed = this.#usageInjected ? nullMember(payload) : undefined;
    if (removed !== undefined) outlet.remove(removed.start, removed.end);
    const model = payload[starts[slots.model] as number] === QUOTE ? findRange(slots.model) : undefined;
    if (model !== undefined) outlet.replaceModel(model.start, model.end);
    if (
      isError ||
      isReport ||
      this.ended ||
      this.#learnedCount >= LEARNED_MAX ||
      end - start > LESSON_BOUNDS.bytesMax
    )
      return;
    this.#learn(payload.subarray(start, end), {
      choices: within(choices, start),
      model: within(model, start),
      removed: within(removed, start),
    });
  }

  /** Reads the vendor's usage. True if only we asked for this event, and it is removed from the answer. */
  #report(payload: LentBytes, outlet: EventControl): boolean {
    report(readChatFigures(payload, skimmer, slots), outlet);
    // Only the chunk with nothing but usage. Azure's first chunk has no choices either, but no usage.
    const isExtra = isEmptyArray(payload, starts[slots.choices] as number) && starts[slots.error] === -1;
    if (!this.#usageInjected || !isExtra) return false;
    outlet.drop();
    return true;
  }

  #learn(event: LentBytes, found: Found): void {
    this.#learnedCount++;
    const walked = Buffer.from(event);
    const choice = found.choices !== undefined && chunkChoices.count === 1 ? chunkChoices.indexes[0] : -1;
    const shape = choice === this.#lastChoice ? commonShape(walked, this.#lastWalked) : undefined;
    this.#lastWalked = walked;
    this.#lastChoice = choice ?? -1;
    if (shape === undefined || parseJson(walked.toString(), LESSON_BOUNDS).kind !== 'parsed') return;
    const texts = found.choices === undefined ? [] : textsIn(walked, found.choices);
    this.#learned = {
      shape,
      texts: texts.map((text) => toSpan(shape, text)),
      model: found.model && toSpan(shape, found.model),
      removed: found.removed && toSpan(shape, found.removed),
    };
  }
}

function report(figures: Figures, outlet: EventControl): void {
  if (figures.output === undefined) outlet.report(figures);
  else outlet.reportCovering(figures);
}

function repeat(learned: LearnedShape, outlet: EventControl): void {
  const { shape, texts, model, removed } = learned;
  for (const text of texts) outlet.generatedText(shape.position(text.start), shape.position(text.end));
  if (model !== undefined) outlet.replaceModel(shape.position(model.start), shape.position(model.end));
  if (removed !== undefined) outlet.remove(shape.position(removed.start), shape.position(removed.end));
}

/** The generated strings of an event. Its keys include no raw JSON and no images. */
function textsIn(bytes: LentBytes, choices: Range): readonly Range[] {
  const texts: Range[] = [];
  const sink = {
    text: (_bytes: LentBytes, start: number, end: number) => void texts.push({ start, end }),
    raw: () => {},
    picture: () => {},
  };
  collectWords({ bytes, ...choices }, CHAT_USAGE_RULE.words, sink);
  return texts;
}

/**
 * The start is derived from the byte before it, which is never inside a string: it is in a literal even if
 * the string after it is empty in this event and not in the next.
 */
function toSpan(shape: EventShape, { start, end }: Range): Span {
  return { start: shape.place(start - 1) + 1, end: shape.place(end) };
}

function findRange(slot: number): Range | undefined {
  const start = starts[slot] as number;
  return start < 0 ? undefined : { start, end: ends[slot] as number };
}

/** Some vendors write an explicit empty value. */
function isNone(payload: LentBytes, { start, end }: Range): boolean {
  return ['null', '""', 'false'].some((word) => isWord(payload, start, end, word));
}

function within(range: Range | undefined, start: number): Range | undefined {
  return range && { start: range.start - start, end: range.end - start };
}

/** `"usage":null` together with one of its commas. */
function nullMember(payload: LentBytes): Range | undefined {
  const value = starts[slots.usage] as number;
  const end = value + 'null'.length;
  if (!isWord(payload, value, end, 'null')) return undefined;
  const keyStart = keyStarts[slots.usage] as number;
  let before = keyStart - 1;
  while ((payload[before] as number) <= SPACE) before--;
  if (payload[before] === COMMA) return { start: before, end };
  const after = skipSpace(payload, end, payload.length);
  return { start: keyStart, end: payload[after] === COMMA ? after + 1 : end };
}
