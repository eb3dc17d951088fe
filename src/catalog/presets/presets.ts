import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { assert } from '../../kernel/assert.ts';
import { formatProblem, Problems } from '../file/problems.ts';
import { readTree } from '../file/yaml-tree.ts';
import type { Preset } from './preset.ts';
import { presetShape } from './preset-shape.ts';

const PRESETS_FOLDER = join(import.meta.dirname, 'vendors');

/** In the order in which people look for them; the others follow by name. */
const FIRST = [
  ...['openai', 'anthropic', 'google', 'azure', 'bedrock', 'vertex'],
  ...['deepseek', 'openrouter', 'alibaba', 'moonshot', 'zhipu'],
];
const OWN_MACHINES = ['ollama', 'vllm', 'lm-studio'];

let read: readonly Preset[] | undefined;

/** Every vendor that has a file. They are read once: a release does not change its files. */
export function vendorPresets(): readonly Preset[] {
  read ??= readPresets(() => true);
  return read;
}

/** Those of the default catalogue. Every start needs them, so the other files are not parsed. */
export function presetsWithVariable(): readonly Preset[] {
  return readPresets((text) => /^variable: /m.test(text));
}

export function findPreset(code: string): Preset | undefined {
  return vendorPresets().find((preset) => preset.code === code);
}

/** The preset that a vendor of the catalogue was made from: `bedrock-eu-west-1`, `deepseek-messages`. */
export function findPresetOfVendor(vendorCode: string): Preset | undefined {
  const isMadeFrom = ({ code, cloud, addresses }: Preset): boolean =>
    cloud === undefined
      ? addresses.some(({ protocols: [first] }) => vendorCode === `${code}-${first}`)
      : vendorCode.startsWith(`${code}-`);
  return findPreset(vendorCode) ?? vendorPresets().find(isMadeFrom);
}

function readPresets(isWanted: (text: string) => boolean): readonly Preset[] {
  const presets = readdirSync(PRESETS_FOLDER)
    .filter((name) => name.endsWith('.yaml'))
    .flatMap((name) => {
      const text = readFileSync(join(PRESETS_FOLDER, name), 'utf8');
      return isWanted(text) ? [readPreset(text, name)] : [];
    });
  return presets.sort((one, other) => placeOf(one) - placeOf(other) || (one.name < other.name ? -1 : 1));
}

function placeOf({ code }: Preset): number {
  if (OWN_MACHINES.includes(code)) return FIRST.length + 1 + OWN_MACHINES.indexOf(code);
  const place = FIRST.indexOf(code);
  return place === -1 ? FIRST.length : place;
}

/** A wrong file is a mistake of the release, so it stops whoever needs it. */
export function readPreset(text: string, file: string): Preset {
  const problems = new Problems();
  const tree = readTree(text, {}, problems);
  const preset = tree && presetShape({ tree, path: '', problems });
  assert(
    preset !== undefined && !problems.found,
    `${file}: ${problems.list().map(formatProblem).join('; ')}`,
  );
  assert(file === `${preset.code}.yaml`, `${file} has the code ${preset.code}`);
  return preset;
}
