import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { atFileEnd } from './ends.ts';

const COST = 128;
/** What costs this little already stays as it is: test accounts have such passwords in the database. */
const CHEAP_MAX = 1_024;
type Scrypt = typeof crypto.scrypt;
const { scrypt } = crypto;
const cheap = (...args: Parameters<Scrypt>): void => {
  const [password, salt, length, options, done] = args;
  const { N: cost = CHEAP_MAX } = options;
  scrypt(password, salt, length, cost > CHEAP_MAX ? { ...options, N: COST } : options, done);
};

/**
 * Until the file ends, a password costs a thousandth: for files that make very many logins and prove
 * something else. Stored passwords then work within this process only, so such a file starts no servers.
 */
export function makePasswordsCheap(): void {
  replaceScrypt(cheap as Scrypt);
  atFileEnd(() => replaceScrypt(scrypt));
}

function replaceScrypt(replacement: Scrypt): void {
  crypto.scrypt = replacement;
  syncBuiltinESMExports();
}
