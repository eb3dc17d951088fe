import { enableCompileCache, flushCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

/** Beside the packages, where only who may change the program may write. */
const FOLDER = fileURLToPath(new URL('../../../node_modules/.cache/tollgate', import.meta.url));

/**
 * Keeps compiled code for the next start, which then takes half the time: a server that died is wanted back
 * soon. To be called before anything else is loaded. A folder that cannot be written keeps nothing, and does
 * no harm.
 */
export function keepCompiled(): void {
  enableCompileCache(FOLDER);
}

/** For who may be killed: whoever ends by himself keeps it then. */
export function keepCompiledNow(): void {
  flushCompileCache();
}
