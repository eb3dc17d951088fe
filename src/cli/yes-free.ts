import { CommandFailed, type CommandInput } from './command.ts';

/* Prices and rates that become 0, and prices that are removed, need the option --yes-free (rule I-102). */

/** A line of the comparison of a file with the catalogue. */
export interface Freed {
  readonly text: string;
}

/** The field of the operations that the option stands for. */
export const YES_FREE = { confirm_free: 'yes-free' } as const;

export function isYesFree({ values }: CommandInput): boolean {
  return values['yes-free'] === true;
}

export function confirmFree(input: CommandInput): { readonly confirm_free?: true } {
  return isYesFree(input) ? { confirm_free: true } : {};
}

/** What the option would be needed for. */
export function freedLines(input: CommandInput, freed: readonly Freed[]): readonly string[] {
  if (freed.length === 0 || isYesFree(input)) return [];
  return [
    'These prices become 0 or are removed, which needs --yes-free:',
    ...freed.map(({ text }) => `  ${text}`),
  ];
}

export function requireYesFree(input: CommandInput, freed: readonly Freed[]): void {
  const [, ...lines] = freedLines(input, freed);
  if (lines.length === 0) return;
  throw new CommandFailed(
    `nothing was applied, because prices become 0 or are removed:\n${lines.join('\n')}\n` +
      'If you want that, add --yes-free.',
  );
}
