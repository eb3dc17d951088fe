import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../../../../test/support/property-runs.ts';
import { collect } from '../suite/collect.ts';
import { decodeEvents } from '../suite/world.ts';

type Json = Record<string, unknown>;

/** How a vendor numbers things, given where they really are. */
const NUMBERINGS: Readonly<Record<string, (place: number, other: number) => number | undefined>> = {
  right: (place) => place,
  'from one': (place) => place + 1,
  sparse: (place) => place * 7 + 3,
  'all the same': () => 0,
  missing: () => undefined,
  'those of the other kind': (place, other) => place + other,
};

const IDS: Readonly<Record<string, (place: number, event: number) => string | undefined>> = {
  right: (place) => `item_${place}`,
  'another one for every event': (_place, event) => `event_${event}`,
  missing: () => undefined,
};

/** Where the words are told. */
const TELLINGS = ['deltas', 'words done', 'part done', 'item done', 'completed'] as const;
type Telling = (typeof TELLINGS)[number];

interface Vendor {
  readonly places: string;
  readonly contents: string;
  /** Numbering of the contents in the events that end a part; vendors differ from themselves here. */
  readonly contentsDone: string;
  readonly ids: string;
  readonly tellings: readonly Telling[];
  readonly isAnnouncing: boolean;
}

type Item =
  | { readonly kind: 'message'; readonly texts: readonly string[] }
  | { readonly kind: 'function_call'; readonly texts: readonly [string] }
  | { readonly kind: 'reasoning'; readonly texts: readonly string[] };

class Teller {
  readonly events: Json[] = [];
  readonly #vendor: Vendor;

  constructor(vendor: Vendor) {
    this.#vendor = vendor;
  }

  tell(items: readonly Item[]): readonly Json[] {
    this.events.push({ type: 'response.created', response: { id: 'resp_1' } });
    for (const [place, item] of items.entries()) this.#item(item, place);
    const output = this.#has('completed') ? items.map((item, place) => this.#whole(item, place)) : [];
    this.events.push({ type: 'response.completed', response: { status: 'completed', output } });
    return this.events;
  }

  #item(item: Item, place: number): void {
    const { isAnnouncing } = this.#vendor;
    if (isAnnouncing) this.#event('output_item.added', place, { item: this.#whole(item, place, []) });
    if (item.kind === 'message') {
      for (const [index, text] of item.texts.entries()) this.#content(text, place, index);
    } else if (item.kind === 'function_call') this.#call(item.texts[0], place);
    else for (const [index, text] of item.texts.entries()) this.#thought(text, place, index);
    if (this.#has('item done')) this.#event('output_item.done', place, { item: this.#whole(item, place) });
  }

  #content(text: string, place: number, index: number): void {
    const { contents, contentsDone } = this.#vendor;
    const at = { content_index: NUMBERINGS[contents]?.(index, place) };
    const doneAt = { content_index: NUMBERINGS[contentsDone]?.(index, place) };
    const part = { type: 'output_text', text, annotations: [] };
    this.#event('content_part.added', place, { ...at, part: { ...part, text: '' } });
    if (this.#has('deltas')) {
      for (const delta of halves(text)) this.#event('output_text.delta', place, { ...at, delta });
    }
    if (this.#has('words done')) this.#event('output_text.done', place, { ...doneAt, text });
    if (this.#has('part done')) this.#event('content_part.done', place, { ...doneAt, part });
  }

  #call(text: string, place: number): void {
    if (this.#has('deltas')) {
      for (const delta of halves(text)) this.#event('function_call_arguments.delta', place, { delta });
    }
    if (this.#has('words done')) this.#event('function_call_arguments.done', place, { arguments: text });
  }

  #thought(text: string, place: number, index: number): void {
    const at = { summary_index: NUMBERINGS[this.#vendor.contents]?.(index, place) };
    if (this.#has('deltas')) {
      for (const delta of halves(text)) {
        this.#event('reasoning_summary_text.delta', place, { ...at, delta });
      }
    }
    if (this.#has('words done')) this.#event('reasoning_summary_text.done', place, { ...at, text });
  }

  #event(type: string, place: number, fields: Json): void {
    this.events.push({
      type: `response.${type}`,
      output_index: NUMBERINGS[this.#vendor.places]?.(place, place),
      ...(fields.item === undefined ? { item_id: this.#id(place) } : {}),
      ...fields,
    });
  }

  #id(place: number): string | undefined {
    return IDS[this.#vendor.ids]?.(place, this.events.length);
  }

  #whole(item: Item, place: number, texts: readonly string[] = item.texts): Json {
    const id = this.#id(place);
    if (item.kind === 'message') {
      const content = texts.map((text) => ({ type: 'output_text', text, annotations: [] }));
      return { type: 'message', id, role: 'assistant', content };
    }
    if (item.kind === 'reasoning') {
      return { type: 'reasoning', id, summary: texts.map((text) => ({ type: 'summary_text', text })) };
    }
    return { type: 'function_call', id, call_id: `c${place}`, name: 'f', arguments: texts[0] ?? '' };
  }

  #has(telling: Telling): boolean {
    return this.#vendor.tellings.includes(telling);
  }
}

function halves(text: string): readonly string[] {
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)].filter((half) => half !== '');
}

/** What the answer says, in order, with the borders of parts left out. */
function spoken(items: readonly Item[]): string {
  return items
    .map(({ kind, texts }) => `${kind}:${texts.join(kind === 'reasoning' ? '\n\n' : '')};`)
    .join('')
    .replaceAll(';message:', '')
    .replaceAll(';reasoning:', '');
}

function heard(events: readonly Json[]): string {
  return collect(decodeEvents(events))
    .parts.map((part) => {
      if (part.kind === 'text') return `message:${part.text};`;
      if (part.kind === 'reasoning') return `reasoning:${part.text};`;
      return part.kind === 'tool-call' ? `function_call:${part.arguments};` : '';
    })
    .join('')
    .replaceAll(';message:', '')
    .replaceAll(';reasoning:', '');
}

const ANSWER: readonly Item[] = [
  { kind: 'reasoning', texts: ['First I look.', 'Then I think.'] },
  { kind: 'message', texts: ['Hello ', 'there, ', 'there, '] },
  { kind: 'function_call', texts: ['{"city":"Paris"}'] },
  { kind: 'function_call', texts: ['{"city":"Rome"}'] },
  { kind: 'message', texts: ['Good bye'] },
];

const isMessage = ({ kind }: Item): boolean => kind === 'message';

const NAMES = Object.keys(NUMBERINGS);
const HONEST: Vendor = {
  places: 'right',
  contents: 'right',
  contentsDone: 'right',
  ids: 'right',
  tellings: TELLINGS,
  isAnnouncing: true,
};

describe('a stream with wrong indexes', () => {
  test.each(NAMES)('emits every content once when content indexes are %s', (contents) => {
    for (const contentsDone of NAMES) {
      const events = new Teller({ ...HONEST, contents, contentsDone }).tell(ANSWER);
      expect(heard(events), contentsDone).toBe(spoken(ANSWER));
    }
  });

  test.each(NAMES)('emits every item once when item indexes are %s', (places) => {
    for (const ids of Object.keys(IDS)) {
      const events = new Teller({ ...HONEST, places, ids }).tell(ANSWER);
      expect(heard(events), ids).toBe(spoken(ANSWER));
    }
  });

  test('emits a text once, in each form of event, alone and beside any other', () => {
    for (const one of TELLINGS) {
      for (const other of TELLINGS) {
        // Calls and thoughts have no parts: alone, those tell of messages only.
        const answer = one === 'part done' && one === other ? ANSWER.filter(isMessage) : ANSWER;
        for (const isAnnouncing of [true, false]) {
          // Without its name a call is nothing, and what only the end shows comes at the end.
          const isNamed = one === 'item done' || other === 'item done';
          if (!isAnnouncing && !isNamed) continue;
          const events = new Teller({ ...HONEST, tellings: [one, other], isAnnouncing }).tell(answer);
          expect(heard(events), `${one}, ${other}, ${isAnnouncing}`).toBe(spoken(answer));
        }
      }
    }
  });

  test('emits nothing twice with several faults together', () => {
    const item = fc.oneof(
      fc.record({
        kind: fc.constant('message' as const),
        texts: fc.array(fc.stringMatching(/^[a-c ]{1,6}$/), { minLength: 1, maxLength: 3 }),
      }),
      fc.record({ kind: fc.constant('function_call' as const), texts: fc.constant(['{"a":1}'] as const) }),
    );
    const name = fc.constantFrom(...NAMES);
    const vendor = fc.record({
      places: name,
      contents: name,
      contentsDone: name,
      ids: fc.constantFrom('right', 'missing'),
      tellings: fc.subarray([...TELLINGS]).map((some) => [...some, 'deltas' as const, 'item done' as const]),
      isAnnouncing: fc.boolean(),
    });
    fc.assert(
      fc.property(vendor, fc.array(item, { minLength: 1, maxLength: 4 }), (how, items) => {
        // Then two items with the same words cannot be told from one that is told twice.
        fc.pre(how.isAnnouncing || how.ids === 'right' || how.places !== 'all the same');
        expect(heard(new Teller(how).tell(items))).toBe(spoken(items));
      }),
      { numRuns: runs(2_000) },
    );
  });

  test('emits an item that only the end contains, and not one with other text there', () => {
    const text = (said: string): Json => ({ type: 'output_text', text: said });
    const message = (id: string, said: string): Json => ({ type: 'message', id, content: [text(said)] });
    const words = { type: 'response.output_text.delta', output_index: 1, content_index: 0, delta: 'Hello' };
    const end = (...output: readonly Json[]): Json => ({
      type: 'response.completed',
      response: { status: 'completed', output },
    });
    const added = { type: 'response.output_item.added', output_index: 1, item: { type: 'message', id: 'a' } };
    const done = { type: 'response.output_item.done', output_index: 1, item: message('a', 'Hello') };
    const seen = [added, words, done];
    expect(heard([...seen, end(message('a', 'Hello'), message('b', '!'))])).toBe('message:Hello!;');
    expect(heard([...seen, end(message('x', 'Hello'), message('y', '!'))])).toBe('message:Hello!;');
    expect(heard([...seen, end(message('x', 'Helo'))])).toBe('message:Hello;');
    expect(heard([added, words, end(message('a', 'Hello, you'))])).toBe('message:Hello, you;');
    expect(heard([added, words, end()])).toBe('message:Hello;');
  });
});
