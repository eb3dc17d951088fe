import { hashPassword } from '../../accounts/password.ts';
import { CATALOG_FILE_BYTES_MAX } from '../../bounds.ts';
import { type CatalogChange, formatChange } from '../../catalog/diff.ts';
import type { CatalogFileResult, Problem, StoredCatalog } from '../../catalog/document.ts';
import type { CatalogEdit, Extent } from '../../catalog/edit.ts';
import { catalogBlocks, toText } from '../../catalog/file/catalog-text.ts';
import { parseCatalog } from '../../catalog/file/file.ts';
import { formatProblem } from '../../catalog/file/problems.ts';
import { listFreed } from '../../catalog/freed.ts';
import { diffBlocks } from '../../catalog/line-diff.ts';
import {
  type ApplyRefusal,
  applyAudited,
  previewEdit,
  readStoredCatalog,
  type WantedCatalog,
} from '../../store/catalog/apply.ts';
import type { Context } from '../context.ts';
import { type Failure, fail } from '../failure.ts';
import { nullable } from '../fields.ts';
import { data, type Operation, operation } from '../operation.ts';
import { OPERATORS, toActor } from '../operator.ts';
import { Type } from '../schema.ts';
import { EFFECTS, EFFECTS_EXAMPLE, shownEffects } from './catalog-effects.ts';
import { toChoiceSchema } from './catalog-schema.ts';
import { CONFIRM_FREE, FREED, freedFailure, shownFreed } from './confirm-free.ts';

const GROUP = { ...OPERATORS, tag: 'Catalogue' } as const;

export const VERSION = Type.Integer({
  minimum: 0,
  maximum: 1_000_000_000_000,
  description: 'Grows with every change of the catalogue.',
});
export const YAML = Type.String({ maxLength: CATALOG_FILE_BYTES_MAX, description: 'A catalogue file.' });
export const EXTENT = Type.Union([Type.Literal('part'), Type.Literal('whole')], {
  default: 'part',
  description:
    '`part`: entries and fields that the file does not name stay. `whole`: the catalogue becomes exactly the file; ' +
    'entries that it leaves out are removed, and fields return to their defaults.',
});

const TEXT_EXAMPLE = 'system_rate: "100"\nvendors:\n  - code: openai\n';

const get = operation({
  ...GROUP,
  name: 'catalog.get',
  id: 'getCatalogueAsFile',
  method: 'GET',
  path: '/catalog',
  title: 'Get the catalogue as a file',
  summary: 'The whole catalogue as YAML, without secrets. Applied as it is, it changes nothing.',
  data: Type.Object({ version: VERSION, text: Type.String() }),
  example: { data: { version: 212, text: TEXT_EXAMPLE } },
  handle: async (_input, context) => {
    const stored = await readStoredCatalog(context);
    return data({ version: stored.version, text: toText(catalogBlocks(stored)) });
  },
});

const PROBLEM = Type.Object({
  path: Type.String({ description: 'Such as models[2].routes[0].vendor. Empty: the file as a whole.' }),
  line: nullable(Type.Integer({ minimum: 1 })),
  message: Type.String(),
});
const CHANGE = Type.Object({
  kind: toChoiceSchema(['created', 'updated', 'disabled', 'removed']),
  entity: Type.String(),
  key: Type.String({ description: 'Code, name, model_id, id or email.' }),
  fields: Type.Array(
    Type.Object({
      name: Type.String(),
      before: nullable(Type.String()),
      after: nullable(Type.String({ description: 'Both are null for a secret.' })),
    }),
  ),
  text: Type.String({ description: 'The change in one line.' }),
});
const LINE_NUMBER = nullable(Type.Integer({ minimum: 1 }));
const HUNK = Type.Object({
  where: Type.String({ description: 'Such as models / gpt-5.' }),
  lines: Type.Array(
    Type.Object({
      kind: toChoiceSchema(['same', 'removed', 'added']),
      before: LINE_NUMBER,
      after: LINE_NUMBER,
      text: Type.String(),
    }),
  ),
});

const CHANGE_EXAMPLE = {
  kind: 'updated',
  entity: 'model',
  key: 'gpt-5',
  text: 'updated model gpt-5: prices.output 30 → 33',
  fields: [{ name: 'prices.output', before: '30', after: '33' }],
};
const HUNK_EXAMPLE = {
  where: 'models / gpt-5',
  lines: [
    { kind: 'same', before: 14, after: 14, text: '  - model_id: gpt-5' },
    { kind: 'removed', before: 15, after: null, text: '    prices: { input: "10", output: "30" }' },
    { kind: 'added', before: null, after: 15, text: '    prices: { input: "10", output: "33" }' },
  ],
};

const diff = operation({
  ...GROUP,
  name: 'catalog.diff',
  id: 'compareCatalogueFile',
  method: 'POST',
  path: '/catalog/diff',
  title: 'Compare a catalogue file',
  summary: 'What applying a catalogue file would do, or what is wrong with it. Nothing is changed.',
  body: Type.Object({ yaml: YAML, extent: Type.Optional(EXTENT) }),
  data: Type.Object({
    version: VERSION,
    problems: Type.Array(PROBLEM, { description: 'With any, the other lists are empty.' }),
    changes: Type.Array(CHANGE),
    hunks: Type.Array(HUNK, { description: 'The catalogue as YAML before and after, where it differs.' }),
    effects: EFFECTS,
    freed: FREED,
    text: Type.String({ description: 'The whole catalogue that results, as YAML.' }),
  }),
  example: {
    body: { yaml: TEXT_EXAMPLE, extent: 'whole' },
    data: {
      version: 212,
      problems: [],
      changes: [CHANGE_EXAMPLE],
      hunks: [HUNK_EXAMPLE],
      effects: EFFECTS_EXAMPLE,
      freed: [],
      text: TEXT_EXAMPLE,
    },
  },
  handle: async ({ body: { yaml, extent = 'part' } }, context) => {
    const stored = await readStoredCatalog(context);
    const read = readFile(context, { yaml, extent, stored });
    if (read.kind === 'invalid') return data({ ...NOTHING_TO_DO, ...shownProblems(stored, read.problems) });
    const edit = await previewEdit(context, { document: read.document, extent }, stored);
    const uses = edit.uses.map((message) => ({ path: '', line: 0, message }));
    if (uses.length > 0) return data({ ...NOTHING_TO_DO, ...shownProblems(stored, uses) });
    return data(await shownEdit(context, stored, edit));
  },
});

const NOTHING_TO_DO = {
  changes: [],
  hunks: [],
  freed: [],
  text: '',
  effects: { shares: [], prices: [], rates: [], limits: [] },
};

function shownProblems({ version }: StoredCatalog, problems: readonly Problem[]): object {
  const shown = problems.map(({ path, line, message }) => ({
    path,
    line: line === 0 ? null : line,
    message,
  }));
  return { version, problems: shown };
}

async function shownEdit(context: Context, stored: StoredCatalog, edit: CatalogEdit): Promise<object> {
  const [before, after] = [catalogBlocks(stored), catalogBlocks(edit.after)];
  return {
    version: stored.version,
    problems: [],
    changes: edit.changes.map(shownChange),
    hunks: diffBlocks(before, after),
    freed: listFreed(stored, edit).map(shownFreed),
    text: toText(after),
    effects: await shownEffects(context, stored, edit),
  };
}

function shownChange(change: CatalogChange): object {
  const { kind, entity, key, fields } = change;
  const shown = fields.map(({ name, values }) => ({ name, before: null, after: null, ...values }));
  return { kind, entity, key, fields: shown, text: formatChange(change) };
}

interface FileToRead {
  readonly yaml: string;
  readonly extent: Extent;
  readonly stored: StoredCatalog;
}

/** Variables of the environment are filled in at the terminal only: who sends a file must not read them. */
export function readFile(
  { actor, config }: Pick<Context, 'actor' | 'config'>,
  { yaml, extent, stored }: FileToRead,
): CatalogFileResult {
  return parseCatalog(yaml, actor === undefined ? {} : config.environment, stored, extent);
}

const apply: Operation = operation({
  ...GROUP,
  name: 'catalog.apply',
  id: 'applyCatalogueFile',
  method: 'POST',
  path: '/catalog/apply',
  title: 'Apply a catalogue file',
  summary: 'Make the changes of a catalogue file, all or none. In force on all nodes when this returns.',
  body: Type.Object({
    yaml: YAML,
    extent: Type.Optional(EXTENT),
    base_version: Type.Optional(
      Type.Integer({ ...VERSION, description: 'Refused with 1005 if the catalogue has another version.' }),
    ),
    confirm_free: Type.Optional(CONFIRM_FREE),
  }),
  data: Type.Object({ version: VERSION, changes: Type.Array(CHANGE) }),
  fails: ['conflict'],
  example: {
    body: { yaml: TEXT_EXAMPLE, extent: 'whole', base_version: 212 },
    data: { version: 213, changes: [CHANGE_EXAMPLE] },
  },
  handle: async ({ body }, context) => {
    const { yaml, extent = 'part' } = body;
    const hash = (password: string): Promise<string> => hashPassword(password, context.random);
    const wanted: WantedCatalog = {
      read: (stored) => readFile(context, { yaml, extent, stored }),
      extent,
      baseVersion: body.base_version,
      isFreeConfirmed: body.confirm_free === true,
    };
    const done = await applyAudited({ ...context, hashPassword: hash }, wanted, toActor(context, apply));
    if (done.kind !== 'applied') return refusal(done);
    return data({ version: done.version, changes: done.changes.map(shownChange) });
  },
});

export function wrongFile(problems: readonly Problem[], field = 'yaml'): Failure {
  const [first] = problems;
  return fail('badParameter', `${field}: ${first === undefined ? 'is not valid' : formatProblem(first)}`);
}

function refusal(refused: ApplyRefusal): Failure {
  if (refused.kind === 'invalid') return wrongFile(refused.problems);
  if (refused.kind === 'freed') return freedFailure(refused.freed);
  if (refused.kind === 'stale') {
    return fail('conflict', `The catalogue was changed meanwhile: it has version ${refused.version}`);
  }
  const [first = '', ...more] = refused.uses;
  return fail('conflict', more.length === 0 ? first : `${first}, and ${more.length} more are in use`);
}

/** The catalogue as a file: read it, compare one with it, apply one. */
export const catalogFileOperations: readonly Operation[] = [get, diff, apply];
