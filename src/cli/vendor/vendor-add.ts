import { type Command, CommandFailed, type CommandInput, stringOption, UsageError } from '../command.ts';
import { JSON_HELP, JSON_OPTION, TEXT } from '../listing.ts';
import { say, table } from '../table.ts';
import { atTerminal, type Row, type Terminal } from '../terminal.ts';
import { askPerson, isInteractive } from './prompt.ts';
import {
  listPrice,
  type Picked,
  type Preset,
  type Prices,
  pricesOf,
  protocolsOf,
  readPick,
  readPriceOption,
  requirePreset,
  toPicked,
} from './vendor-choice.ts';
import { describeOffer, type Offer, type Sold } from './vendor-file.ts';
import { CLOUD_OPTIONS, readPlace, readSecret, vendorCode } from './vendor-place.ts';

export const vendorAdd: Command = {
  name: 'vendor add',
  mayCreate: true,
  summary:
    'Add a well-known vendor: test its key with one real call, and offer its models at list price × margin.',
  usage:
    'CODE [--models A,B | --all] [--rate YUAN] [--margin FACTOR] [--price MODEL=IN/OUT,…] ' +
    '[--key-variable NAME | --from-environment] [--protocol P] [--site SITE] [--base-url URL] [--name NAME] ' +
    '[--resource R] [--region R] [--location L] [--project P] [--api-version V] [--token-url URL] [--json]',
  words: 1,
  options: {
    ...{ models: TEXT, all: { type: 'boolean' }, rate: TEXT, margin: TEXT, price: TEXT },
    ...{ 'key-variable': TEXT, 'from-environment': { type: 'boolean' } },
    ...{ protocol: TEXT, site: TEXT, 'base-url': TEXT, name: TEXT },
    ...Object.fromEntries(CLOUD_OPTIONS.map((name) => [name, TEXT])),
    ...JSON_OPTION,
  },
  help: [
    'CODE             vendor, see "vendor list"',
    '--models A,B     models to offer, by the names that the vendor uses; MODEL=NAME gives one another name',
    '--all            all models of the preset that have a price',
    '--rate YUAN      yuan for a dollar; default TOLLGATE_YUAN_PER_DOLLAR',
    '--margin FACTOR  1.2 sells for a fifth more than the list price; default 1',
    '--price MODEL=INPUT/OUTPUT  own prices in yuan for a million tokens; MODEL=PRICE/image or /video for an item',
    '--key-variable NAME  read the key from this variable of the environment or of the settings',
    '--from-environment  of a cloud: read its credential from the variables that its own tools use',
    '--protocol P     the address that speaks this protocol, if the vendor has several',
    '--site SITE      china or international, if the vendor has both',
    '--base-url URL   another address, such as that of a proxy',
    '--name NAME      name of the credential; default CODE-main',
    '--resource R     azure: the name of the resource',
    '--region R       bedrock: the region, such as us-east-1',
    '--location L     vertex: a region, or global',
    '--project P      vertex: the project, if it is not that of the service account',
    '--api-version V  azure: use the form with deployments',
    '--token-url URL  clouds: where tokens are requested, for sovereign clouds',
    JSON_HELP,
  ],
  notes: [
    'The key is asked for, or read from standard input, or from a variable; never from an argument. The call',
    'with it is real and costs a few tokens. Nothing is stored if it fails. The credential of a cloud that has',
    'several parts is a JSON object on standard input; see docs/vendors.md.',
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
  const place = await readPlace(input, preset);
  const secret = await readSecret(input, terminal, preset);
  const vendors = await keysOf(terminal, 'vendors.list', 'code');
  const trial: Trial = { preset, ...place, secret, code: vendorCode(preset, place, vendors) };
  const models = await pickModels(input, preset, await listModels(terminal, trial));
  if (models.length === 0) throw new CommandFailed('no model is picked, and nothing was stored');
  const priced = await priceModels(input, terminal, { preset, models });
  const tested = await testKey(terminal, trial, models);
  const sold = models.map((model) => ({ ...model, prices: priced.get(model.id) ?? {} }));
  const offer = await completeOffer(input, terminal, {
    ...trial,
    models: sold,
    vendor: vendors.get(trial.code),
  });
  const { yaml, routes, said } = describeOffer(offer);
  const { changes } = await terminal.data<{ changes: readonly Row[] }>('catalog.apply', { body: { yaml } });
  for (const body of routes) await terminal.data('routes.create', { body });
  say(input, { vendor: offer.code, credential: offer.credential, changes, routes: routes.length }, [
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

/** A vendor that is perhaps not stored, with a secret that is not. */
type Trial = Pick<Offer, 'preset' | 'code' | 'address' | 'cloud' | 'secret'>;

function trialBody({ code, address, cloud, secret }: Trial, protocol: string | undefined): Row {
  return { vendor: code, protocol, base_url: address.base_url, secret, ...(cloud && { cloud }) };
}

/** What the vendor itself lists; a vendor without a list has the models of its preset. */
async function listModels(terminal: Terminal, trial: Trial): Promise<readonly string[]> {
  const { preset, address } = trial;
  const known = preset.models.map(({ model_id: id }) => id);
  const names = new Set(preset.models.flatMap((each) => [each.model_id, each.forward_model_id]));
  const { models } = await terminal.data<{ models: readonly string[] }>('vendors.models', {
    body: trialBody(trial, address.protocols[0]),
  });
  return [...known, ...models.filter((name) => !names.has(name))];
}

async function pickModels(
  input: CommandInput,
  preset: Preset,
  names: readonly string[],
): Promise<readonly Picked[]> {
  return (await typedModels(input, preset, names)).map((typed) => toPicked(typed, preset));
}

async function typedModels(
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
  const found = models.find(({ model_id: id }) => id === name);
  return found?.list_prices == null ? 'none known' : `${listPrice(found)} of ${found.list_prices.as_of}`;
}

interface Wanted {
  readonly preset: Preset;
  readonly models: readonly Picked[];
}

/** Asks for the rate if somebody can answer and a price needs it. */
async function priceModels(
  input: CommandInput,
  terminal: Terminal,
  { preset, models }: Wanted,
): Promise<ReadonlyMap<string, Prices>> {
  const given = readPriceOption(stringOption(input, 'price'));
  const priced = new Map(models.map(({ id }) => [id, pricesOf(id, preset, given)]));
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

/** Pictures and videos are not made to test a key: then a model of the preset that writes is asked. */
const COSTLY = ['images', 'videos'];

async function testKey(
  terminal: Terminal,
  trial: Trial,
  models: readonly Picked[],
): Promise<{ readonly duration_ms: number }> {
  const { preset, address } = trial;
  const known = preset.models.map(({ model_id: id }) => toPicked(id, preset));
  const cheap = (model: Picked): string | undefined =>
    protocolsOf(preset, address.protocols, model).find((protocol) => !COSTLY.includes(protocol));
  const asked = [...models, ...known].find((model) => cheap(model) !== undefined) ?? models[0];
  const forward = asked?.forward ?? '';
  const protocol = (asked && cheap(asked)) ?? address.protocols[0];
  const result = await terminal.data<{
    ok: boolean;
    status: number | null;
    message: string | null;
    duration_ms: number;
  }>('credentials.testNew', { body: { ...trialBody(trial, protocol), model: forward } });
  if (result.ok) return result;
  const answered = result.status === null ? 'did not answer' : `answered ${result.status}`;
  const why = result.message ?? '';
  throw new CommandFailed(
    `${trial.preset.name} ${answered} to a call of ${forward}: ${why}; nothing was stored`,
  );
}

/** All rows of a list, by one of their fields. */
async function keysOf(
  terminal: Terminal,
  operation: string,
  field: string,
): Promise<ReadonlyMap<string, Row>> {
  const found = new Map<string, Row>();
  for (let page = 1; ; page++) {
    const { rows, total } = await terminal.page(operation, { query: { page, size: 100 } });
    for (const row of rows as readonly Row[]) found.set(String(row[field]), row);
    if (rows.length === 0 || found.size >= total) return found;
  }
}

type Unnamed = Omit<Offer, 'credential' | 'known'> & { readonly models: readonly Sold[] };

/** With what the catalogue has already: the vendor stays as it is, a model gets one more route. */
async function completeOffer(input: CommandInput, terminal: Terminal, offer: Unnamed): Promise<Offer> {
  const credentials = await keysOf(terminal, 'credentials.list', 'name');
  const name = stringOption(input, 'name') ?? freeName(offer.code, credentials);
  if (credentials.has(name)) throw new CommandFailed(`there is a credential ${name} already: choose --name`);
  const known = await keysOf(terminal, 'models.list', 'model_id');
  return { ...offer, credential: name, known: new Set(known.keys()) };
}

function freeName(code: string, taken: ReadonlyMap<string, Row>): string {
  for (let number = 1; ; number++) {
    const name = number === 1 ? `${code}-main` : `${code}-${number}`;
    if (!taken.has(name)) return name;
  }
}
