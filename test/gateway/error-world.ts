import { type AccountPatch, findLogin, updateAccount } from '../../src/store/accounts/accounts.ts';
import { listKeys } from '../../src/store/accounts/api-keys.ts';
import { announceAndWait } from '../../src/store/changes.ts';
import type { Database } from '../../src/store/database.ts';
import { STANDARD_CATALOG, startWorld, type World } from '../support/world.ts';
import { type Asked, chat, prompt } from './ask.ts';

/** The steps into the states in which an error is answered. */

const USER = 'user@example.com';
const IMAGE = '{"model":"gpt-image-1","prompt":"a cat"}';

/** The standard world with models, vendors and accounts that fail, and little patience with vendors. */
export function startErrorWorld(): Promise<World> {
  return startWorld({
    catalog: STANDARD_CATALOG.replace('\ncredentials:\n', `\n${VENDORS}\ncredentials:\n${CREDENTIALS}\n`)
      .replace('\nmodels:\n', `\nmodels:\n${MODELS}\n`)
      .replace('\naccounts:\n', `\naccounts:\n${ACCOUNTS}\n`),
    environment: { TOLLGATE_FIRST_BYTE_TIMEOUT_MS: '3000', TOLLGATE_PLAIN_TIMEOUT_MS: '3000' },
  });
}

/** One account for all states: hashing a password for each would take longer than all the tests. */
const CHANGING = 'changing@example.com';
const ACCOUNTS = `  - { email: ${CHANGING}, password: "a test password", user_type: 1, credits: "5000" }`;

/** Nobody listens on port 1. */
const VENDORS = `  - { code: nowhere, name: Nowhere, icon: n, protocols: [chat], base_url: "http://127.0.0.1:1/v1" }`;
const CREDENTIALS = [
  '  - { name: nowhere-main, vendor: nowhere, secret: sk-sim-openai }',
  '  - { name: refused-main, vendor: openai, secret: sk-not-of-the-vendor }',
  '  - { name: cooling-main, vendor: openai, secret: sk-sim-openai-cooling }',
].join('\n');

const PRICES = 'prices: { input: "10", output: "30" }';
const model = (id: string, rest: string): string =>
  `  - { model_id: ${id}, name: ${id}, ${PRICES}, ${rest} }`;
const route = (vendor: string, credential: string): string =>
  `routes: [{ vendor: ${vendor}, credential: ${credential}, forward_model_id: gpt-4o, protocols: [chat] }]`;
const ADMITTED = route('openai', 'openai-main');

const MODELS = [
  model('needs-personal', `restriction: { kind: verification, level: 1 }, ${ADMITTED}`),
  model('needs-enterprise', `restriction: { kind: verification, level: 2 }, ${ADMITTED}`),
  model('needs-plus', `restriction: { kind: plan, level: 1 }, ${ADMITTED}`),
  model('needs-pro', `restriction: { kind: plan, level: 2 }, ${ADMITTED}`),
  model('needs-promax', `restriction: { kind: plan, level: 3 }, ${ADMITTED}`),
  model('switched-off', `status: disabled, ${ADMITTED}`),
  model('no-route', 'routes: []'),
  model('unreachable', route('nowhere', 'nowhere-main')),
  model('refused-key', route('openai', 'refused-main')),
  model('cooling', route('openai', 'cooling-main')),
].join('\n');

async function accountId({ database }: World, email: string): Promise<number> {
  const login = await findLogin(database, email);
  if (login === undefined) throw new Error(`no account ${email}`);
  return login.accountId;
}

const ORDINARY: AccountPatch = { status: 'enabled', userType: 1, apiBilling: true, extraApiQuotaMicro: 0n };

/** A call of an account that was changed a moment before. */
export async function asAccount(world: World, patch: AccountPatch, email = CHANGING): Promise<Asked> {
  const key = await world.newKey(email);
  await updateAccount(world.database, await accountId(world, email), { ...ORDINARY, ...patch });
  await announceAndWait(world.database);
  return chat(key);
}

/** A call to a model that asks for more than an unverified account without a plan has. */
export async function needing(world: World, modelId: string): Promise<Asked> {
  return { ...(await asAccount(world, { userType: 0 })), body: prompt('hello', '', modelId) };
}

type KeyChange = (database: Database, accountId: number, keyIds: readonly number[]) => Promise<number>;

/** A call with a key that was good until now: it served one call before it was changed. */
export async function changedKey(world: World, change: KeyChange): Promise<Asked> {
  const key = await world.newKey(USER);
  const owner = await accountId(world, USER);
  const before = await world.post('/v1/chat/completions', prompt('hello'), world.headers(key));
  if (before.status !== 200) throw new Error(`the key was not good before: ${before.status}`);
  const { items } = await listKeys(world.database, owner, { offset: 0, limit: 1 });
  await change(world.database, owner, [items[0]?.id ?? 0]);
  await announceAndWait(world.database);
  return chat(key);
}

/** All but the last body are asked with a new key of this policy, and pass; the last one is returned. */
export async function usedUp(world: World, policyId: number, bodies: readonly string[]): Promise<Asked> {
  const key = await world.newKey(USER, { policyId });
  const asked = bodies.map((body) => {
    return body === IMAGE ? { ...chat(key, body), path: '/v1/images/generations' } : chat(key, body);
  });
  const last = asked.pop();
  if (last === undefined) throw new Error('nothing to ask');
  for (const { path, body } of asked) {
    const response = await world.post(path, body, world.headers(key));
    if (response.status !== 200) throw new Error(`${path} was refused: ${await response.text()}`);
    await response.arrayBuffer();
  }
  return last;
}

export function usedUpImages(world: World, policyId: number): Promise<Asked> {
  return usedUp(world, policyId, [IMAGE, IMAGE]);
}
