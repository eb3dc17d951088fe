import { formatChange } from '../../catalog/diff.ts';
import { applyCatalogFile, previewCatalogFile } from '../../setup.ts';
import { type Command, type CommandInput, EXIT, requiredOption } from '../command.ts';
import { untilInForce, withStore } from '../workspace.ts';

export const apply: Command = {
  name: 'apply',
  summary: 'Apply a catalogue file to the database and print the changes.',
  usage: '-f FILE [--dry-run] [--json]',
  options: {
    file: { type: 'string', short: 'f' },
    'dry-run': { type: 'boolean' },
    json: { type: 'boolean' },
  },
  help: [
    '-f, --file FILE  catalogue file, YAML',
    '--dry-run        print the changes without applying them',
    '--json           print the changes as JSON',
  ],
  run: runApply,
};

function runApply(input: CommandInput): Promise<number> {
  const file = requiredOption(input, 'file');
  const dry = input.values['dry-run'] === true;
  return withStore(input, async (setup) => {
    const changes = await (dry ? previewCatalogFile(setup, file) : applyCatalogFile(setup, file));
    if (!dry && changes.length > 0) await untilInForce(setup, input);
    if (input.values.json === true) input.output.line(JSON.stringify({ dry_run: dry, changes }));
    else {
      for (const change of changes) input.output.line(formatChange(change));
      input.output.line(summary(changes.length) + (dry && changes.length > 0 ? ' (not applied)' : ''));
    }
    return EXIT.ok;
  });
}

function summary(changes: number): string {
  if (changes === 0) return 'nothing to change';
  return changes === 1 ? '1 change' : `${changes} changes`;
}
