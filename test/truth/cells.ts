import { type Random, seededRandom } from '../../src/kernel/random.ts';
import { DIALECTS, type Dialect, FORMS, type Form, type Tool } from './dialects.ts';
import { type Course, ENDINGS } from './endings.ts';

/** One of the matrix: who asks in which words, who answers in which words, and how it ends. */
export interface Cell {
  readonly index: number;
  readonly client: Dialect;
  readonly vendor: Dialect;
  readonly form: Form;
  readonly ending: string;
  readonly course: Course;
  /** A model of its own: what one ending does to a route must not reach into another. */
  readonly model: string;
}

export const CELLS: readonly Cell[] = ENDINGS.flatMap((ending) =>
  FORMS.flatMap((form) =>
    DIALECTS.flatMap((client) =>
      DIALECTS.map((vendor) => ({ client, vendor, form, ending: ending.name, course: ending[form] })),
    ),
  ),
).map((cell, index) => ({ ...cell, index, model: `cell-${index}` }));

export function nameOf({ client, vendor, form, ending }: Cell): string {
  return `${client} client, ${vendor} vendor, ${form}, ${ending}`;
}

/** What one run of a cell asks: everything that may differ from run to run, drawn by cell and seed. */
export interface Run {
  readonly cell: Cell;
  readonly seed: number;
  readonly tag: string;
  /** Tokens of the answer's text. */
  readonly tokens: number;
  /** Where in the answer something happens to it. */
  readonly at: number;
  readonly directive: string;
  readonly system: string | undefined;
  readonly turns: readonly string[];
  /** Offered when the answer is to call them: then it says nothing else. */
  readonly tools: readonly Tool[];
}

const TOKENS_MIN = 40;
const TOKENS_SPREAD = 50;
const PLACE_MIN = 6;
/** The place stays clear of the end, so that a client that leaves there leaves in the middle. */
const PLACE_CLEAR = 20;
const LORE = 'The quick brown fox jumps over the lazy dog while the harbour master counts the boats. ';

const LOOK: Tool = {
  name: 'look',
  description: 'Looks at a place in the harbour.',
  parameters: {
    type: 'object',
    properties: { place: { type: 'string' }, depth: { type: 'integer' }, quick: { type: 'boolean' } },
    required: ['place', 'depth', 'quick'],
  },
};

export function drawRun(cell: Cell, seed: number): Run {
  const random = seededRandom(seed * CELLS.length + cell.index);
  const tokens = TOKENS_MIN + below(random, TOKENS_SPREAD);
  const at = PLACE_MIN + below(random, tokens - PLACE_CLEAR - PLACE_MIN);
  const tag = `truth-${cell.index}-${seed}`;
  const { directives } = cell.course;
  // Neighbouring cells take different words, and every run of a cell the next.
  const words = (
    directives[(cell.index + Math.floor(cell.index / DIALECTS.length) + seed) % directives.length] ?? ''
  )
    .replaceAll('{at}', String(at))
    .replaceAll('{end}', String(tokens + thoughtsIn(directives)))
    .replaceAll('{tokens}', String(tokens));
  const vocabulary = below(random, 4) === 0 ? ' unicode' : '';
  const directive = `tag=${tag} tokens=${tokens} seed=${seed + 1}${vocabulary} ${words}`;
  const prompt = `${LORE.repeat(1 + below(random, 4))}[[sim ${directive}]]`;
  const earlier = below(random, 2) === 0 ? [] : [LORE, 'The boats are nine, and one is late.'];
  const system = below(random, 2) === 0 ? undefined : 'Answer briefly, and count twice.';
  const tools = words.includes('tool=') ? [LOOK] : [];
  return { cell, seed, tag, tokens, at, directive, system, turns: [...earlier, prompt], tools };
}

/** Thoughts of the run are tokens of its output, before those of its text. */
function thoughtsIn([directive = '']: readonly string[]): number {
  return Number(/thinking=(\d+)/.exec(directive)?.[1] ?? 0);
}

function below(random: Random, bound: number): number {
  return Math.floor(random.unit() * bound);
}
