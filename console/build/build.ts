/**
 * `npm run console`: writes the typed client of the platform API, bundles the console and compresses what is
 * served. Runs at `npm ci`, and in a child process at the start of a server whose bundle is missing or stale.
 */
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { clientCode } from '../../src/cli/client-file.ts';
import { CONSOLE_BUILT, CONSOLE_SOURCES, hashSources, STAMP } from '../../src/console/sources.ts';

const compress = { br: promisify(brotliCompress), gz: promisify(gzip) };
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };
const TEXT = /\.(?:js|css|html|svg|json)$/;

/** An installation without development packages has no Vite; it brings the bundle along. */
function hasVite(): boolean {
  try {
    createRequire(import.meta.url).resolve('vite');
    return true;
  } catch {
    return false;
  }
}

export function writeClient(): void {
  writeFileSync(join(CONSOLE_SOURCES, 'api', 'client.gen.ts'), clientCode());
}

async function compressFiles(folder: string): Promise<void> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  await Promise.all(
    names
      .filter((name) => TEXT.test(name))
      .map(async (name) => {
        const file = join(folder, name);
        const bytes = readFileSync(file);
        writeFileSync(`${file}.br`, await compress.br(bytes, BROTLI));
        writeFileSync(`${file}.gz`, await compress.gz(bytes, { level: 9 }));
      }),
  );
}

/** What a build that was killed has left. */
function removeLeftovers(): void {
  const name = basename(CONSOLE_BUILT);
  for (const entry of readdirSync(CONSOLE_SOURCES)) {
    const pid = entry.startsWith(`${name}-`) ? Number(entry.slice(name.length + 1)) : 0;
    if (pid > 0 && !isAlive(pid)) rmSync(join(CONSOLE_SOURCES, entry), { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Built beside and moved into place, so that a server never serves half of it. */
async function build(): Promise<void> {
  const stamp = hashSources();
  removeLeftovers();
  writeClient();
  const folder = `${CONSOLE_BUILT}-${process.pid}`;
  try {
    const { build: bundle } = await import('vite');
    const configFile = join(CONSOLE_SOURCES, 'vite.config.ts');
    await bundle({ configFile, logLevel: 'warn', build: { outDir: folder } });
    await compressFiles(folder);
    writeFileSync(join(folder, STAMP), stamp);
    rmSync(CONSOLE_BUILT, { recursive: true, force: true });
    renameSync(folder, CONSOLE_BUILT);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (import.meta.main) {
  if (process.argv.includes('--client')) writeClient();
  else if (hasVite()) await build();
}
