import { systemRandom } from '../../kernel/random.ts';
import type { Setup } from '../../setup.ts';
import { findLogin } from '../../store/accounts/accounts.ts';
import { createKey } from '../../store/accounts/api-keys.ts';
import { addByok } from '../../store/accounts/byok.ts';
import { keepFeedback } from '../../store/accounts/feedback.ts';
import { grantSubscription } from '../../store/accounts/subscriptions.ts';
import { submitVerification } from '../../store/accounts/verifications.ts';
import { CommandFailed } from '../command.ts';

export const USER = 'user@example.com';
export const OPERATOR = 'operator@example.com';
export const MEI = 'mei.lin@example.com';
export const LAB = 'robotics-lab@example.org';
export const TOM = 'tom@example.net';

const DAY_MS = 86_400_000;
const BATCH_POLICY = 3;

/** The keys of each account, beside the one that the demo prints. */
const KEYS: Readonly<Record<string, Readonly<Record<string, number | undefined>>>> = {
  [USER]: { laptop: undefined, 'agent-prod': undefined, 'batch-night': BATCH_POLICY },
  [MEI]: { backend: undefined, notebook: undefined },
  [LAB]: { cluster: undefined },
  [TOM]: { 'first try': undefined },
};

export interface DemoKey {
  readonly accountId: number;
  readonly keyId: number;
  readonly name: string;
  readonly text: string;
}

/** By `email name`. */
export type DemoKeys = ReadonlyMap<string, DemoKey>;

export async function findAccountId({ database }: Pick<Setup, 'database'>, email: string): Promise<number> {
  const login = await findLogin(database, email);
  if (login === undefined) throw new CommandFailed(`the catalogue of the demo has no account ${email}`);
  return login.accountId;
}

export async function makeKey(
  { database }: Pick<Setup, 'database'>,
  {
    accountId,
    name,
    policyId,
  }: { readonly accountId: number; readonly name: string; readonly policyId?: number | undefined },
): Promise<DemoKey> {
  const wanted = { accountId, name, policyId, expiresAtMs: undefined, status: 'enabled' } as const;
  const result = await createKey(database, wanted, systemRandom);
  if (result.kind !== 'created') throw new CommandFailed(`the key could not be created: ${result.kind}`);
  return { accountId, keyId: result.key.id, name, text: result.text };
}

/** What the accounts of the catalogue have beside their money: keys, a plan, an own vendor key, messages. */
export async function furnish(setup: Setup, nowMs: number): Promise<DemoKeys> {
  const keys = new Map<string, DemoKey>();
  for (const [email, names] of Object.entries(KEYS)) {
    const accountId = await findAccountId(setup, email);
    for (const [name, policyId] of Object.entries(names)) {
      keys.set(`${email} ${name}`, await makeKey(setup, { accountId, name, policyId }));
    }
  }
  await subscribe(setup, nowMs);
  await hostOwnKey(setup);
  await writeToOperators(setup);
  return keys;
}

/** In the middle of its period: windows are in use, and an end is in sight. */
async function subscribe(setup: Setup, nowMs: number): Promise<void> {
  const terms = { startsAtMs: nowMs - 18 * DAY_MS, endsAtMs: nowMs + 12 * DAY_MS };
  const accountId = await findAccountId(setup, USER);
  await grantSubscription(setup.database, { accountId, planCode: 'PRO', ...terms });
}

/** For a vendor whose models nobody of the five calls asks for: those are paid with Credits. */
async function hostOwnKey({ config, database, sealer }: Setup): Promise<void> {
  const accountId = await findAccountId({ database }, USER);
  const own = {
    vendorCode: 'deepseek',
    name: 'my DeepSeek key',
    secret: 'sk-sim-openai-own',
    baseUrl: undefined,
  };
  await addByok(database, { accountId, ...own }, { sealer, ownHosts: new Set(config.byokHosts) });
}

async function writeToOperators({ database, sealer }: Setup): Promise<void> {
  const [mei, lab] = await Promise.all([findAccountId({ database }, MEI), findAccountId({ database }, LAB)]);
  const fields = {
    name: 'Robotics Lab, Example University',
    documentNumber: '91310000EXAMPLE01X',
    contact: LAB,
  };
  await submitVerification(database, { accountId: lab, kind: 'enterprise' }, fields, sealer);
  const messages = [
    { accountId: mei, content: 'Could the CSV of the calls have the name of the key, too?', contact: MEI },
    { accountId: lab, content: '请问企业认证一般需要多久？我们想使用 claude-opus-5。', contact: undefined },
  ];
  for (const message of messages) {
    await keepFeedback(database, { ...message, sender: `demo ${message.accountId}` }, 0);
  }
}
