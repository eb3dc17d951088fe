import { hashSecret, newLoginId, newTokens } from '../../src/accounts/token.ts';
import { systemRandom } from '../../src/kernel/random.ts';
import { createCalendar } from '../../src/kernel/time/calendar.ts';
import { systemClock } from '../../src/kernel/time/clock.ts';
import { updateAccount } from '../../src/store/accounts/accounts.ts';
import { insertSession } from '../../src/store/accounts/sessions.ts';
import { grantSubscription } from '../../src/store/accounts/subscriptions.ts';
import { createLedgerStore } from '../../src/store/ledger/ledger.ts';
import { callOf } from '../support/calls.ts';
import { newMember } from '../support/logins.ts';
import { STANDARD_CATALOG, startWorld, type World, type WorldOptions } from '../support/world.ts';

/** What the rows of the table name by an id. */
export type Kind =
  | 'key'
  | 'byok'
  | 'call'
  | 'account'
  | 'subscription'
  | 'verification'
  | 'feedback'
  | 'note'
  | 'channel'
  /** A message that could not be sent. */
  | 'delivery'
  | 'session'
  /** A call by its request id. */
  | 'request'
  /** Of the catalogue or of nobody: not a tenant's. */
  | 'platform';

export interface Tenant {
  readonly id: number;
  readonly email: string;
  readonly token: string;
  readonly key: string;
  readonly things: Readonly<
    Record<Exclude<Kind, 'platform' | 'session' | 'request'>, number> & Record<'session' | 'request', string>
  >;
  /** Stands in every text that the tenant has: no answer to anybody else holds it. */
  readonly canary: string;
}

/** Two tenants with something of everything, a third who has nothing, and an operator. */
export interface Stage {
  readonly world: World;
  readonly owner: Tenant;
  readonly victim: Tenant;
  readonly stranger: { readonly id: number; readonly token: string };
  readonly operator: { readonly id: number; readonly token: string };
  /** Logs an account in without its password. */
  login(accountId: number, options?: { readonly expiresAtMs?: number }): Promise<string>;
  /** An account of nobody, with something of everything, for writes of operators to spend. */
  spare(): Promise<Tenant>;
  /** A thing of the tenant's that was not there before. */
  fresh(kind: 'key' | 'byok' | 'channel', tenant: Pick<Tenant, 'token' | 'canary'>): Promise<number>;
  /** The key of an entry of the catalogue that this row may spend. */
  entryOf(row: string, place: string): unknown;
}

export const STAGE_SECRET = 'the root secret of the stage of tenants';

/** Entries that nothing needs, to be read and changed; deletions get others, or what is in use. */
const CATALOG = `${STANDARD_CATALOG.replace(
  'credentials:',
  `  - { code: spare, name: Spare, protocols: [chat], base_url: "\${SIM}/v1" }
credentials:
  - { name: spare-main, vendor: spare, secret: sk-spare }`,
)
  .replace(
    'policies:',
    `  - { model_id: spare, name: Spare, prices: { input: "1" }, routes: [{ vendor: spare, credential: spare-main }] }
policies:`,
  )
  .replace('accounts:', '  - { id: 9, name: spare, windows: [] }\naccounts:')}
plans:
  - { code: PRO, level: 2, name: Pro, price: "100", days: 30, covers: { models: "*", windows: [] } }
  - { code: SPARE, level: 1, name: Spare, price: "1", days: 30 }
nodes:
  - { name: spare, base_url: "https://spare.example.com", region: nowhere }
  - { name: gone, base_url: "https://gone.example.com", region: nowhere }
announcements:
  - { id: 1, title: Spare, body: "", starts_at: "2026-01-01 00:00:00", ends_at: "2099-01-01 00:00:00" }
  - { id: 2, title: Gone, body: "", starts_at: "2026-01-01 00:00:00", ends_at: "2099-01-01 00:00:00" }
`;

type Entries = ReadonlyMap<string, { readonly kept: unknown; readonly gone: unknown }>;

async function readEntries({ database }: World): Promise<Entries> {
  const [ids] = await database.query<Record<'credential' | 'openai' | 'route' | 'other', bigint>>(
    `select (select id from credentials where name = 'spare-main') as credential,
       (select id from credentials where name = 'openai-main') as openai,
       (select id from routes where model_id = 'spare') as route,
       (select id from routes where model_id = 'plan-only') as other`,
  );
  const [kept, gone] = await database.query<{ id: bigint }>(
    `insert into alert_channels (kind, name, target, language, alerts) values
       ('email', 'spare', 'spare@example.com', 'en', '{}'), ('email', 'gone', 'gone@example.com', 'en', '{}')
     returning id`,
  );
  return new Map([
    ['platformAlerts', { kept: Number(kept?.id), gone: Number(gone?.id) }],
    ['vendors', { kept: 'spare', gone: 'openai' }],
    ['credentials', { kept: Number(ids?.credential), gone: Number(ids?.openai) }],
    ['models', { kept: 'spare', gone: 'plan-only' }],
    ['routes', { kept: Number(ids?.route), gone: Number(ids?.other) }],
    ['policies', { kept: 9, gone: 1 }],
    ['plans', { kept: 'SPARE', gone: 'PRO' }],
    ['nodes', { kept: 'spare', gone: 'gone' }],
    ['announcements', { kept: 1, gone: 2 }],
  ]);
}

export async function startStage(options: WorldOptions = {}): Promise<Stage> {
  const environment = { TOLLGATE_SECRET: STAGE_SECRET, ...options.environment };
  const world = await startWorld({ catalog: CATALOG, ...options, environment });
  const login: Stage['login'] = (accountId, wanted) => openLogin(world, accountId, wanted?.expiresAtMs);
  const fresh: Stage['fresh'] = (kind, tenant) => makeThing(world, kind, tenant);
  const strangerId = await newMember(world.database, 'stranger@example.com');
  const operatorId = await newMember(world.database, 'boss@example.com', 'operator');
  const entries = await readEntries(world);
  let count = 0;
  return {
    world,
    login,
    fresh,
    owner: await makeTenant(world, 'ownercanary'),
    victim: await makeTenant(world, 'victimcanary'),
    stranger: { id: strangerId, token: await login(strangerId) },
    operator: { id: operatorId, token: await login(operatorId) },
    spare: () => makeTenant(world, `spare${++count}`),
    entryOf: (row, place) => {
      const kind = place.startsWith('body.policy') ? 'policies' : (row.split('.', 1)[0] ?? '');
      return entries.get(kind)?.[row.includes('.delete') ? 'gone' : 'kept'];
    },
  };
}

async function openLogin(
  { database }: World,
  accountId: number,
  expiresAtMs = systemClock.now() + 600_000,
): Promise<string> {
  const id = newLoginId(systemRandom);
  await insertSession(database, {
    ...{ id, accountId, kind: 'token', secretHash: hashSecret(id), address: '192.0.2.7' },
    ...{ addressMark: `mark of ${accountId}`, userAgent: 'a test' },
    createdAtMs: systemClock.now(),
    // The session itself goes on: what has expired is the token.
    expiresAtMs: systemClock.now() + 600_000,
  });
  return newTokens(STAGE_SECRET).signAccess({ sessionId: id, accountId, expiresAtMs });
}

async function makeThing(
  { api }: World,
  kind: 'key' | 'byok' | 'channel',
  { token, canary }: Pick<Tenant, 'token' | 'canary'>,
): Promise<number> {
  const name = `${canary} ${newLoginId(systemRandom)}`;
  const byok = { vendor_code: 'openai', name, secret: `sk-${canary}` };
  const channel = { kind: 'webhook', name, address: `https://example.com/${canary}`, alerts: ['limit-hit'] };
  const [path, wanted] = {
    ...{ key: ['/api-key', { name }] as const, byok: ['/credential', byok] as const },
    channel: ['/alert/channels', channel] as const,
  }[kind];
  const { body } = await api('POST', path, { token, body: wanted });
  if (body.code !== 0) throw new Error(`${kind}: ${body.message}`);
  return Number(body.data.id);
}

const DAY_MS = 86_400_000;

async function makeTenant(world: World, canary: string): Promise<Tenant> {
  const { database, api } = world;
  const email = `${canary}@example.com`;
  const id = await newMember(database, email);
  const token = await openLogin(world, id);
  await updateAccount(database, id, { fallbackModel: null });
  const named = { token, canary };
  const made = await api('POST', '/api-key', { token, body: { name: `${canary} key` } });
  const key = Number(made.body.data.id);
  const byok = await makeThing(world, 'byok', named);
  const nowMs = systemClock.now();
  const granted = await grantSubscription(database, {
    accountId: id,
    planCode: 'PRO',
    startsAtMs: nowMs - DAY_MS,
    endsAtMs: nowMs + DAY_MS,
  });
  if (granted.kind !== 'granted') throw new Error(granted.kind);
  const submitted = await api('POST', '/verification', {
    token,
    body: { kind: 'personal', name: `${canary} name`, document_number: 'X1234567', contact: canary },
  });
  const call = await makeCall(world, { id, key, canary });
  return {
    ...{ id, email, token, canary, key: String(made.body.data.api_key) },
    things: {
      ...{ key, byok, ...call, account: id },
      subscription: granted.subscriptionId,
      verification: Number(submitted.body.data.id),
      feedback: await makeFeedback(world, id, canary),
      note: await makeNote(world, id, canary),
      ...(await makeAlerts(world, named, id)),
      session: await sessionOf(world, id),
    },
  };
}

/** One that was paid with Credits, and one that failed under a name that the client made up. */
async function makeCall(
  { database, config }: World,
  { id, key, canary }: { readonly id: number; readonly key: number; readonly canary: string },
): Promise<{ readonly call: number; readonly request: string }> {
  const ledger = createLedgerStore({
    database,
    creditsPerYuan: config.creditsPerYuan,
    calendar: createCalendar('UTC'),
  });
  const createdAtMs = systemClock.now() - 60_000;
  const own = { accountId: id, createdAtMs, keyId: key, keyName: `${canary} key` };
  await ledger.settle([
    callOf({ ...own, chargeMicro: 0n, freeReason: 'covered', payer: 'subscription' }),
    callOf({
      ...own,
      createdAtMs: createdAtMs - 1,
      modelAsked: `${canary}-model`,
      modelUsed: `${canary}-model`,
    }),
  ]);
  const [row] = await database.query<{ id: bigint; call_id: string }>(
    'select id, call_id from calls where account_id = $1 order by id desc limit 1',
    [id],
  );
  return { call: Number(row?.id), request: row?.call_id ?? '' };
}

async function sessionOf({ database }: World, accountId: number): Promise<string> {
  const [row] = await database.query<{ id: string }>('select id from sessions where account_id = $1', [
    accountId,
  ]);
  return row?.id ?? '';
}

/** A channel, and a message to it that could not be sent. */
async function makeAlerts(
  world: World,
  tenant: Pick<Tenant, 'token' | 'canary'>,
  id: number,
): Promise<{ readonly channel: number; readonly delivery: number }> {
  const channel = await makeThing(world, 'channel', tenant);
  return { channel, delivery: await makeDelivery(world, id, channel) };
}

async function makeDelivery({ database }: World, accountId: number, channel: number): Promise<number> {
  const [row] = await database.query<{ id: bigint }>(
    `insert into alert_outbox (message_id, channel_id, account_id, kind, state, key, details, status, ended_at)
     values ('msg_of_' || $2::bigint, $2, $1, 'limit-hit', 'raised', 'k', '{}', 'dead', now()) returning id`,
    [accountId, channel],
  );
  return Number(row?.id);
}

async function makeNote({ database }: World, accountId: number, text: string): Promise<number> {
  const [row] = await database.query<{ id: bigint }>(
    'insert into account_notes (account_id, text) values ($1, $2) returning id',
    [accountId, text],
  );
  return Number(row?.id);
}

async function makeFeedback({ database }: World, accountId: number, canary: string): Promise<number> {
  const [row] = await database.query<{ id: bigint }>(
    'insert into feedback (account_id, content, contact) values ($1, $2, $2) returning id',
    [accountId, `${canary} says`],
  );
  return Number(row?.id);
}
