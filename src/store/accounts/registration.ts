import type {
  NewRegistration,
  RegistrationResult,
  RegistrationStore,
  SetupToken,
} from '../../accounts/login-contract.ts';
import { hashSecret, makeSetupToken } from '../../accounts/token.ts';
import { assert } from '../../kernel/assert.ts';
import { SETUP_TOKEN_MS } from '../../operations/bounds.ts';
import type { Database } from '../database.ts';
import { record } from '../operations/audit.ts';
import { createAccount } from './accounts.ts';
import { insertSession } from './sessions.ts';

const NO_OPERATOR = "not exists (select from accounts where role = 'operator')";

export function createRegistrationStore(database: Database): RegistrationStore {
  return {
    findRegistration: () => findRegistration(database),
    register: (member) => database.transaction((transaction) => join(transaction, member, 'user')),
    isSetupToken: (tokenHash, nowMs) => isSetupToken(database, tokenHash, nowMs),
    setUp: (tokenHash, member, nowMs) => setUp(database, { tokenHash, nowMs }, member),
  };
}

/** Whether people may register, as set by an operator. Undefined: the configuration decides. */
export type Registration = 'open' | 'closed' | undefined;

export async function findRegistration(database: Database): Promise<Registration> {
  const [row] = await database.query<{ registration: 'open' | 'closed' | null }>(
    'select registration from platform_settings',
  );
  return row?.registration ?? undefined;
}

/** Whether there is no operator yet. */
export async function isOperatorMissing(database: Database): Promise<boolean> {
  const rows = await database.query(`select 1 where ${NO_OPERATOR}`);
  return rows.length === 1;
}

/** In force for the next registration on every node, because it is not cached. */
export async function setRegistration(database: Database, registration: Registration): Promise<void> {
  await database.query('update platform_settings set registration = $1', [registration ?? null]);
}

/** The account, with the catalogue's defaults for new ones, and its first session. */
async function join(
  transaction: Database,
  member: NewRegistration,
  role: 'user' | 'operator',
): Promise<RegistrationResult> {
  const [defaults] = await transaction.query<{ rate: bigint; api_billing: boolean; auto_exchange: boolean }>(
    `select default_user_rate_micro as rate, default_api_billing as api_billing,
       default_auto_exchange as auto_exchange from catalog_settings`,
  );
  assert(defaults !== undefined, 'the settings of the catalogue are one row');
  const created = await createAccount(transaction, {
    email: member.email,
    passwordHash: member.passwordHash,
    status: 'enabled',
    role,
    userType: 0,
    userRateMicro: defaults.rate,
    apiBilling: defaults.api_billing,
    autoExchange: defaults.auto_exchange,
    extraApiQuotaMicro: 0n,
    preference: { fallbackModel: null, byokFallback: false },
  });
  if (created.kind === 'email-taken') return created;
  const { accountId } = created;
  await insertSession(transaction, { ...member.session, accountId });
  return { kind: 'joined', accountId };
}

/**
 * The setup token, until there is an operator: the one that another start or node has already printed while
 * it is valid, otherwise a new one. Only its hash is stored. A token from another secret cannot be derived
 * again, so it is replaced.
 */
export async function prepareSetupToken(
  database: Database,
  secret: string,
  nowMs: number,
): Promise<SetupToken | undefined> {
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const [row] = await database.query<{ token_hash: string; expires_at: Date }>(
      'select token_hash, expires_at from setup_token where expires_at > $1',
      [new Date(nowMs).toISOString()],
    );
    const told = row === undefined ? undefined : tokenUntil(secret, row.expires_at.getTime());
    if (told !== undefined && row?.token_hash === hashSecret(told.text)) {
      return (await hasOperator(database)) ? undefined : told;
    }
    const fresh = tokenUntil(secret, nowMs + SETUP_TOKEN_MS);
    const written = await database.query(
      `insert into setup_token (token_hash, expires_at) select $1, $2::timestamptz where ${NO_OPERATOR}
       on conflict (id) do update set token_hash = excluded.token_hash, expires_at = excluded.expires_at
         where setup_token.expires_at <= $3 or setup_token.token_hash = $4 returning 1`,
      [
        ...[hashSecret(fresh.text), new Date(fresh.expiresAtMs).toISOString()],
        ...[new Date(nowMs).toISOString(), row?.token_hash ?? ''],
      ],
    );
    if (written.length === 1) return fresh;
    if (await hasOperator(database)) return undefined;
  }
  return undefined;
}

/** Several servers may start at the same time. The first write counts for all with the same secret. */
const ROUNDS_MAX = 10;

function tokenUntil(secret: string, expiresAtMs: number): SetupToken {
  return { text: makeSetupToken(secret, expiresAtMs), expiresAtMs };
}

async function hasOperator(database: Database): Promise<boolean> {
  return (await database.query(`select 1 where ${NO_OPERATOR}`)).length === 0;
}

async function isSetupToken(database: Database, tokenHash: string, nowMs: number): Promise<boolean> {
  const rows = await database.query(
    `select 1 from setup_token where token_hash = $1 and expires_at > $2 and ${NO_OPERATOR}`,
    [tokenHash, new Date(nowMs).toISOString()],
  );
  return rows.length === 1;
}

/** Deleting the token claims it: of two at once the second finds none. If the address is taken, it stays. */
function setUp(
  database: Database,
  { tokenHash, nowMs }: { readonly tokenHash: string; readonly nowMs: number },
  member: NewRegistration,
): Promise<RegistrationResult | { readonly kind: 'refused' }> {
  return database.transaction(async (transaction) => {
    const taken = await transaction.query(
      `delete from setup_token where token_hash = $1 and expires_at > $2 and ${NO_OPERATOR} returning expires_at`,
      [tokenHash, new Date(nowMs).toISOString()],
    );
    const [token] = taken as readonly { expires_at: Date }[];
    if (token === undefined) return { kind: 'refused' };
    const joined = await join(transaction, member, 'operator');
    if (joined.kind === 'joined') await recordSetup(transaction, joined.accountId, member);
    else {
      await transaction.query('insert into setup_token (token_hash, expires_at) values ($1, $2)', [
        tokenHash,
        token.expires_at,
      ]);
    }
    return joined;
  });
}

/** The first operator does it, and the audit log begins with it. */
async function recordSetup(
  transaction: Database,
  accountId: number,
  { email, session }: NewRegistration,
): Promise<void> {
  const actor = { accountId, address: session.address, action: 'auth.setup' };
  const after = { email, role: 'operator' };
  await record(transaction, actor, { entity: 'accounts', key: String(accountId), before: null, after });
}
