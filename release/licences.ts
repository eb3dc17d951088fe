import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { projectRoot, readManifest } from './project.ts';

/** What the pages of the console import. Their bundle holds these and what these need. */
export const CONSOLE_PACKAGES: readonly string[] = [
  '@base-ui/react',
  '@tanstack/react-query',
  '@tanstack/react-router',
  '@tanstack/react-virtual',
  'dompurify',
  'highlight.js',
  'marked',
  'react',
  'react-dom',
  'uplot',
  'yaml',
];

export interface ShippedPackage {
  readonly name: string;
  readonly version: string;
  readonly licence: string;
  /** Its own texts: licence and notices. */
  readonly texts: readonly string[];
}

const LICENCE_FILE = /^(?:licen[cs]e|copying|notice)(?:[.-].*)?$/i;

/** `folders` are packages from the root of the project. Each is told once, by name. */
export function shippedPackages(folders: readonly string[]): readonly ShippedPackage[] {
  const shipped = folders.map((folder) => {
    const { name, version, license = 'not declared' } = readManifest(folder);
    const files = readdirSync(join(projectRoot, folder)).filter((file) => LICENCE_FILE.test(file));
    const texts = files.map((file) => readFileSync(join(projectRoot, folder, file), 'utf8').trim());
    return { name, version, licence: license, texts };
  });
  const byName = new Map(shipped.map((one) => [`${one.name}@${one.version}`, one]));
  return [...byName.values()].sort((one, other) => (one.name < other.name ? -1 : 1));
}

/** Packages and all that they need: more than the bundle of the console holds, never less. */
export function withDependencies(names: readonly string[]): readonly string[] {
  const found = new Set<string>();
  const visit = (name: string, from: string): void => {
    const folder = findPackage(name, from);
    if (folder === undefined || found.has(folder)) return;
    found.add(folder);
    for (const dependency of Object.keys(readManifest(folder).dependencies ?? {})) visit(dependency, folder);
  };
  for (const name of names) visit(name, '.');
  return [...found];
}

/** Where Node would find it: in the nearest `node_modules` on the way up. */
function findPackage(name: string, from: string): string | undefined {
  for (let folder = from; ; folder = posix.dirname(folder)) {
    const candidate = posix.join(folder, 'node_modules', name);
    if (existsSync(join(projectRoot, candidate, 'package.json'))) return candidate;
    if (folder === '.') return undefined;
  }
}

const RULE = '='.repeat(80);

/** The file that goes with a release: every package, the name of its licence, and its text. */
export function licenceNotice(packages: readonly ShippedPackage[]): string {
  const table = packages.map(({ name, version, licence }) => `${name} ${version}: ${licence}`);
  const texts = packages.map(({ name, version, texts: own }) => {
    const told = own.length === 0 ? 'The package has no file with its licence.' : own.join('\n\n');
    return `${RULE}\n${name} ${version}\n\n${told}\n`;
  });
  return `Tollgate holds code or data of these packages.\n\n${table.join('\n')}\n\n${texts.join('\n')}`;
}
