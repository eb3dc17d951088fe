import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, posix, relative, sep } from 'node:path';
import { type Plugin, rolldown } from 'rolldown';
import { projectRoot } from './project.ts';

/** The programs that are started by their path, and the names of their bundles. */
const PROGRAMS: Readonly<Record<string, string>> = {
  tollgate: 'src/main.ts',
  worker: 'src/cli/serve/worker-main.ts',
};
/** Parts that are loaded on demand or shared, by a module that only they have. */
const PARTS: Readonly<Record<string, string>> = {
  server: 'src/app.ts',
  simulators: 'sim/server.ts',
  telemetry: 'src/open-telemetry/start.ts',
};
/** Packages that their users load only if somebody installed them. */
const ABSENT = ['pg-native', 'pg-cloudflare'];

export interface BundleOptions {
  /** Programs beside those of a package: paths of their sources, by the names of their bundles. */
  readonly programs?: Readonly<Record<string, string>>;
  /** Where the sources are, from the folder of the bundle. A package has its own copy of their files. */
  readonly sources?: string;
}

export interface Bundle {
  /** Every module in it: paths from the root of the project. */
  readonly modules: readonly string[];
  /** The names of its programs and parts. */
  readonly files: readonly string[];
}

/** Writes the programs and all code they load, packages included, into `folder`: the `dist` of a package. */
export async function writeBundle(
  folder: string,
  version: string,
  { programs = {}, sources = '..' }: BundleOptions = {},
): Promise<Bundle> {
  const bundle = await rolldown({
    cwd: projectRoot,
    input: { ...PROGRAMS, ...programs },
    platform: 'node',
    external: ABSENT,
    plugins: [ownPlaces(sources), ownVersion(version)],
  });
  try {
    const { output } = await bundle.write({
      dir: folder,
      format: 'esm',
      sourcemap: true,
      entryFileNames: '[name].js',
      chunkFileNames: ({ name, moduleIds }) => `${partOf(moduleIds) ?? name}.js`,
    });
    leaveOutSources(folder);
    const chunks = output.filter((file) => file.type === 'chunk');
    const modules = chunks.flatMap(({ moduleIds }) => moduleIds).map(fromRoot);
    return { modules, files: chunks.map(({ fileName }) => fileName) };
  } finally {
    await bundle.close();
  }
}

function fromRoot(path: string): string {
  return relative(projectRoot, path).split(sep).join('/');
}

function partOf(moduleIds: readonly string[]): string | undefined {
  const modules = new Set(moduleIds.map(fromRoot));
  return Object.entries(PARTS).find(([, module]) => modules.has(module))?.[0];
}

const PLACES = /new URL\('([^']+\.ts)', import\.meta\.url\)|import\.meta\.(?:url|dirname)/g;

/**
 * A module that reads a file beside itself finds it in the package at the same path as in the checkout: what
 * it takes for its own place is that of its source. A program that is started by its path is its bundle.
 */
function ownPlaces(sources: string): Plugin {
  return {
    name: 'own-places',
    transform: {
      filter: { id: /\.ts$/, code: /import\.meta\.(?:url|dirname)/ },
      handler: (code, id) => {
        const path = fromRoot(id);
        if (!/^(?:src|sim)\//.test(path)) return undefined;
        const folder = posix.dirname(path);
        const placed = code.replace(PLACES, (found, program: string | undefined) => {
          if (program !== undefined) return programUrl(posix.join(folder, program));
          if (found === 'import.meta.dirname')
            return `(import.meta.dirname + ${JSON.stringify(`/${sources}/${folder}`)})`;
          return `new URL(${JSON.stringify(`${sources}/${path}`)}, import.meta.url).href`;
        });
        // Lines stay what they were, so the map does too.
        return { code: placed, map: null };
      },
    },
  };
}

function programUrl(path: string): string {
  const program = Object.entries(PROGRAMS).find(([, source]) => source === path)?.[0];
  if (program === undefined) throw new Error(`${path} is started by its path and is not among the programs`);
  return `new URL('./${program}.js', import.meta.url)`;
}

/** Of package.json the programs need the version, and nobody needs the rest. */
function ownVersion(version: string): Plugin {
  return {
    name: 'own-version',
    load: {
      filter: { id: /package\.json$/ },
      handler: (id) =>
        fromRoot(id) === 'package.json'
          ? { code: JSON.stringify({ version }), moduleType: 'json' }
          : undefined,
    },
  };
}

/** A stack trace needs the places in the sources; their text would be half of the package. */
function leaveOutSources(folder: string): void {
  for (const name of readdirSync(folder).filter((one) => one.endsWith('.map'))) {
    const path = join(folder, name);
    const { sourcesContent: _, ...map } = JSON.parse(readFileSync(path, 'utf8'));
    writeFileSync(path, JSON.stringify(map));
  }
}
