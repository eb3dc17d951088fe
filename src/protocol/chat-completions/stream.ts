import { COMMA, OPEN_BRACE, QUOTE } from '../ascii.ts';
import { compilePaths } from '../paths.ts';
import type { EventReader, Outlet } from '../relay.ts';
import { isEmptyArray, isOpenBrace, isWord, Skimmer, skipSpace } from '../skim.ts';
import { NOTHING } from '../splitter.ts';
import { isDone } from '../sse.ts';
import { CHAT_USAGE_PATHS, CHAT_USAGE_RULE, readChatFigures } from './usage.ts';

const TREE = compilePaths({ model: 'model', choices: 'choices', error: 'error', ...CHAT_USAGE_PATHS });
const { slots } = TREE;
/** Reading an event is synchronous, so one skimmer serves all streams. */
const skimmer = new Skimmer(TREE);
const { starts, ends, keyStarts } = skimmer;

/** A vendor whose chunks all begin differently is not learned for ever. */
const LESSONS_MAX = 4;

export class ChatEventReader implements EventReader {
  readonly rule = CHAT_USAGE_RULE;
  readonly nextSequenceNumber = undefined;
  readonly #usageInjected: boolean;
  /**
   * All chunks of a stream begin alike, up to the model's name. Bytes that equal the last event's from its
   * start mean the same, so one comparison takes the place of half the walk.
   */
  #beginning = NOTHING;
  #modelOffset = 0;
  #lessons = 0;

  constructor(facts: { readonly usageInjected: boolean }) {
    this.#usageInjected = facts.usageInjected;
  }

  read(payload: Buffer, start: number, end: number, outlet: Outlet): void {
    if (payload[start] !== OPEN_BRACE) {
      if (isDone(payload, skipSpace(payload, start, end), end)) outlet.conclude();
      return;
    }
    if (!this.#skim(payload, start, end)) return;
    const error = starts[slots.error] as number;
    if (error >= 0 && !isWord(payload, error, ends[slots.error] as number, 'null')) outlet.fail();
    const choices = starts[slots.choices] as number;
    if (choices >= 0) outlet.generated(choices, ends[slots.choices] as number);
    const usage = starts[slots.usage] as number;
    if (usage >= 0 && this.#usage(payload, usage, outlet)) return;
    const model = starts[slots.model] as number;
    if (model >= 0 && payload[model] === QUOTE) outlet.replaceModel(model, ends[slots.model] as number);
  }

  /** Walks the event, the learned beginning left out. */
  #skim(payload: Buffer, start: number, end: number): boolean {
    const { length } = this.#beginning;
    const after = start + length;
    const isKnown =
      length > 0 && after < end && payload.compare(this.#beginning, 0, length, start, after) === 0;
    if (!isKnown) {
      const isWhole = skimmer.run(payload, start, end) >= 0;
      if (isWhole && this.#lessons < LESSONS_MAX) this.#learn(payload, start);
      return isWhole;
    }
    if (skimmer.resume(payload, after, end) < 0) return false;
    if (starts[slots.model] === -1) {
      starts[slots.model] = start + this.#modelOffset;
      ends[slots.model] = after;
    }
    return true;
  }

  #learn(payload: Buffer, start: number): void {
    const model = starts[slots.model] as number;
    const isFirst = [slots.choices, slots.usage, slots.error].every((slot) => {
      const other = starts[slot] as number;
      return other < 0 || other > model;
    });
    if (model < 0 || payload[model] !== QUOTE || !isFirst) return;
    this.#lessons++;
    this.#modelOffset = model - start;
    this.#beginning = Buffer.from(payload.subarray(start, ends[slots.model]));
  }

  /** True when the event was there for our asking alone and is kept from the client. */
  #usage(payload: Buffer, usage: number, outlet: Outlet): boolean {
    if (isOpenBrace(payload, usage)) {
      const figures = readChatFigures(payload, skimmer, slots);
      if (figures.output === undefined) outlet.report(figures);
      else outlet.reportCovering(figures);
      // Only the chunk that is nothing but usage; Azure's first chunk has no choices either, but no usage.
      const isExtra = isEmptyArray(payload, starts[slots.choices] as number) && starts[slots.error] === -1;
      if (!this.#usageInjected || !isExtra) return false;
      outlet.drop();
      return true;
    }
    if (this.#usageInjected) removeMember(payload, keyStarts[slots.usage] as number, usage, outlet);
    return false;
  }
}

/** Takes `"usage":null` out together with one of its commas. */
function removeMember(payload: Buffer, keyStart: number, value: number, outlet: Outlet): void {
  const end = value + 'null'.length;
  if (!isWord(payload, value, end, 'null')) return;
  let before = keyStart - 1;
  while ((payload[before] as number) <= 0x20) before--;
  if (payload[before] === COMMA) {
    outlet.remove(before, end);
    return;
  }
  const after = skipSpace(payload, end, payload.length);
  outlet.remove(keyStart, payload[after] === COMMA ? after + 1 : end);
}
