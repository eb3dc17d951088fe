import { systemRandom } from '../../../src/kernel/random.ts';
import { openSealer } from '../../../src/setup.ts';
import { findLogin } from '../../../src/store/accounts/accounts.ts';
import { createKey } from '../../../src/store/accounts/api-keys.ts';
import { addByok } from '../../../src/store/accounts/byok.ts';
import { announceAndWait } from '../../../src/store/changes.ts';
import type { Database } from '../../../src/store/database.ts';
import { configOf } from '../../support/config.ts';
import type { Client } from '../load.ts';
import { CRASH_CATALOG, type Shape } from '../shapes.ts';

/** In yuan; more than all calls of a test together cost, and less than one call for `golden` may. */
const COVERAGE_YUAN = 1_000_000;
export const COVERAGE_MICRO = BigInt(COVERAGE_YUAN) * 1_000_000n;
/** Longer than any run, so that all of it counts into one window of each kind. */
export const WINDOW_SECONDS = 86_400;

const WINDOWS = [
  `{ dimension: requests, seconds: ${WINDOW_SECONDS}, limit: 100000000 }`,
  `{ dimension: tokens, seconds: ${WINDOW_SECONDS}, limit: 1000000000 }`,
  `{ dimension: amount, seconds: ${WINDOW_SECONDS}, limit: "10000000" }`,
];

/**
 * `lost` is a model that its vendor does not know. Of `golden` 4,096 tokens cost more than anybody has, and
 * 256 less: a call for it holds all there is.
 */
const MODELS = `
  - model_id: lost
    prices: { input: "100", output: "300" }
    max_output_tokens: 128000
    routes: [{ vendor: openai, credential: openai-main, forward_model_id: gpt-nobody-knows }]
  - model_id: golden
    prices: { input: "0", output: "250000000" }
    max_output_tokens: 200000
    routes: [{ vendor: openai, credential: openai-main, forward_model_id: gpt-nobody-has }]
policies:`;

const ACCOUNTS = `
plans:
  - { code: ALL, level: 1, covers: { models: "*", windows: [{ seconds: ${WINDOW_SECONDS}, amount: "${COVERAGE_YUAN}" }] } }
accounts:
  - { email: plan@example.com, password: "a test password", user_type: 1, subscription: { plan: ALL, days: 7 } }
  - { email: own@example.com, password: "a test password", user_type: 1, credits: "1000" }
  - { email: detour@example.com, password: "a test password", credits: "100000000", fallback_model: gpt-5 }`;

/** Every payer, a call with two options among them, and windows of every kind that count all of it. */
export const PAYERS_CATALOG = CRASH_CATALOG.replace(
  /windows: \[.*\] \}$/m,
  `windows: [${WINDOWS.join(', ')}] }`,
)
  .replace('\npolicies:', MODELS)
  .replace('\naccounts:', ACCOUNTS);

/** By a model that nobody knows (404; Responses says 400) to the account's fallback: the same answer. */
const detour = (shape: Shape): Shape =>
  shape.name === 'chat'
    ? { ...shape, body: (prompt, way) => ({ ...shape.body(prompt, way), model: 'lost' }) }
    : shape;

export interface Customer extends Omit<Client, 'url'> {
  readonly accountId: number;
  readonly payer: 'credits' | 'subscription' | 'byok';
}

const WANTED = [
  { email: 'user@example.com', payer: 'credits' },
  { email: 'plan@example.com', payer: 'subscription' },
  { email: 'own@example.com', payer: 'byok' },
  { email: 'detour@example.com', payer: 'credits', reshape: detour },
] as const;

const HOSTED = { openai: 'sk-sim-openai', anthropic: 'sk-sim-anthropic', google: 'sk-sim-google' };

/** Four accounts with a key each; the third hosts a credential for every vendor. */
export async function makeCustomers(
  database: Database,
  environment: Readonly<Record<string, string>>,
): Promise<readonly Customer[]> {
  const sealer = await openSealer(configOf({ ...environment }), database);
  const customers: Customer[] = [];
  for (const { email, ...rest } of WANTED) {
    const accountId = (await findLogin(database, email))?.accountId ?? 0;
    const name = 'test';
    if (rest.payer === 'byok') {
      for (const [vendorCode, secret] of Object.entries(HOSTED)) {
        const wanted = {
          accountId,
          vendorCode,
          name: vendorCode,
          secret: `${secret}-own`,
          baseUrl: undefined,
        };
        const byok = await addByok(database, wanted, { sealer, ownHosts: new Set() });
        if (byok.kind !== 'added') throw new Error(byok.kind);
      }
    }
    const key = { accountId, name, policyId: undefined, expiresAtMs: undefined, status: 'enabled' } as const;
    const created = await createKey(database, key, systemRandom);
    if (created.kind !== 'created') throw new Error(created.kind);
    customers.push({ ...rest, accountId, key: created.text });
  }
  await announceAndWait(database);
  return customers;
}
