import { enableCompileCache, flushCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

/** Beside the packages, where only those who may change the program may write. */
const FOLDER = fileURLToPath(new URL('../../../node_modules/.cache/tollgate', import.meta.url));

/**
 * Caches compiled code for the next start, which then takes half the time. Call it before anything else is
 * loaded. If the folder is not writable, nothing is cached.
 */
export function keepCompiled(): void {
  enableCompileCache(FOLDER);
}

/** For processes that may be killed. A process that ends by itself writes the cache at its end. */
export function keepCompiledNow(): void {
  flushCompileCache();
}
