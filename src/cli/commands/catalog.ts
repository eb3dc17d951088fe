import { ENTRY_KINDS, type EntryKind } from '../../catalog/entries.ts';
import type { EntryJson } from '../../catalog/entry-json.ts';
import {
  deleteCatalogEntry,
  findCatalogEntry,
  findSettings,
  listCatalogEntries,
} from '../../store/catalog/change.ts';
import { JSON_HELP } from '../account/account-option.ts';
import {
  type Command,
  CommandFailed,
  type CommandInput,
  EXIT,
  stringOption,
  UsageError,
} from '../command.ts';
import { auditContext, terminal } from '../operator-context.ts';
import { facts, say, table } from '../table.ts';
import { withStore } from '../workspace.ts';

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
  usage: 'KIND [--search TEXT] [--json]',
  words: 1,
  options: { search: { type: 'string' }, json: { type: 'boolean' } },
  help: [KIND_HELP, '--search TEXT    only entries that contain this text', JSON_HELP],
  run: (input) => {
    const kind = kindOf(input);
    const search = (stringOption(input, 'search') ?? '').toLowerCase();
    return withStore(input, async (setup) => {
      const entries = await listCatalogEntries(auditContext(setup, input), kind);
      const found = entries.filter((entry) => JSON.stringify(entry).toLowerCase().includes(search));
      const columns = COLUMNS[kind];
      const rows = found.map((entry) => columns.map((column) => cell(entry[column])));
      say(input, { total: found.length, items: found }, [
        ...table(
          columns.map((column) => column.toUpperCase()),
          rows,
        ),
      ]);
      return EXIT.ok;
    });
  },
};

export const catalogShow: Command = {
  name: 'catalog show',
  summary: 'Show one entry of the catalogue, or its settings, in the form of a catalogue file.',
  usage: 'KIND KEY | settings [--json]',
  words: 2,
  options: { json: { type: 'boolean' } },
  help: [KIND_HELP, KEY_HELP, JSON_HELP],
  run: (input) => {
    if (input.positionals[0] === 'settings') return showSettings(input);
    const kind = kindOf(input);
    const key = keyOf(input);
    return withStore(input, async (setup) => {
      const entry = await findCatalogEntry(auditContext(setup, input), { kind, key });
      if (entry === undefined) throw new CommandFailed(`there is no entry ${key} in ${kind}`);
      say(input, entry, facts(lines(entry)));
      return EXIT.ok;
    });
  },
};

/** The settings at the top of the file: rates, and grants for new accounts. */
function showSettings(input: CommandInput): Promise<number> {
  return withStore(input, async (setup) => {
    const settings = await findSettings(auditContext(setup, input));
    say(input, settings, facts(lines(settings)));
    return EXIT.ok;
  });
}

export const catalogDelete: Command = {
  name: 'catalog delete',
  summary: 'Delete an unused entry of the catalogue. "apply" never deletes.',
  usage: 'KIND KEY [--json]',
  words: 2,
  options: { json: { type: 'boolean' } },
  help: [KIND_HELP, KEY_HELP, JSON_HELP],
  run: (input) => {
    const kind = kindOf(input);
    const key = keyOf(input);
    return withStore(input, async (setup) => {
      const removed = await deleteCatalogEntry(
        auditContext(setup, input),
        { kind, key },
        terminal('catalog delete'),
      );
      if (removed.kind === 'not-found') throw new CommandFailed(`there is no entry ${key} in ${kind}`);
      if (removed.kind === 'in-use')
        throw new CommandFailed(`the entry is in use by ${removed.by.join(', ')}`);
      say(input, { kind, key, deleted: true }, [`${key} deleted from ${kind}`]);
      return EXIT.ok;
    });
  },
};

function kindOf({ positionals }: CommandInput): EntryKind {
  const kind = ENTRY_KINDS.find((each) => each === positionals[0]);
  if (kind === undefined) throw new UsageError(`KIND must be one of ${ENTRY_KINDS.join(', ')}`);
  return kind;
}

function keyOf({ positionals }: CommandInput): string {
  const key = positionals[1];
  if (key === undefined || key === '') throw new UsageError('KEY is required');
  return key;
}

function lines(entry: EntryJson): readonly (readonly [string, string])[] {
  return Object.entries(entry).map(([name, value]) => [name, cell(value)]);
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return '-';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
