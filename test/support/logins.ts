import { scryptSync } from 'node:crypto';
import { createLogins } from '../../src/accounts/login.ts';
import type { LoginStore } from '../../src/accounts/login-contract.ts';
import { newTokens } from '../../src/accounts/token.ts';
import type { Logger } from '../../src/kernel/log.ts';
import { systemRandom } from '../../src/kernel/random.ts';
import { ManualClock } from '../../src/kernel/time/clock.ts';
import { authOperations } from '../../src/operations/auth/auth.ts';
import { data, operation } from '../../src/operations/operation.ts';
import { Type } from '../../src/operations/schema.ts';
import { createAccount } from '../../src/store/accounts/accounts.ts';
import { createFailureStore } from '../../src/store/accounts/login-failures.ts';
import { createRegistrationStore } from '../../src/store/accounts/registration.ts';
import { createSessionStore } from '../../src/store/accounts/sessions.ts';
import type { Database } from '../../src/store/database.ts';
import { configOf } from './config.ts';
import { startPlatform, type TestPlatform } from './platform.ts';

/** One node that serves logins and tells who is logged in, on a real store, at a time of the test's own. */
export interface LoginNode extends TestPlatform {
  readonly clock: ManualClock;
  ask(path: string, body: unknown, options?: AskOptions): Promise<Told>;
  /** Who the bearer of this token is; nothing when it is nobody. */
  whoIs(token: string): Promise<unknown>;
}

export interface AskOptions {
  readonly token?: string;
  readonly from?: string;
  readonly headers?: Record<string, string>;
}

export interface Told {
  readonly status: number;
  readonly code: number;
  readonly message: string;
  readonly data: Record<string, string>;
  readonly headers: Headers;
}

export interface LoginNodeOptions {
  readonly clock?: ManualClock;
  readonly registration?: 'open' | 'closed';
  readonly publicUrl?: string;
  readonly log?: Logger;
  /** As costly as the passwords of this test. */
  readonly nobody?: string;
  wrap?(store: LoginStore): LoginStore;
}

export const TEST_SECRET = 'the root secret of every test of logins';

/** The operation that stands for all others which ask for a login. */
const WHO = operation({
  name: 'who',
  id: 'who',
  method: 'GET',
  surface: 'user',
  path: '/who',
  access: 'user',
  title: 'Test an operation',
  summary: 'Tells who asks.',
  tag: 'Test',
  data: Type.Unknown(),
  example: { data: {} },
  handle: (_input, { caller }) => Promise.resolve(data(caller)),
});
const WRITE = { ...WHO, name: 'write', method: 'POST' as const };

export async function startLoginNode(database: Database, options: LoginNodeOptions = {}): Promise<LoginNode> {
  const { clock = new ManualClock(), registration = 'open', publicUrl, wrap = (store) => store } = options;
  const store = wrap({
    ...createSessionStore(database),
    ...createFailureStore(database),
    ...createRegistrationStore(database),
  });
  const log = options.log ?? { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
  const tokens = newTokens(TEST_SECRET);
  const { nobody } = options;
  const logins = createLogins({ store, registration, tokens, clock, random: systemRandom, log, nobody });
  const platform = await startPlatform([...authOperations, WHO, WRITE], {
    sessions: logins,
    readAddress: ({ headers }) => String(headers['x-from'] ?? '192.0.2.1'),
    given: {
      clock,
      logins,
      config: configOf(publicUrl === undefined ? {} : { TOLLGATE_PUBLIC_URL: publicUrl }),
    },
  });
  const ask: LoginNode['ask'] = (path, body, asked = {}) => askNode(platform.url, { path, body, ...asked });
  const whoIs = async (token: string): Promise<unknown> => {
    const headers = { authorization: `Bearer ${token}` };
    const response = await fetch(`${platform.url}/api/v1/user/user/who`, { headers });
    const told = (await response.json()) as { code: number; data: unknown };
    if (told.code !== 0 && told.code !== 1002) throw new Error(`code ${told.code}`);
    return told.code === 0 ? told.data : undefined;
  };
  return { ...platform, clock, ask, whoIs };
}

async function askNode(
  url: string,
  { path, body, token, from, headers }: AskOptions & { readonly path: string; readonly body: unknown },
): Promise<Told> {
  const response = await fetch(`${url}/api/v1/user/${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(from === undefined ? {} : { 'x-from': from }),
      ...headers,
    },
    body: JSON.stringify(body),
  });
  const envelope = (await response.json()) as Pick<Told, 'code' | 'message'> & { data?: Told['data'] };
  return { status: response.status, headers: response.headers, ...envelope, data: envelope.data ?? {} };
}

/** A stored password that is cheap to check (N = 2^10): its cost stands in the text. */
export function cheapHash(password: string, costLog2 = 10): string {
  const salt = Buffer.alloc(16, 7);
  const cost = 2 ** costLog2;
  const derived = scryptSync(password, salt, 32, { N: cost, r: 8, p: 1, maxmem: 2_048 * cost });
  return `scrypt$${costLog2}$${salt.toString('base64url')}$${derived.toString('base64url')}`;
}

export async function newMember(
  database: Database,
  email: string,
  role: 'user' | 'operator' = 'user',
  passwordHash = cheapHash('a test password'),
): Promise<number> {
  const created = await createAccount(database, {
    email,
    passwordHash,
    status: 'enabled',
    role,
    userType: 0,
    userRateMicro: 100_000_000n,
    apiBilling: true,
    autoExchange: false,
    extraApiQuotaMicro: 0n,
    preference: { fallbackModel: null, byokFallback: false },
  });
  if (created.kind !== 'created') throw new Error(created.kind);
  return created.accountId;
}
