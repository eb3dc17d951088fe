import { hash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..', '..');

/** The sources of the web console. */
export const CONSOLE_SOURCES = join(ROOT, 'console');
/** The console as it is served: built from its sources, or brought along by a package. */
export const CONSOLE_BUILT = join(CONSOLE_SOURCES, 'dist');
/** Written last by a build. It has the hash of the sources that were built. */
export const STAMP = 'sources.txt';

const BUILT_FROM = /\.(?:tsx?|css|html|svg|js)$/;
const NOT_BUILT_FROM = /^dist|\.gen\.ts$|\.test\.tsx?$/;

/** A hash of everything that the console is built from. */
export function hashSources(): string {
  const names = readdirSync(CONSOLE_SOURCES, { recursive: true, encoding: 'utf8' })
    .filter((name) => BUILT_FROM.test(name) && !NOT_BUILT_FROM.test(name))
    .sort();
  const texts = names.map((name) => `${name}\n${readFileSync(join(CONSOLE_SOURCES, name), 'utf8')}`);
  const packages = readFileSync(join(ROOT, 'package.json'), 'utf8');
  return hash('sha256', [...texts, packages].join('\0'), 'hex');
}

/** Without sources, as in a package, what was brought along is never stale. */
export function isCurrent(): boolean {
  const stamp = join(CONSOLE_BUILT, STAMP);
  if (!existsSync(stamp)) return false;
  const hasSources = existsSync(join(CONSOLE_SOURCES, 'main.tsx'));
  return !hasSources || readFileSync(stamp, 'utf8') === hashSources();
}
