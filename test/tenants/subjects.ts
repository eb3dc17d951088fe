import { ENTRY_KINDS, type EntryKind } from '../../src/catalog/entries.ts';
import type { Operation } from '../../src/operations/operation.ts';
import type { Kind } from './stage.ts';

/** `params.id`, `query.ids`, `body.id`: where a row takes the id of something. */
export type Place = `${'params' | 'query' | 'body'}.${string}`;
export type Subject = Readonly<Partial<Record<Place, Kind>>>;

const NOTHING: Subject = {};
const FILTERED: Subject = { 'query.key_id': 'key' };
const OF_ACCOUNT: Subject = { 'params.account_id': 'account' };
const ACCOUNT: Subject = { 'params.id': 'account' };

/** How a path names an entry of the catalogue; ids that can be chosen are in the body of a new one. */
const ENTRY_PARAMS: Readonly<Record<EntryKind, string>> = {
  ...{ vendors: 'code', credentials: 'id', models: 'model_id', routes: 'id' },
  ...{ policies: 'id', plans: 'code', nodes: 'name', announcements: 'id' },
};
const CHOSEN_IDS: readonly EntryKind[] = ['policies', 'announcements'];

function entrySubjects(kind: EntryKind): Record<string, Subject> {
  const place: Place = `params.${ENTRY_PARAMS[kind]}`;
  const one: Subject = { [place]: 'platform' as const };
  return {
    [`${kind}.list`]: NOTHING,
    [`${kind}.get`]: one,
    [`${kind}.create`]: CHOSEN_IDS.includes(kind) ? { 'body.id': 'platform' } : NOTHING,
    [`${kind}.update`]: one,
    [`${kind}.delete`]: one,
  };
}

const WITHOUT_IDS = [
  ...['register', 'login', 'refresh', 'logout', 'password', 'setup', 'sessions', 'endOtherSessions'].map(
    (name) => `auth.${name}`,
  ),
  ...['askReset', 'resetPassword', 'askVerification', 'verifyAddress'].map((name) => `auth.${name}`),
  ...['settings', 'models', 'pricing', 'quote', 'plans', 'nodes', 'ranking', 'speed'].map(
    (name) => `public.${name}`,
  ),
  ...['live.own', 'live.platform', 'playground.key'],
  ...['public.announcements', 'public.feedback', 'feedback.own', 'keys.policies'],
  ...['keys.page', 'logs.balance', 'logs.exportBalance'],
  ...['account.profile', 'account.ext', 'account.api-billing', 'account.extra-api-quota'],
  ...[
    'points.auto-exchange',
    'points.exchange',
    'points.previewExchange',
    'preference.get',
    'preference.set',
  ],
  ...['subscriptions.page', 'subscriptions.policy-limit', 'verification.submit', 'verification.get'],
  ...['byok.vendors', 'byok.page', 'byok.stats', 'byok.create'],
  ...['settings.get', 'settings.update', 'accounts.list', 'accounts.create', 'feedback.list'],
  ...['registration.get', 'registration.update', 'overview.get', 'overview.credentials', 'overview.nodes'],
  'overview.series',
  ...['catalog.get', 'catalog.diff', 'catalog.apply', 'catalog.whatIf', 'catalog.reprice'],
  'catalog.readPrices',
  ...['credentials.testNew', 'overview.routes', 'doctor.get'],
  ...['overview.accounts', 'vendors.presets', 'vendors.models'],
  ...['channels', 'createChannel', 'deliveries', 'settings', 'setSettings'].map((name) => `alerts.${name}`),
  ...['channels', 'createChannel', 'states', 'deliveries'].map((name) => `platformAlerts.${name}`),
];

const STATS = ['overview', 'trend', 'models', 'keys', 'protocols', 'payers', 'series', 'export'];

/** Every row of the table, and whose ids it takes. A row that is not here fails the test. */
export const SUBJECTS: Readonly<Record<string, Subject>> = {
  ...Object.fromEntries(STATS.map((name) => [`stats.${name}`, FILTERED])),
  ...Object.fromEntries(STATS.map((name) => [`accountStats.${name}`, { ...OF_ACCOUNT, ...FILTERED }])),
  ...Object.fromEntries(WITHOUT_IDS.map((name) => [name, NOTHING])),
  ...Object.assign({}, ...ENTRY_KINDS.map(entrySubjects)),
  'routes.test': { 'params.id': 'platform' },
  'credentials.test': { 'params.id': 'platform' },
  'plans.create': { 'body.policy': 'platform' },
  'plans.update': { 'params.code': 'platform', 'body.policy': 'platform' },
  'keys.create': { 'body.policy_id': 'platform' },
  'keys.detail': { 'params.id': 'key' },
  'keys.update': { 'body.id': 'key', 'body.policy_id': 'platform' },
  'keys.delete': { 'query.ids': 'key' },
  'limits.get': FILTERED,
  'logs.calls': FILTERED,
  'logs.search': FILTERED,
  'logs.call': { 'params.id': 'call' },
  'logs.request': { 'params.request_id': 'request' },
  'logs.consumptions': FILTERED,
  'logs.exportCalls': FILTERED,
  'logs.exportConsumptions': FILTERED,
  'byok.update': { 'body.id': 'byok' },
  'byok.delete': { 'query.ids': 'byok' },
  'byok.test': { 'body.id': 'byok' },
  'accounts.get': ACCOUNT,
  'accounts.update': { ...ACCOUNT, 'body.policy_id': 'platform' },
  'accounts.endSessions': ACCOUNT,
  'accounts.listKeys': ACCOUNT,
  'accounts.updateKey': { 'params.id': 'account', 'params.key_id': 'key', 'body.policy_id': 'platform' },
  'accounts.deleteKey': { 'params.id': 'account', 'params.key_id': 'key' },
  'accounts.listSessions': ACCOUNT,
  'accounts.resetPassword': ACCOUNT,
  'calls.search': { 'query.account_id': 'account', 'query.key_id': 'key' },
  'calls.detail': { 'params.request_id': 'request' },
  'auth.endSession': { 'params.id': 'session' },
  'accounts.topUp': ACCOUNT,
  'accounts.adjust': ACCOUNT,
  'accounts.listSubscriptions': ACCOUNT,
  'accounts.grantSubscription': ACCOUNT,
  'accounts.cancelSubscription': { 'params.id': 'account', 'params.subscription_id': 'subscription' },
  'accountLogs.calls': { ...OF_ACCOUNT, ...FILTERED },
  'accountLogs.search': { ...OF_ACCOUNT, ...FILTERED },
  'accountLogs.call': { ...OF_ACCOUNT, 'params.id': 'call' },
  'accountLogs.request': { ...OF_ACCOUNT, 'params.request_id': 'request' },
  'accountLogs.consumptions': { ...OF_ACCOUNT, ...FILTERED },
  'accountLogs.balance': OF_ACCOUNT,
  'calls.export': { ...FILTERED, 'query.account_id': 'account' },
  'accountLogs.exportCalls': { ...OF_ACCOUNT, ...FILTERED },
  'accountLogs.exportConsumptions': { ...OF_ACCOUNT, ...FILTERED },
  'accountLogs.exportBalance': OF_ACCOUNT,
  'accountLimits.get': { ...OF_ACCOUNT, ...FILTERED },
  ...Object.fromEntries(
    [...['accountPreference.get', 'accountVerification.get', 'accountByok.page', 'accountByok.stats']].map(
      (name) => [name, OF_ACCOUNT],
    ),
  ),
  'accounts.listNotes': ACCOUNT,
  'accounts.addNote': ACCOUNT,
  'accounts.deleteNote': { 'params.id': 'account', 'params.note_id': 'note' },
  'alerts.updateChannel': { 'body.id': 'channel' },
  'alerts.deleteChannels': { 'query.ids': 'channel' },
  'alerts.testChannel': { 'params.id': 'channel' },
  'platformAlerts.updateChannel': { 'params.id': 'platform' },
  'platformAlerts.deleteChannel': { 'params.id': 'platform' },
  'platformAlerts.testChannel': { 'params.id': 'platform' },
  'platformAlerts.resend': { 'params.id': 'delivery' },
  'verifications.list': { 'query.account_id': 'account' },
  'verifications.decide': { 'params.id': 'verification' },
  'feedback.update': { 'params.id': 'feedback' },
  'audit.list': { 'query.actor': 'account', 'query.account_id': 'account' },
};

/** What is an id, wherever the schemas have one: every parameter of a path, and what has the form of one. */
export function idPlaces(row: Operation): readonly Place[] {
  const places: Place[] = [];
  for (const part of ['params', 'query', 'body'] as const) {
    for (const [name, schema] of Object.entries(row[part]?.properties ?? {})) {
      const isNamedId = name === 'ids' || name === 'policy_id';
      if (part === 'params' || isNamedId || isId(schema as Form)) places.push(`${part}.${name}`);
    }
  }
  return places;
}

interface Form {
  readonly maximum?: number;
  readonly anyOf?: readonly Form[];
}

/** No count of ours is bounded by what a number can hold; ids are. */
function isId({ maximum, anyOf = [] }: Form): boolean {
  return maximum === Number.MAX_SAFE_INTEGER || anyOf.some(isId);
}
