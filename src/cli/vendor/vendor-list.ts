import type { Command } from '../command.ts';
import { JSON_HELP, JSON_OPTION, TEXT } from '../listing.ts';
import { facts, say, table } from '../table.ts';
import { atTerminal } from '../terminal.ts';
import { listPrice, type Preset, type PresetModel, requirePreset } from './vendor-choice.ts';

export const vendorList: Command = {
  name: 'vendor list',
  summary: 'List the vendors that "vendor add" knows, or all that is known of one.',
  usage: '[CODE] [--rate YUAN] [--json]',
  words: 1,
  options: { rate: TEXT, ...JSON_OPTION },
  help: [
    'CODE             one vendor, with its models and prices',
    '--rate YUAN      yuan for a dollar; default TOLLGATE_YUAN_PER_DOLLAR',
    JSON_HELP,
  ],
  run: (input) =>
    atTerminal(input, async (terminal) => {
      const query = { rate: input.values.rate };
      const presets = await terminal.data<readonly Preset[]>('vendors.presets', { query });
      const [code] = input.positionals;
      if (code === undefined) return say(input, presets, allLines(presets));
      const preset = requirePreset(presets, code);
      return say(input, preset, oneLines(preset));
    }),
};

function allLines(presets: readonly Preset[]): readonly string[] {
  const rows = presets.map(({ code, name, addresses, models, tried }) => [
    ...[code, name, [...new Set(addresses.flatMap(({ protocols }) => protocols))].join(', ')],
    ...[String(models.length), tried, addresses[0]?.base_url ?? ''],
  ]);
  return table(['CODE', 'NAME', 'PROTOCOLS', 'MODELS', 'TRIED WITH', 'ADDRESS'], rows);
}

function oneLines(preset: Preset): readonly string[] {
  const addresses = preset.addresses.map(({ protocols, base_url: url, site }): readonly [string, string] => [
    'address',
    [url, `(${[...protocols, ...(site === null ? [] : [site])].join(', ')})`].join(' '),
  ]);
  const told: readonly (readonly [string, string])[] = [
    ['vendor', `${preset.name} (${preset.code})`],
    ...addresses,
    ...(preset.cloud?.fields ?? []).map(({ name, required, example }): readonly [string, string] => [
      'asks for',
      `${name}, such as ${example}${required ? '' : ' (may be left out)'}`,
    ]),
    ['keys', preset.keys_url ?? (preset.needs_key ? '-' : 'needs none')],
    ['tried with', preset.tried],
    ['refuses', preset.quirks.refuses.join(', ') || '-'],
    ...preset.notes.map((note): readonly [string, string] => ['note', note]),
  ];
  const rows = preset.models.map((model) => [
    ...[model.model_id, String(model.context_window ?? '-'), listPrice(model)],
    ...[model.list_prices?.as_of ?? 'no figure found', priceText(model)],
  ]);
  return [...facts(told), ...table(['MODEL', 'CONTEXT', 'LIST PRICE', 'OF', 'YUAN'], rows)];
}

function priceText({ prices: { input, output, image, video } }: PresetModel): string {
  if (input != null) return [input, output].filter((price) => price != null).join('/');
  return image ?? video ?? '-';
}
