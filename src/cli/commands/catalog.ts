import { ENTRY_KINDS, type EntryKind } from '../../catalog/entries.ts';
import { type Command, type CommandInput, UsageError } from '../command.ts';
import {
  type Columns,
  cell,
  given,
  JSON_HELP,
  JSON_OPTION,
  PAGE_HELP,
  PAGE_OPTIONS,
  printPage,
  TEXT,
} from '../listing.ts';
import { facts, say } from '../table.ts';
import { type Asked, atTerminal, type Row } from '../terminal.ts';

const KIND_HELP = `KIND             ${ENTRY_KINDS.join(', ')}`;
const KEY_HELP = 'KEY              code, name, model_id or id, as in the list';

/** The columns of a list, for each kind. `catalog show` prints all fields. */
const COLUMNS: Readonly<Record<EntryKind, readonly string[]>> = {
  vendors: ['code', 'name', 'protocols', 'base_url', 'rate', 'byok'],
  credentials: ['id', 'name', 'vendor', 'secret', 'rate', 'status'],
  models: ['model_id', 'name', 'status', 'client_visible', 'context_window'],
  routes: ['id', 'model_id', 'vendor', 'credential', 'forward_model_id', 'priority', 'status'],
  policies: ['id', 'name', 'concurrency', 'windows', 'selectable'],
  plans: ['code', 'level', 'name', 'price', 'days', 'policy'],
  nodes: ['name', 'base_url', 'region', 'rate'],
  announcements: ['id', 'title', 'starts_at', 'ends_at'],
};

export const catalogList: Command = {
  name: 'catalog list',
  summary: 'List the entries of one kind in the catalogue.',
  usage: 'KIND [--search TEXT] [--page N] [--size N] [--json]',
  words: 1,
  options: { search: TEXT, ...PAGE_OPTIONS, ...JSON_OPTION },
  help: [KIND_HELP, '--search TEXT    only entries that contain this text', ...PAGE_HELP, JSON_HELP],
  run: (input) => {
    const kind = requireKind(input);
    const shown = COLUMNS[kind].map((field) => [field.toUpperCase(), (row: Row) => row[field] ?? '-']);
    const columns: Columns = Object.fromEntries(shown);
    const asked = { query: given(input, ['search', 'page', 'size']) };
    return atTerminal(input, (terminal) =>
      printPage(input, terminal, { operation: `${kind}.list`, asked, columns }),
    );
  },
};

export const catalogShow: Command = {
  name: 'catalog show',
  summary: 'Show one entry of the catalogue, or its settings, in the form of a catalogue file.',
  usage: 'KIND KEY | settings [--json]',
  words: 2,
  options: JSON_OPTION,
  help: [KIND_HELP, KEY_HELP, JSON_HELP],
  run: (input) => {
    const [word] = input.positionals;
    const [kind, asked] = word === 'settings' ? [word, {}] : [requireKind(input), requireEntry(input)];
    return atTerminal(input, async (terminal) => {
      const entry = await terminal.data(`${kind}.get`, asked);
      say(input, entry, facts(Object.entries(entry).map(([name, value]) => [name, cell(value ?? '-')])));
    });
  },
};

export const catalogExport: Command = {
  name: 'catalog export',
  summary: 'Print the whole catalogue as a file, without secrets. Applied as it is, it changes nothing.',
  usage: '[--json]',
  options: JSON_OPTION,
  help: [JSON_HELP],
  run: (input) =>
    atTerminal(input, async (terminal) => {
      const exported = await terminal.data<{ readonly text: string }>('catalog.get');
      say(input, exported, [exported.text.trimEnd()]);
    }),
};

export const catalogDelete: Command = {
  name: 'catalog delete',
  summary: 'Delete an unused entry of the catalogue. "apply" deletes with --exact only.',
  usage: 'KIND KEY [--json]',
  words: 2,
  options: JSON_OPTION,
  help: [KIND_HELP, KEY_HELP, JSON_HELP],
  run: (input) => {
    const kind = requireKind(input);
    const asked = requireEntry(input);
    return atTerminal(input, async (terminal) => {
      const done = await terminal.data(`${kind}.delete`, asked);
      say(input, done, [`${input.positionals[1]} deleted from ${kind}`]);
    });
  },
};

function requireKind({ positionals }: CommandInput): EntryKind {
  const kind = ENTRY_KINDS.find((each) => each === positionals[0]);
  if (kind === undefined) throw new UsageError(`KIND must be one of ${ENTRY_KINDS.join(', ')}`);
  return kind;
}

/** The key of an entry has a name of its own in each kind: the first column of its list. */
function requireEntry(input: CommandInput): Asked {
  const kind = requireKind(input);
  const [, key = ''] = input.positionals;
  const [field = ''] = COLUMNS[kind];
  if (key === '') throw new UsageError('KEY is required');
  return { params: { [field]: key }, absent: `there is no entry ${key} in ${kind}` };
}
