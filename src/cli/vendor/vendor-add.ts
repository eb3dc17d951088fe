import { SECRET_LENGTH_MAX } from '../../bounds.ts';
import { type Command, CommandFailed, type CommandInput, stringOption, UsageError } from '../command.ts';
import { JSON_HELP, JSON_OPTION, TEXT } from '../listing.ts';
import { readStandardInput } from '../standard-input.ts';
import { say, table } from '../table.ts';
import { atTerminal, type Row, type Terminal } from '../terminal.ts';
import { askPerson, askSecret, isInteractive } from './prompt.ts';
import {
  type Address,
  chooseAddress,
  type Preset,
  type Prices,
  pricesOf,
  readPick,
  readPriceOption,
  requirePreset,
} from './vendor-choice.ts';
import { describeOffer, type Offer } from './vendor-file.ts';

export const vendorAdd: Command = {
  name: 'vendor add',
  summary:
    'Add a well-known vendor: test its key with one real call, and offer its models at list price × margin.',
  usage:
    'CODE [--models A,B | --all] [--rate YUAN] [--margin FACTOR] [--price MODEL=IN/OUT,…] ' +
    '[--key-variable NAME] [--protocol P] [--site SITE] [--base-url URL] [--name NAME] [--json]',
  words: 1,
  options: {
    ...{ models: TEXT, all: { type: 'boolean' }, rate: TEXT, margin: TEXT, price: TEXT },
    ...{ 'key-variable': TEXT, protocol: TEXT, site: TEXT, 'base-url': TEXT, name: TEXT },
    ...JSON_OPTION,
  },
  help: [
    'CODE             vendor, see "vendor list"',
    '--models A,B     models to offer, by the names that the vendor uses',
    '--all            all models of the preset that have a price',
    '--rate YUAN      yuan for a dollar; default TOLLGATE_YUAN_PER_DOLLAR',
    '--margin FACTOR  1.2 sells for a fifth more than the list price; default 1',
    '--price MODEL=INPUT/OUTPUT  own prices in yuan for a million tokens, for models without a list price',
    '--key-variable NAME  read the key from this variable of the environment or of the settings',
    '--protocol P     the address that speaks this protocol, if the vendor has several',
    '--site SITE      china or international, if the vendor has both',
    '--base-url URL   another address, such as that of a proxy',
    '--name NAME      name of the credential; default CODE-main',
    JSON_HELP,
  ],
  notes: [
    'The key is asked for, or read from standard input, or from a variable; never from an argument. The call',
    'with it is real and costs a few tokens. Nothing is stored if it fails.',
  ],
  run: (input) => {
    const [code] = input.positionals;
    if (code === undefined) throw new UsageError('CODE is required; "vendor list" has them');
    const isPicked = stringOption(input, 'models') !== undefined || input.values.all === true;
    if (!isPicked && !isInteractive()) throw new UsageError('name the models with --models or --all');
    return atTerminal(input, (terminal) => addVendor(input, terminal, code));
  },
};

async function addVendor(input: CommandInput, terminal: Terminal, code: string): Promise<void> {
  const preset = await readPreset(input, terminal, code);
  const address = chooseAddress(preset, input);
  const secret = await readSecret(input, terminal, preset);
  const models = await pickModels(input, preset, await listModels(terminal, { preset, address, secret }));
  if (models.length === 0) throw new CommandFailed('no model is picked, and nothing was stored');
  const priced = await priceModels(input, terminal, { preset, models });
  const tested = await testKey(terminal, { preset, address, secret, model: models[0] ?? '' });
  const offer = await completeOffer(input, terminal, { preset, address, secret, models: priced });
  const { yaml, routes, said } = describeOffer(offer);
  const { changes } = await terminal.data<{ changes: readonly Row[] }>('catalog.apply', { body: { yaml } });
  for (const body of routes) await terminal.data('routes.create', { body });
  say(input, { vendor: code, credential: offer.credential, changes, routes: routes.length }, [
    `the key works: ${preset.name} answered in ${tested.duration_ms} ms`,
    ...said,
    ...(preset.tried === 'vendor' || preset.tried === 'recordings'
      ? []
      : ['this preset was tried against a simulator only, not against the vendor itself']),
  ]);
}

async function readPreset(input: CommandInput, terminal: Terminal, code: string): Promise<Preset> {
  const query = { rate: input.values.rate, margin: input.values.margin };
  return requirePreset(await terminal.data<readonly Preset[]>('vendors.presets', { query }), code);
}

async function readSecret(input: CommandInput, { config }: Terminal, preset: Preset): Promise<string> {
  const variable = stringOption(input, 'key-variable');
  if (variable !== undefined) {
    const value = config.environment[variable]?.trim() ?? '';
    if (value === '') throw new UsageError(`the variable ${variable} is not set`);
    return value;
  }
  const where = preset.keys_url === null ? '' : ` (${preset.keys_url})`;
  const typed = isInteractive()
    ? await askSecret(`Key of ${preset.name}${where}: `)
    : await readStandardInput(SECRET_LENGTH_MAX);
  if (typed.trim() !== '') return typed.trim();
  if (!preset.needs_key) return 'none';
  throw new UsageError(`a key of ${preset.name} is required${where}`);
}

interface Trial {
  readonly preset: Preset;
  readonly address: Address;
  readonly secret: string;
}

function trialBody({ preset: { code }, address: { protocols, base_url: url }, secret }: Trial): Row {
  const protocol = protocols.find((each) => each !== 'images');
  return { vendor: code, protocol, base_url: url, secret };
}

/** What the vendor itself lists; a vendor without a list has the models of its preset. */
async function listModels(terminal: Terminal, trial: Trial): Promise<readonly string[]> {
  const known = trial.preset.models.map(({ model_id: id }) => id);
  const { models } = await terminal.data<{ models: readonly string[] }>('vendors.models', {
    body: trialBody(trial),
  });
  return [...known, ...models.filter((name) => !known.includes(name))];
}

async function pickModels(
  input: CommandInput,
  preset: Preset,
  names: readonly string[],
): Promise<readonly string[]> {
  const named = stringOption(input, 'models');
  if (named !== undefined) return readPick(named, []);
  if (input.values.all === true) {
    return preset.models.filter(({ list_prices: list }) => list !== null).map(({ model_id: id }) => id);
  }
  const rows = names.map((name, index) => [String(index + 1), name, listText(preset, name)]);
  for (const line of table(['', 'MODEL', 'LIST PRICE'], rows)) input.output.error(line);
  return readPick(await askPerson('Which of them (numbers, names, or all): '), names);
}

function listText({ models }: Preset, name: string): string {
  const list = models.find(({ model_id: id }) => id === name)?.list_prices ?? null;
  return list === null ? 'none known' : `${list.input}/${list.output} ${list.currency} of ${list.as_of}`;
}

interface Wanted {
  readonly preset: Preset;
  readonly models: readonly string[];
}

/** Asks for the rate if somebody can answer and a price needs it. */
async function priceModels(
  input: CommandInput,
  terminal: Terminal,
  { preset, models }: Wanted,
): Promise<ReadonlyMap<string, Prices>> {
  const given = readPriceOption(stringOption(input, 'price'));
  const priced = new Map(models.map((model) => [model, pricesOf(model, preset, given)]));
  const [unknown] = [...priced].find(([, prices]) => prices === 'no-figure') ?? [];
  if (unknown !== undefined) {
    throw new UsageError(`no list price of ${unknown} is known: give one by --price ${unknown}=INPUT/OUTPUT`);
  }
  if ([...priced.values()].includes('no-rate')) {
    if (!isInteractive()) throw new UsageError(`--rate is required: prices of ${preset.name} are in dollars`);
    const rate = await askPerson('Yuan for a dollar: ');
    const values = { ...input.values, rate };
    const again = await readPreset({ ...input, values }, terminal, preset.code);
    return priceModels({ ...input, values }, terminal, { preset: again, models });
  }
  return priced as ReadonlyMap<string, Prices>;
}

async function testKey(
  terminal: Terminal,
  { model, ...trial }: Trial & { readonly model: string },
): Promise<{ readonly duration_ms: number }> {
  const result = await terminal.data<{
    ok: boolean;
    status: number | null;
    message: string | null;
    duration_ms: number;
  }>('credentials.testNew', { body: { ...trialBody(trial), model } });
  if (result.ok) return result;
  const answered = result.status === null ? 'did not answer' : `answered ${result.status}`;
  const why = result.message ?? '';
  throw new CommandFailed(
    `${trial.preset.name} ${answered} to a call of ${model}: ${why}; nothing was stored`,
  );
}

interface Sold extends Trial {
  readonly models: ReadonlyMap<string, Prices>;
}

/** With what the catalogue has already: the vendor stays as it is, a model gets one more route. */
async function completeOffer(input: CommandInput, terminal: Terminal, sold: Sold): Promise<Offer> {
  const { preset } = sold;
  const keysOf = async (operation: string, field: string): Promise<ReadonlyMap<string, Row>> => {
    const found = new Map<string, Row>();
    for (let page = 1; ; page++) {
      const { rows, total } = await terminal.page(operation, { query: { page, size: 100 } });
      for (const row of rows as readonly Row[]) found.set(String(row[field]), row);
      if (rows.length === 0 || found.size >= total) return found;
    }
  };
  const vendor = (await keysOf('vendors.list', 'code')).get(preset.code);
  const credentials = await keysOf('credentials.list', 'name');
  const name = stringOption(input, 'name') ?? freeName(preset.code, credentials);
  if (credentials.has(name)) throw new CommandFailed(`there is a credential ${name} already: choose --name`);
  const known = await keysOf('models.list', 'model_id');
  return { ...sold, credential: name, vendor, known: new Set(known.keys()) };
}

function freeName(code: string, taken: ReadonlyMap<string, Row>): string {
  for (let number = 1; ; number++) {
    const name = number === 1 ? `${code}-main` : `${code}-${number}`;
    if (!taken.has(name)) return name;
  }
}
