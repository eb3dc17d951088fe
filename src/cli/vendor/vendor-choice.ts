import { CommandFailed, type CommandInput, stringOption, UsageError } from '../command.ts';

/** A preset as the operation shows it. */
export interface Preset {
  readonly code: string;
  readonly name: string;
  readonly addresses: readonly {
    readonly protocols: readonly string[];
    readonly base_url: string;
    readonly site: string | null;
  }[];
  readonly keys_url: string | null;
  readonly needs_key: boolean;
  readonly tried: string;
  readonly capabilities: object | null;
  readonly quirks: { readonly refuses: readonly string[] };
  readonly notes: readonly string[];
  readonly models: readonly PresetModel[];
}

export interface PresetModel {
  readonly model_id: string;
  readonly name: string;
  readonly features: readonly string[];
  readonly prices: Readonly<Record<string, string | null>>;
  readonly list_prices: Readonly<Record<'currency' | 'as_of' | 'input' | 'output', string | null>> | null;
  readonly context_window: number | null;
  readonly max_output_tokens: number | null;
}

export type Address = Preset['addresses'][number];

export function requirePreset(presets: readonly Preset[], code: string): Preset {
  const found = presets.find((preset) => preset.code === code);
  if (found !== undefined) return found;
  throw new CommandFailed(
    `there is no preset ${code}; known are ${presets.map((each) => each.code).join(', ')}`,
  );
}

/** The first address of the site and the protocol that are asked for. */
export function chooseAddress({ code, addresses }: Preset, input: CommandInput): Address {
  const [protocol, site] = [stringOption(input, 'protocol'), stringOption(input, 'site')];
  const found = addresses.find(
    (each) =>
      (protocol === undefined || each.protocols.includes(protocol)) &&
      (site === undefined || each.site === site),
  );
  const chosen = found ?? addresses[0];
  if (found === undefined || chosen === undefined) {
    const known = addresses.map(({ protocols, site: of }) =>
      [protocols.join('+'), of ?? []].flat().join(' '),
    );
    throw new UsageError(`${code} has no such address; it has ${known.join(', ')}`);
  }
  return { ...chosen, base_url: stringOption(input, 'base-url') ?? chosen.base_url };
}

/** Price of a model in yuan for a million tokens, by names of the catalogue file. */
export type Prices = Readonly<Record<string, string>>;

/** `--price m=2/8,n=0/0`: input and output of each, in yuan for a million tokens. */
export function readPriceOption(text: string | undefined): ReadonlyMap<string, Prices> {
  const given = new Map<string, Prices>();
  for (const part of text?.split(',') ?? []) {
    const match = /^(\S+)=(\d{1,9}(?:\.\d{1,6})?)\/(\d{1,9}(?:\.\d{1,6})?)$/.exec(part.trim());
    const [, model = '', input = '', output = ''] = match ?? [];
    if (match === null)
      throw new UsageError('--price must be MODEL=INPUT/OUTPUT, in yuan for a million tokens');
    given.set(model, { input, output });
  }
  return given;
}

/** What each wanted model is sold for, or why it cannot be told. */
export function pricesOf(
  model: string,
  preset: Preset,
  given: ReadonlyMap<string, Prices>,
): Prices | 'no-rate' | 'no-figure' {
  const own = given.get(model);
  if (own !== undefined) return own;
  const known = preset.models.find((each) => each.model_id === model);
  if (known?.list_prices == null) return 'no-figure';
  const prices = Object.entries(known.prices).filter((entry): entry is [string, string] => entry[1] !== null);
  return prices.length === 0 ? 'no-rate' : Object.fromEntries(prices);
}

/** Names, numbers of the list, `all` or nothing, as a person types them. */
export function readPick(typed: string, names: readonly string[]): readonly string[] {
  if (typed.trim() === 'all') return names;
  const words = typed.split(/[\s,]+/).filter((word) => word !== '');
  return words.map((word) => names[Number(word) - 1] ?? word);
}
