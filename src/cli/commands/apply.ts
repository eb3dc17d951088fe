import { readCatalogFile } from '../../setup.ts';
import { type Command, CommandFailed, type CommandInput, requiredOption } from '../command.ts';
import { say } from '../table.ts';
import { atTerminal } from '../terminal.ts';

export const apply: Command = {
  name: 'apply',
  mayCreate: true,
  summary: 'Apply a catalogue file to the database and print the changes.',
  usage: '-f FILE [--whole] [--dry-run] [--json]',
  options: {
    file: { type: 'string', short: 'f' },
    whole: { type: 'boolean' },
    'dry-run': { type: 'boolean' },
    json: { type: 'boolean' },
  },
  help: [
    '-f, --file FILE  catalogue file, YAML',
    '--whole          the file is the whole catalogue: remove what it leaves out',
    '--dry-run        print the changes without applying them',
    '--json           print the changes as JSON',
  ],
  run: runApply,
};

interface Compared {
  readonly problems: readonly {
    readonly path: string;
    readonly line: number | null;
    readonly message: string;
  }[];
  readonly changes: readonly { readonly text: string }[];
}

function runApply(input: CommandInput): Promise<number> {
  const file = requiredOption(input, 'file');
  const dry = input.values['dry-run'] === true;
  return atTerminal(input, async (terminal) => {
    const body = { yaml: readCatalogFile(file), ...(input.values.whole === true && { extent: 'whole' }) };
    const { problems, changes } = await terminal.data<Compared>('catalog.diff', { body });
    if (problems.length > 0) throw new CommandFailed(problemText(file, problems));
    const done = dry
      ? { changes }
      : await terminal.data<Pick<Compared, 'changes'>>('catalog.apply', { body });
    say(input, { dry_run: dry, changes: done.changes }, [
      ...done.changes.map(({ text }) => text),
      summary(done.changes.length) + (dry && done.changes.length > 0 ? ' (not applied)' : ''),
    ]);
  });
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
