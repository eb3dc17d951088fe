import { CommandFailed, type CommandInput, stringOption, UsageError } from '../command.ts';

/** A preset as the operation shows it. */
export interface Preset {
  readonly code: string;
  readonly name: string;
  readonly addresses: readonly {
    readonly protocols: readonly string[];
    readonly base_url: string;
    readonly site: string | null;
    readonly when: string | null;
  }[];
  readonly cloud: CloudQuestions | null;
  readonly keys_url: string | null;
  readonly needs_key: boolean;
  readonly tried: string;
  readonly capabilities: object | null;
  readonly quirks: { readonly refuses: readonly string[] };
  readonly notes: readonly string[];
  readonly models: readonly PresetModel[];
}

/** What a cloud needs, as the operation shows it. */
export interface CloudQuestions {
  readonly kind: string;
  readonly fields: readonly {
    readonly name: string;
    readonly of: 'address' | 'cloud';
    readonly required: boolean;
    readonly example: string;
  }[];
  readonly secrets: readonly SecretForm[];
}

export interface SecretForm {
  readonly form: string;
  readonly variable: string | null;
  readonly fixed: string | null;
  readonly parts: readonly {
    readonly name: string;
    readonly required: boolean;
    readonly hidden: boolean;
    readonly variable: string | null;
  }[];
}

export interface PresetModel {
  readonly model_id: string;
  readonly forward_model_id: string;
  readonly protocols: readonly string[] | null;
  readonly name: string;
  readonly features: readonly string[];
  readonly prices: Readonly<Record<string, string | null>>;
  readonly list_prices: Readonly<Record<'currency' | 'as_of' | PriceName, string | null>> | null;
  readonly context_window: number | null;
  readonly max_output_tokens: number | null;
}

type PriceName = 'input' | 'output' | 'image' | 'video';

export type Address = Preset['addresses'][number];

export function requirePreset(presets: readonly Preset[], code: string): Preset {
  const found = presets.find((preset) => preset.code === code);
  if (found !== undefined) return found;
  throw new CommandFailed(
    `there is no preset ${code}; known are ${presets.map((each) => each.code).join(', ')}`,
  );
}

/** The first address of the site and the protocol that are asked for, with the fields of a cloud in it. */
export function chooseAddress(
  { code, addresses }: Preset,
  input: CommandInput,
  fields: ReadonlyMap<string, string>,
): Address {
  const [protocol, site] = [stringOption(input, 'protocol'), stringOption(input, 'site')];
  const fitting = addresses.filter(
    (each) =>
      (protocol === undefined || each.protocols.includes(protocol)) &&
      (site === undefined || each.site === site),
  );
  const found =
    fitting.find(({ when }) => when !== null && isMet(when, fields)) ??
    fitting.find(({ when }) => when === null);
  if (found === undefined) {
    const known = addresses.map(({ protocols, site: of }) =>
      [protocols.join('+'), of ?? []].flat().join(' '),
    );
    throw new UsageError(`${code} has no such address; it has ${known.join(', ')}`);
  }
  const url = found.base_url.replace(/\{([a-z_]+)\}/g, (_all, name: string) => fields.get(name) ?? '');
  return { ...found, base_url: stringOption(input, 'base-url') ?? url };
}

/** `api_version`: the field is given; `location=global`: it has this value. */
function isMet(when: string, fields: ReadonlyMap<string, string>): boolean {
  const [name = '', value] = when.split('=');
  const given = fields.get(name);
  return value === undefined ? given !== undefined : given === value;
}

/** A model that is wanted: what clients call it, and what the vendor does. */
export interface Picked {
  readonly id: string;
  readonly forward: string;
}

/** `gpt-5=my-deployment`, a name of the vendor, or one of the preset. */
export function toPicked(typed: string, { models }: Preset): Picked {
  const [id = '', forward] = typed.split('=');
  const known = models.find((each) => each.model_id === id || each.forward_model_id === id);
  return { id: known?.model_id ?? id, forward: forward ?? known?.forward_model_id ?? id };
}

/** Clouds with models of several makers serve Claude by Messages, and the others by something else. */
function guessed(forward: string): readonly string[] {
  const isClaude = forward.includes('claude');
  return TEXT_PROTOCOLS.filter((protocol) => (protocol === 'messages') === isClaude);
}

const TEXT_PROTOCOLS = ['responses', 'chat', 'messages', 'gemini'];

/** What a model is served by at an address: what its preset says, else what makes text. */
export function protocolsOf(
  { models, cloud }: Preset,
  spoken: readonly string[],
  { id, forward }: Picked,
): readonly string[] {
  const known = models.find((each) => each.model_id === id);
  const own = known === undefined && cloud !== null ? guessed(forward) : (known?.protocols ?? TEXT_PROTOCOLS);
  const served = spoken.filter((protocol) => own.includes(protocol));
  return served.length === 0 ? spoken : served;
}

/** Price of a model in yuan for a million tokens, by names of the catalogue file. */
export type Prices = Readonly<Record<string, string>>;

/** `--price m=2/8,n=0/0,v=2.5/video`: input and output in yuan for a million tokens, or that of an item. */
export function readPriceOption(text: string | undefined): ReadonlyMap<string, Prices> {
  const given = new Map<string, Prices>();
  for (const part of text?.split(',') ?? []) {
    const match = /^(\S+)=(\d{1,9}(?:\.\d{1,6})?)\/(\d{1,9}(?:\.\d{1,6})?|image|video)$/.exec(part.trim());
    const [, model = '', first = '', second = ''] = match ?? [];
    if (match === null)
      throw new UsageError('--price must be MODEL=INPUT/OUTPUT, in yuan for a million tokens');
    const isItem = second === 'image' || second === 'video';
    given.set(model, isItem ? { [second]: first } : { input: first, output: second });
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

/** `0.14/0.28 USD` for tokens, `0.5 USD/video` for an item. */
export function listPrice({ list_prices: list }: PresetModel): string {
  if (list === null) return '-';
  const item = (['image', 'video'] as const).find((name) => list[name] !== null && list.input === null);
  if (item !== undefined) return `${list[item]} ${list.currency}/${item}`;
  return `${[list.input, list.output].filter((price) => price !== null).join('/')} ${list.currency}`;
}
