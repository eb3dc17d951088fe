import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';

/**
 * For files that make very many logins and prove something else: a password costs a thousandth here. Stored
 * passwords are alike within this process only, so a file that starts servers of its own must not import it.
 */
const COST = 128;
type Scrypt = typeof crypto.scrypt;
const { scrypt } = crypto;
const cheap = (...args: Parameters<Scrypt>): void => {
  const [password, salt, length, options, done] = args;
  scrypt(password, salt, length, { ...options, N: COST }, done);
};
crypto.scrypt = cheap as Scrypt;
syncBuiltinESMExports();
