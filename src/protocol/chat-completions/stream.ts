import { COMMA, OPEN_BRACE, QUOTE } from '../ascii.ts';
import { compilePaths } from '../paths.ts';
import type { EventReader, Outlet } from '../relay.ts';
import { isEmptyArray, isOpenBrace, isWord, Skimmer, skipSpace } from '../skim.ts';
import { isDone } from '../sse.ts';
import { CHAT_USAGE_PATHS, CHAT_USAGE_RULE, readChatFigures } from './usage.ts';

const TREE = compilePaths({ model: 'model', choices: 'choices', error: 'error', ...CHAT_USAGE_PATHS });
const { slots } = TREE;
/** Reading an event is synchronous, so one skimmer serves all streams. */
const skimmer = new Skimmer(TREE);
const { starts, ends, keyStarts } = skimmer;

export class ChatEventReader implements EventReader {
  readonly rule = CHAT_USAGE_RULE;
  readonly nextSequenceNumber = undefined;
  readonly #usageInjected: boolean;

  constructor(facts: { readonly usageInjected: boolean }) {
    this.#usageInjected = facts.usageInjected;
  }

  read(payload: Buffer, start: number, end: number, outlet: Outlet): void {
    if (payload[start] !== OPEN_BRACE) {
      if (isDone(payload, skipSpace(payload, start, end), end)) outlet.terminate();
      return;
    }
    if (skimmer.run(payload, start, end) < 0) return;
    const error = starts[slots.error] as number;
    if (error >= 0 && !isWord(payload, error, ends[slots.error] as number, 'null')) outlet.fail();
    const usage = starts[slots.usage] as number;
    if (usage >= 0 && this.#usage(payload, usage, outlet)) return;
    const model = starts[slots.model] as number;
    if (model >= 0 && payload[model] === QUOTE) outlet.replaceModel(model, ends[slots.model] as number);
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
