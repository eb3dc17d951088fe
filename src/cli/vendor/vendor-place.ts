import { readFileSync, statSync } from 'node:fs';
import { SECRET_LENGTH_MAX } from '../../bounds.ts';
import { CommandFailed, type CommandInput, stringOption, UsageError } from '../command.ts';
import { readStandardInput } from '../standard-input.ts';
import type { Row, Terminal } from '../terminal.ts';
import { askPerson, askSecret, isInteractive } from './prompt.ts';
import {
  type Address,
  type CloudQuestions,
  chooseAddress,
  type Preset,
  type SecretForm,
} from './vendor-choice.ts';

/** Options that only clouds have; with `_` they are the fields of a catalogue file. */
export const CLOUD_OPTIONS = ['resource', 'region', 'location', 'project', 'api-version', 'token-url'];

/** Where a vendor is reached; of a cloud also what the catalogue says of it. */
export interface Place {
  readonly address: Address;
  readonly cloud: Row | undefined;
  /** What tells two vendors of one cloud apart: its region, location or resource. */
  readonly name: string;
}

export async function readPlace(input: CommandInput, preset: Preset): Promise<Place> {
  const fields = await readFields(input, preset);
  const address = chooseAddress(preset, input, fields);
  const { cloud } = preset;
  if (cloud === null) return { address, cloud: undefined, name: '' };
  const own = cloud.fields.filter(({ of, name }) => of === 'cloud' && fields.has(name));
  const parts = own.map(({ name }) => [name, fields.get(name)]);
  const [first] = cloud.fields;
  return {
    address,
    cloud: { kind: cloud.kind, ...Object.fromEntries(parts) },
    name: fields.get(first?.name ?? '') ?? '',
  };
}

async function readFields(input: CommandInput, preset: Preset): Promise<ReadonlyMap<string, string>> {
  const questions = preset.cloud?.fields ?? [];
  const found = new Map<string, string>();
  for (const option of CLOUD_OPTIONS) {
    const value = stringOption(input, option);
    if (value === undefined) continue;
    const name = option.replace('-', '_');
    if (!questions.some((each) => each.name === name)) {
      throw new UsageError(`--${option} is not for ${preset.code}`);
    }
    found.set(name, value);
  }
  for (const { name, of, required, example } of questions) {
    const isInAddress = of === 'address' && stringOption(input, 'base-url') !== undefined;
    if (found.has(name) || isInAddress || name === 'token_url') continue;
    if (required && !isInteractive()) {
      throw new UsageError(`--${name.replace('_', '-')} is required, such as ${example}`);
    }
    if (!isInteractive()) continue;
    const typed = await askPerson(`${name} (such as ${example}${required ? '' : '; empty: none'}): `);
    if (typed === '' && required) throw new UsageError(`${name} is required`);
    if (typed !== '') found.set(name, typed);
  }
  return found;
}

/** A key or the parts of a cloud's credential: typed, or from a variable, or from standard input. */
export async function readSecret(input: CommandInput, terminal: Terminal, preset: Preset): Promise<string> {
  const { environment } = terminal.config;
  const variable = stringOption(input, 'key-variable');
  if (variable !== undefined) {
    const value = environment[variable]?.trim() ?? '';
    if (value === '') throw new UsageError(`the variable ${variable} is not set`);
    return value;
  }
  if (input.values['from-environment'] === true) return secretOfEnvironment(preset, environment);
  const where = preset.keys_url === null ? '' : ` (${preset.keys_url})`;
  const typed = isInteractive()
    ? await askForSecret(preset, where)
    : await readStandardInput(SECRET_LENGTH_MAX);
  if (typed.trim() !== '') return typed.trim();
  if (!preset.needs_key) return 'none';
  throw new UsageError(`a key of ${preset.name} is required${where}`);
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The first form whose variables are set, by the names that the cloud's own tools use. */
function secretOfEnvironment({ code, cloud }: Preset, environment: Environment): string {
  for (const { variable, parts } of cloud?.secrets ?? []) {
    const whole = variable === null ? '' : (environment[variable]?.trim() ?? '');
    if (whole !== '') return whole;
    const values = parts.map(({ name, variable: of }) => [name, (of && environment[of]?.trim()) || '']);
    const isWhole = parts.every(({ required }, at) => !required || values[at]?.[1] !== '');
    if (parts.length > 0 && isWhole) {
      return JSON.stringify(Object.fromEntries(values.filter(([, value]) => value !== '')));
    }
  }
  const names = (cloud?.secrets ?? []).map(formVariables).filter((text) => text !== '');
  if (names.length === 0) throw new UsageError(`--from-environment is for clouds, and ${code} is none`);
  throw new UsageError(`none of these variables is set: ${names.join(', or ')}`);
}

function formVariables({ variable, parts }: SecretForm): string {
  const needed = parts.filter(({ required }) => required).map(({ variable: of }) => of ?? '');
  return [variable ?? '', ...needed].filter((name) => name !== '').join(' and ');
}

async function askForSecret({ name, cloud }: Preset, where: string): Promise<string> {
  if (cloud === null) return askSecret(`Key of ${name}${where}: `);
  const form = await chooseForm(cloud);
  if (form.fixed !== null) return form.fixed;
  if (form.form === 'service-account') {
    return readKeyFile(await askPerson(`Path of the JSON key of the service account${where}: `));
  }
  if (form.parts.length === 0) return askSecret(`Key of ${name}${where}: `);
  const parts: [string, string][] = [];
  for (const { name: part, hidden, required } of form.parts) {
    const question = `${part}${required ? '' : ' (empty: none)'}: `;
    const typed = await (hidden ? askSecret(question) : askPerson(question));
    if (typed === '' && required) throw new UsageError(`${part} is required`);
    if (typed !== '') parts.push([part, typed]);
  }
  return JSON.stringify(Object.fromEntries(parts));
}

async function chooseForm({ secrets }: CloudQuestions): Promise<SecretForm> {
  const names = secrets.map(({ form }) => form);
  const typed = await askPerson(`Credential (${names.join(', ')}; empty: ${names[0]}): `);
  const chosen = typed === '' ? secrets[0] : secrets.find(({ form }) => form === typed);
  if (chosen === undefined) throw new UsageError(`the credential must be one of ${names.join(', ')}`);
  return chosen;
}

function readKeyFile(path: string): string {
  try {
    if (statSync(path).size > SECRET_LENGTH_MAX)
      throw new CommandFailed(`${path} is no key file: it is too long`);
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof CommandFailed) throw error;
    throw new CommandFailed(`${path} cannot be read`);
  }
}

/** The vendor of the catalogue for a place: the preset's code, or one more for another region or protocol. */
export function vendorCode(preset: Preset, place: Place, vendors: ReadonlyMap<string, Row>): string {
  const { protocols } = place.address;
  const isUsual = preset.addresses[0]?.protocols.join() === protocols.join();
  if (place.cloud === undefined) return isUsual ? preset.code : `${preset.code}-${protocols[0]}`;
  for (let number = 0; ; number++) {
    const ending = [place.name, number > 1 ? String(number) : ''].filter((text) => text !== '').join('-');
    const code = number === 0 ? preset.code : `${preset.code}-${ending === '' ? number : ending}`;
    const vendor = vendors.get(code);
    if (vendor === undefined || isSame(vendor, place)) return code;
  }
}

function isSame(vendor: Row, { address, cloud }: Place): boolean {
  const set = (parts: unknown) =>
    JSON.stringify(
      Object.entries((parts ?? {}) as object)
        .filter(([, value]) => value !== null)
        .sort(),
    );
  return vendor.base_url === address.base_url && set(vendor.cloud) === set(cloud);
}
