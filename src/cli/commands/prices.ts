import { readCatalogFile } from '../../setup.ts';
import { type Command, type CommandInput, stringOption, UsageError } from '../command.ts';
import { given, JSON_HELP, JSON_OPTION, TEXT } from '../listing.ts';
import { say, table } from '../table.ts';
import { atTerminal, type Terminal } from '../terminal.ts';
import { askPerson, isInteractive, isYes } from '../vendor/prompt.ts';
import { confirmFree, type Freed, freedLines, requireYesFree, YES_FREE } from '../yes-free.ts';
import { type WhatIfAnswer, whatIfLines } from './what-if.ts';

export const pricesImport: Command = {
  name: 'prices import',
  summary:
    'Take prices from a file: ours, or LiteLLM’s public price map. Shows the change, applies it on yes.',
  usage: 'FILE [--rate YUAN] [--margin FACTOR] [--models A,B] [--dry-run | --yes] [--yes-free] [--json]',
  words: 1,
  options: {
    rate: TEXT,
    margin: TEXT,
    models: TEXT,
    'dry-run': { type: 'boolean' },
    yes: { type: 'boolean' },
    'yes-free': { type: 'boolean' },
    ...JSON_OPTION,
  },
  help: [
    'FILE             prices as YAML, or model_prices_and_context_window.json of LiteLLM',
    '--rate YUAN      yuan for a dollar; default TOLLGATE_YUAN_PER_DOLLAR',
    '--margin FACTOR  1.2 sells for a fifth more than the file says; default 1',
    '--models A,B     only these models of the catalogue',
    '--dry-run        only show what would change',
    '--yes            apply without asking',
    '--yes-free       let prices become 0',
    JSON_HELP,
  ],
  notes: [
    'Models that are not in the catalogue are named, never added. Prices of past calls stay as they were.',
  ],
  run: (input) => {
    const [file] = input.positionals;
    if (file === undefined) throw new UsageError('FILE is required');
    return atTerminal(input, (terminal) =>
      importFile(input, terminal, readCatalogFile(file, 'file of prices')),
    );
  },
};

interface ReadPrices {
  readonly version: number;
  readonly format: string;
  readonly yaml: string;
  readonly priced: readonly { readonly model_id: string; readonly tiered: boolean }[];
  readonly unpriced: readonly string[];
  readonly unknown: readonly {
    readonly vendor: string | null;
    readonly model_id: string;
    readonly currency: string;
    readonly input: string | null;
    readonly output: string | null;
  }[];
  readonly unknown_total: number;
  readonly below: readonly {
    readonly model_id: string;
    readonly vendor: string;
    readonly price: string;
    readonly own: string;
    readonly asked: string;
  }[];
}

interface Changes {
  readonly changes: readonly { readonly text: string }[];
  readonly freed: readonly Freed[];
}

async function importFile(input: CommandInput, terminal: Terminal, text: string): Promise<void> {
  const models = stringOption(input, 'models')
    ?.split(',')
    .map((name) => name.trim());
  const read = await terminal.data<ReadPrices>('catalog.readPrices', {
    body: { text, models, ...given(input, ['rate', 'margin']) },
  });
  const body = { yaml: read.yaml };
  const { changes, freed } = await terminal.data<Changes>('catalog.diff', { body });
  const yesterday =
    changes.length === 0 ? undefined : await terminal.data<WhatIfAnswer>('catalog.whatIf', { body });
  if (input.values.json !== true) {
    const shown = [...lines(read, changes, yesterday), ...freedLines(input, freed)];
    for (const line of shown) input.output.line(line);
  }
  const isApplied = changes.length > 0 && (await isWanted(input, freed));
  if (isApplied) {
    const wanted = { ...body, base_version: read.version, ...confirmFree(input) };
    await terminal.data('catalog.apply', { body: wanted, options: YES_FREE });
  }
  const { yaml: _yaml, ...told } = read;
  say(input, { applied: isApplied, changes, freed, yesterday: yesterday ?? null, ...told }, [
    changes.length === 0 ? 'nothing to change' : isApplied ? 'applied' : 'not applied: --yes applies it',
  ]);
}

async function isWanted(input: CommandInput, freed: readonly Freed[]): Promise<boolean> {
  const { yes, 'dry-run': isDry } = input.values;
  if (isDry === true || (yes !== true && !isInteractive())) return false;
  requireYesFree(input, freed);
  if (yes === true) return true;
  return isYes(await askPerson('Apply these prices (yes or no): '));
}

const NAMED_MAX = 20;

function lines(
  read: ReadPrices,
  changes: Changes['changes'],
  yesterday: WhatIfAnswer | undefined,
): readonly string[] {
  const { priced, unpriced, unknown, unknown_total: many, below } = read;
  const tiered = priced.filter((each) => each.tiered).map((each) => each.model_id);
  const rows = unknown
    .slice(0, NAMED_MAX)
    .map(({ vendor, model_id: model, currency, input, output }) => [
      vendor ?? '-',
      model,
      `${input ?? '-'}/${output ?? '-'} ${currency}`,
    ]);
  return [
    `${priced.length} models of the catalogue have a price in the file, ${unpriced.length} have none`,
    ...changes.map(({ text }) => text),
    ...(yesterday === undefined ? [] : whatIfLines(yesterday)),
    ...(tiered.length === 0 ? [] : [`the vendor asks more for long prompts: ${named(tiered)}`]),
    ...below.map(
      ({ model_id: model, vendor, price, own, asked }) =>
        `warning: ${price} of ${model} is ¥${own}, and ${vendor} asks ¥${asked}`,
    ),
    ...(many === 0
      ? []
      : [
          `${many} models of the file are not in the catalogue; "vendor add CODE --models NAME" offers one`,
          ...table(['VENDOR', 'MODEL', 'LIST PRICE'], rows),
          ...(many > rows.length ? [`and ${many - rows.length} more`] : []),
        ]),
  ];
}

function named(names: readonly string[]): string {
  const more = names.length - NAMED_MAX;
  return names.slice(0, NAMED_MAX).join(', ') + (more > 0 ? ` and ${more} more` : '');
}
