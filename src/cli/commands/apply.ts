import { readCatalogFile } from '../../setup.ts';
import { type Command, CommandFailed, type CommandInput, requiredOption } from '../command.ts';
import { say } from '../table.ts';
import { atTerminal } from '../terminal.ts';
import { askPerson, isInteractive, isYes } from '../vendor/prompt.ts';
import { confirmFree, type Freed, freedLines, requireYesFree, YES_FREE } from '../yes-free.ts';

export const apply: Command = {
  name: 'apply',
  mayCreate: true,
  summary: 'Apply a catalogue file to the database and print the changes.',
  usage: '-f FILE [--exact] [--yes] [--yes-free] [--dry-run] [--json]',
  options: {
    file: { type: 'string', short: 'f' },
    exact: { type: 'boolean' },
    whole: { type: 'boolean' },
    yes: { type: 'boolean' },
    'yes-free': { type: 'boolean' },
    'dry-run': { type: 'boolean' },
    json: { type: 'boolean' },
  },
  help: [
    '-f, --file FILE  catalogue file, YAML',
    '--exact          make the catalogue exactly the file; --whole is an older name for it',
    '--yes            apply an exact file without asking',
    '--yes-free       let prices become 0, or be removed',
    '--dry-run        print the changes without applying them',
    '--json           print the changes as JSON',
  ],
  notes: [
    'Entries and fields that the file does not name stay as they are. null removes a field. Objects such as prices',
    'are merged member by member; lists are replaced, and routes that a named list leaves out are disabled. With',
    '--exact, entries that the file leaves out are removed, fields return to their defaults, and the command asks',
    'before it applies.',
  ],
  run: runApply,
};

interface Compared {
  readonly version: number;
  readonly problems: readonly {
    readonly path: string;
    readonly line: number | null;
    readonly message: string;
  }[];
  readonly changes: readonly { readonly text: string }[];
  readonly freed: readonly Freed[];
}

function runApply(input: CommandInput): Promise<number> {
  const file = requiredOption(input, 'file');
  const isExact = input.values.exact === true || input.values.whole === true;
  const isDry = input.values['dry-run'] === true;
  return atTerminal(input, async (terminal) => {
    const body = { yaml: readCatalogFile(file), ...(isExact && { extent: 'whole' }) };
    const compared = await terminal.data<Compared>('catalog.diff', { body });
    const { problems, changes, freed, version } = compared;
    if (problems.length > 0) throw new CommandFailed(problemText(file, problems));
    if (isDry) {
      const lines = [...freedLines(input, freed), ...changeLines(changes, ' (not applied)')];
      return say(input, { dry_run: true, changes, freed }, lines);
    }
    requireYesFree(input, freed);
    if (isExact && changes.length > 0) await confirmExact(input, changes);
    const done = await terminal.data<Pick<Compared, 'changes'>>('catalog.apply', {
      // What was confirmed is what is applied.
      body: { ...body, ...(isExact && { base_version: version }), ...confirmFree(input) },
      options: YES_FREE,
    });
    return say(input, { dry_run: false, changes: done.changes }, changeLines(done.changes));
  });
}

async function confirmExact(input: CommandInput, changes: Compared['changes']): Promise<void> {
  if (input.values.yes === true) return;
  for (const { text } of changes) input.output.error(text);
  const question = `Make the catalogue exactly the file, with ${summary(changes.length)} (yes or no): `;
  if (!isInteractive()) throw new CommandFailed('nothing was applied: add --yes to make these changes');
  if (!isYes(await askPerson(question))) throw new CommandFailed('nothing was applied');
}

function changeLines(changes: Compared['changes'], ending = ''): readonly string[] {
  return [...changes.map(({ text }) => text), summary(changes.length) + (changes.length > 0 ? ending : '')];
}

function problemText(file: string, problems: Compared['problems']): string {
  const lines = problems.map(({ path, line, message }) => {
    const where = path === '' ? message : `${path}: ${message}`;
    return `  ${where}${line === null ? '' : ` (line ${line})`}`;
  });
  return `the catalogue file ${file} is not valid:\n${lines.join('\n')}`;
}

function summary(changes: number): string {
  if (changes === 0) return 'nothing to change';
  return changes === 1 ? '1 change' : `${changes} changes`;
}
