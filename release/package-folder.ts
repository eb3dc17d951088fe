import { copyFileSync, cpSync, globSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Bundle, writeBundle } from './bundle.ts';
import { type Manifest, projectRoot, readManifest } from './project.ts';

/**
 * Packages that are read as files. They go into ours as these files only: one of them is 50 MB, and names 260
 * packages that nothing of ours loads.
 */
const FILES_OF_PACKAGES: Readonly<Record<string, readonly string[]>> = {
  '@scalar/api-reference': ['dist/browser/standalone.js'],
  'gpt-tokenizer': ['data/o200k_base.tiktoken', 'LICENSE'],
};

/** What `src` and `sim` read at run time lies beside the code that reads it, and is no code. */
const READ_FILES = '{src,sim}/**/*.{lua,sql,yaml}';

/** Writes the whole npm package, but for its notice of licences, into an empty folder. */
export async function writePackage(folder: string, version: string): Promise<Bundle> {
  const bundle = await writeBundle(join(folder, 'dist'), version);
  copy('release/launcher.js', join(folder, 'bin', 'tollgate.js'));
  copy('release/package-readme.txt', join(folder, 'README.md'));
  for (const path of globSync(READ_FILES, { cwd: projectRoot })) copy(path, join(folder, path));
  cpSync(join(projectRoot, 'console', 'dist'), join(folder, 'console', 'dist'), { recursive: true });
  for (const [name, files] of Object.entries(FILES_OF_PACKAGES)) bringPackage(folder, name, files);
  writeJson(join(folder, 'package.json'), manifestOf(version));
  return bundle;
}

function copy(path: string, target: string): void {
  mkdirSync(dirname(target), { recursive: true });
  copyFileSync(join(projectRoot, path), target);
}

function writeJson(path: string, value: unknown): void {
  writeFileSync(path, `${JSON.stringify(value, undefined, 2)}\n`);
}

/** Its entry is empty: the code asks for it only to learn where the package is. */
function bringPackage(folder: string, name: string, files: readonly string[]): void {
  const source = join('node_modules', name);
  const target = join(folder, source);
  for (const file of files) copy(join(source, file), join(target, file));
  const { version, license } = readManifest(source);
  mkdirSync(join(target, 'dist'), { recursive: true });
  writeFileSync(join(target, 'dist', 'index.js'), '');
  const description = `Files of ${name} that tollgate reads, and no code`;
  writeJson(join(target, 'package.json'), { name, version, description, license, main: 'dist/index.js' });
}

/** All code is in the bundle. Left to install is the database of the platform, which may be absent. */
function manifestOf(version: string): Manifest & Readonly<Record<string, unknown>> {
  const own = readManifest('.');
  const { name, description = '', license = '', engines = {}, optionalDependencies = {} } = own;
  const brought = Object.keys(FILES_OF_PACKAGES);
  return {
    ...{ name, version, description, license, type: 'module', engines },
    bin: { tollgate: 'bin/tollgate.js' },
    files: ['bin', 'dist', 'src', 'sim', 'console/dist', 'LICENCES.txt'],
    dependencies: Object.fromEntries(brought.map((one) => [one, own.dependencies?.[one] ?? ''])),
    bundleDependencies: brought,
    optionalDependencies,
  };
}

/** The packages of which code or files are in ours: folders from the root of the project. */
export function packagesIn({ modules }: Bundle): readonly string[] {
  const folders = modules.flatMap(
    (path) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? [],
  );
  const brought = Object.keys(FILES_OF_PACKAGES).map((name) => `node_modules/${name}`);
  return [...new Set([...folders, ...brought])].sort();
}
