/** Accounts with a key each, written into the database of a running server: one by one takes hours. */
import { hashApiKey, keyPrefix, newApiKey } from '../../src/accounts/api-key.ts';
import { silentLogger } from '../../src/kernel/log.ts';
import { systemRandom } from '../../src/kernel/random.ts';
import { openDatabase } from '../../src/store/database.ts';
import { startEmbedded } from '../../src/store/embedded/server.ts';

const FILL_TIMEOUT_MS = 600_000;

/** Answers the texts of the keys. `environment` is what the server was started with. */
export async function fillAccounts(
  environment: Readonly<Record<string, string>>,
  count: number,
): Promise<readonly string[]> {
  const embedded =
    environment.DATABASE_URL === undefined
      ? await startEmbedded(environment.TOLLGATE_DATA ?? '', silentLogger)
      : undefined;
  const connection = embedded?.connection ?? environment.DATABASE_URL ?? '';
  const database = await openDatabase({
    connection,
    log: silentLogger,
    statementTimeoutMs: FILL_TIMEOUT_MS,
    connectionsMax: 1,
  });
  try {
    const keys = Array.from({ length: count }, () => newApiKey(systemRandom));
    await database.query(FILL_ACCOUNTS, [count]);
    await database.query(FILL_KEYS, [keys.map(keyPrefix), keys.map(hashApiKey)]);
    for (const table of ['accounts', 'api_keys']) await database.query(`vacuum analyze ${table}`);
    return keys;
  } finally {
    await database.close();
    await embedded?.stop();
  }
}

const FILL_ACCOUNTS = `
  insert into accounts (email, password_hash, status, role, user_type, user_rate_micro, api_billing,
    auto_exchange, credits_micro)
  select 'bench-' || i || '@example.com', 'none', 'enabled', 'user', 1, 100000000, true, false, 1000000000000000
  from generate_series(1, $1::bigint) as i`;

const FILL_KEYS = `
  insert into api_keys (account_id, name, prefix, key_hash, status)
  select accounts.id, 'bench', keys.prefix, keys.hash, 'enabled'
  from unnest($1::text[], $2::text[]) with ordinality as keys (prefix, hash, i)
  join accounts on accounts.email = 'bench-' || i || '@example.com'`;
