import { SLOT_LIFETIME_MS } from '../../bounds.ts';
import { GATE_KEEP_MS, GATE_LEASE_MS } from './bounds.ts';

/**
 * What TypeScript and the scripts tell each other: lines of words, whose names and order are said here once.
 * From a list are made the text of its words (`createWriter`), the reading of it in Lua (`fillScript`), and
 * the same for answers. A script takes the words of a list as local variables: `--@ take call`.
 */

/** How a script reads a word: as it is, as a number, as an exact amount, or as true or false. */
type Kind = 'text' | 'number' | 'amount' | 'flag';

interface ValueOf {
  readonly text: string | number | bigint;
  readonly number: number | bigint;
  readonly amount: bigint;
  readonly flag: boolean;
}

type WordList = Readonly<Record<string, Kind>>;

/** The words of one list by their names. */
export type Words<List extends WordList> = { readonly [Name in keyof List]: ValueOf[List[Name]] };

export const TAKEN = {
  /** Begins every line. `time` is `-` for the server's own. */
  head: { time: 'text', mode: 'text' },
  /**
   * `beside` is the call that must have entered just before in the same run, or `-`. `entered` and `since`
   * are those of a call that entered before.
   */
  call: {
    id: 'text',
    beside: 'text',
    version: 'number',
    justRead: 'flag',
    tokens: 'number',
    images: 'number',
    videos: 'number',
    entered: 'number',
    since: 'number',
  },
  scope: { scope: 'text', concurrency: 'text' },
  /** The limit of a window of money is an amount, any other a number. */
  rule: { dimension: 'text', seconds: 'text', limit: 'text' },
  hold: {
    want: 'amount',
    least: 'amount',
    share: 'amount',
    wholeIfFree: 'flag',
    factor: 'number',
    costs: 'flag',
    covered: 'flag',
    payable: 'flag',
  },
  coverage: { scope: 'text' },
  funds: { version: 'text', credits: 'text', balance: 'text', monthSpent: 'text', month: 'text' },
  wallet: { exchange: 'flag', cap: 'amount', month: 'text' },
  leaving: {
    told: 'text',
    id: 'text',
    scopes: 'text',
    entered: 'number',
    since: 'number',
    charge: 'amount',
    month: 'text',
  },
  correction: { kind: 'text', field: 'text', difference: 'text' },
  undone: { told: 'text', id: 'text', scopes: 'text' },
  used: { field: 'text', taken: 'number' },
  settled: { id: 'text', spent: 'text' },
  running: {
    id: 'text',
    held: 'amount',
    month: 'text',
    entered: 'number',
    since: 'number',
    scopes: 'text',
  },
  field: { field: 'text' },
  version: { version: 'number' },
  overrun: { factor: 'number', exchange: 'flag', cap: 'amount', month: 'text' },
  charge: { id: 'text', charge: 'amount' },
  look: { scope: 'text' },
} as const satisfies Readonly<Record<string, WordList>>;

/** Answers of the scripts. All words are texts. */
export const TOLD = {
  held: ['kind', 'payer', 'held', 'short', 'month', 'at', 'free'],
  refused: ['kind', 'reason', 'place', 'one', 'other', 'wait', 'free', 'held'],
  look: ['kind', 'slots'],
  window: ['used', 'held', 'ends'],
} as const;

/** Returns the function that writes the words of a list in their order. */
export function createWriter<List extends WordList>(list: List): (words: Words<List>) => string {
  const names = Object.keys(list) as (keyof List)[];
  return (words) => {
    let line = '';
    for (const name of names) {
      const word = words[name];
      line += line === '' ? printWord(word) : ` ${printWord(word)}`;
    }
    return line;
  };
}

function printWord(word: string | number | bigint | boolean): string {
  return typeof word === 'boolean' ? (word ? '1' : '0') : String(word);
}

/** A number of items and the items, without an empty word if there are none. */
export function writeList(items: readonly string[]): string {
  if (items.length === 0) return '0';
  return `${items.length} ${items.join(' ')}`;
}

/** The words of an answer by their names; those that are missing are undefined. */
export function readWords<const Names extends readonly string[]>(
  names: Names,
  words: readonly string[],
): { readonly [Name in Names[number]]: string | undefined } {
  const entries = names.map((name, index) => [name, words[index]]);
  return Object.fromEntries(entries) as { [Name in Names[number]]: string | undefined };
}

const BOUNDS = `local LEASE_MS, KEEP_MS, SLOT_MS = ${GATE_LEASE_MS}, ${GATE_KEEP_MS}, ${SLOT_LIFETIME_MS}`;

const TAKES: Readonly<Record<Kind, string>> = {
  text: 'take()',
  number: 'take_number()',
  amount: 'take_amount()',
  flag: "take() == '1'",
};

/** Writes out what a script says by name: `--@ bounds`, `--@ take call`, `--@ tell held`. */
export function fillScript(text: string): string {
  return text.replace(/--@ (bounds|take|tell) ?(\w*)/g, (_, what: string, name: string) => {
    if (what === 'bounds') return BOUNDS;
    return what === 'take' ? takeInLua(name) : tellInLua(name);
  });
}

function takeInLua(name: string): string {
  const list: [string, Kind][] = Object.entries(find(TAKEN, name));
  const names = list.map(([word]) => toLua(word));
  return `local ${names.join(', ')} = ${list.map(([, kind]) => TAKES[kind]).join(', ')}`;
}

function tellInLua(name: string): string {
  const words = find(TOLD, name).map((word) => `words.${toLua(word)}`);
  return `local function tell_${toLua(name)}(words) return ${words.join(" .. ' ' .. ")} end`;
}

function find<Value>(all: Readonly<Record<string, Value>>, name: string): Value {
  const found = all[name];
  if (found === undefined) throw new Error(`no list of words is called "${name}"`);
  return found;
}

function toLua(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
