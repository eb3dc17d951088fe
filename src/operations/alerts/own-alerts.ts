import { USER_ALERTS } from '../../alerts/contract.ts';
import { CREDITS_LOW_MICRO } from '../../alerts/thresholds.ts';
import { formatMicro } from '../../kernel/money.ts';
import {
  type AlertSettings,
  findAlertSettings,
  writeAlertSettings,
} from '../../store/alerts/alert-settings.ts';
import {
  addChannel,
  deleteChannels,
  findChannel,
  listChannels,
  queueTest,
  updateChannel,
} from '../../store/alerts/channels.ts';
import { listDeliveries } from '../../store/alerts/outbox.ts';
import { type Context, ownAccount } from '../context.ts';
import { fail } from '../failure.ts';
import {
  AMOUNT,
  ID,
  ID_PARAMS,
  IDS_QUERY,
  NAME,
  pageQuery,
  parseAmount,
  parseIds,
  readExcerpt,
  SHOWN_AMOUNT,
  STATUS,
  tooLarge,
  toPage,
} from '../fields.ts';
import { type Answer, data, type Operation, operation } from '../operation.ts';
import { Type } from '../schema.ts';
import {
  ADDRESS,
  alertsOf,
  CHANNEL_KIND,
  CREATED,
  channelOf,
  DELIVERY_EXAMPLE,
  DELIVERY_FIELDS,
  DELIVERY_STATUS,
  judgeAddress,
  LANGUAGE,
  readPatch,
  shownChannel,
  shownDelivery,
  tooMany,
  tooManyTests,
  withSecret,
} from './channel-fields.ts';

const GROUP = { surface: 'user', access: 'user', tag: 'Alerts' } as const;
const ALERTS = alertsOf(USER_ALERTS);
const EXAMPLE = {
  ...{ id: 4, kind: 'webhook', name: 'team', address: 'https://example.com/hooks/tollgate' },
  ...{ language: 'en', alerts: ['credits-low', 'key-expiring'], status: 'enabled' },
  created_at: '2026-11-15 09:05:00',
};

const channels = operation({
  ...GROUP,
  name: 'alerts.channels',
  id: 'listAlertChannels',
  method: 'GET',
  path: '/alert/channels',
  title: 'List my alert channels',
  summary: 'Where alerts of the account go, and which. The secrets of webhooks are not shown.',
  data: Type.Array(channelOf(USER_ALERTS)),
  example: { data: [EXAMPLE] },
  handle: async (_input, context) => {
    const found = await listChannels(context.database, ownAccount(context));
    return data(found.map((channel) => shownChannel(channel, context)));
  },
});

const create = operation({
  ...GROUP,
  name: 'alerts.createChannel',
  id: 'createAlertChannel',
  method: 'POST',
  path: '/alert/channels',
  title: 'Create an alert channel',
  summary: 'Send alerts to the account’s own e-mail address, once it is confirmed, or to a signed webhook.',
  body: Type.Object({
    ...{ kind: CHANNEL_KIND, name: NAME, alerts: ALERTS, language: Type.Optional(LANGUAGE) },
    address: Type.Optional(ADDRESS),
  }),
  data: CREATED,
  fails: ['conflict'],
  example: {
    body: { kind: 'webhook', name: 'team', address: EXAMPLE.address, alerts: EXAMPLE.alerts },
    data: { id: 4, secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' },
  },
  handle: async ({ body }, context) => {
    const { kind, name, alerts, language = 'en', address } = body;
    const accountId = ownAccount(context);
    const settings = await findAlertSettings(context.database, accountId);
    if (settings === undefined) return fail('notFound');
    if (kind === 'email' && address !== undefined && address !== settings.email) {
      return fail('badParameter', 'address: e-mail goes to the address of the account only');
    }
    const target = judgeAddress(kind, kind === 'email' ? settings.email : (address ?? ''), context);
    if (typeof target !== 'string') return target;
    if (kind === 'email' && !settings.isVerified)
      return fail('conflict', 'Confirm your e-mail address first');
    const channel = withSecret({ kind, name, alerts: [...new Set(alerts)], language, target }, context);
    const id = await addChannel(context.database, accountId, channel, context.sealer);
    return id === undefined ? tooMany() : data({ id, secret: channel.secret ?? null });
  },
});

const update = operation({
  ...GROUP,
  name: 'alerts.updateChannel',
  id: 'updateAlertChannel',
  method: 'PUT',
  path: '/alert/channels',
  title: 'Update an alert channel',
  summary: 'Change a channel: its name, alerts, language, status, or the address of a webhook.',
  body: Type.Object({
    ...{
      id: ID,
      name: Type.Optional(NAME),
      alerts: Type.Optional(ALERTS),
      language: Type.Optional(LANGUAGE),
    },
    ...{ status: Type.Optional(STATUS), address: Type.Optional(ADDRESS) },
  }),
  data: Type.Object({ id: ID }),
  fails: ['notFound'],
  example: { body: { id: 4, alerts: ['limit-hit'] }, data: { id: 4 } },
  handle: async ({ body }, context) => {
    const { id, ...wanted } = body;
    const owner = ownAccount(context);
    const stored = await findChannel(context.database, owner, id);
    if (stored === undefined) return fail('notFound');
    if (stored.kind === 'email' && wanted.address !== undefined) {
      return fail('badParameter', 'address: e-mail goes to the address of the account only');
    }
    const patch = readPatch(wanted, stored.kind, context);
    if ('kind' in patch) return patch;
    const isThere = await updateChannel(context.database, { owner, id }, patch);
    return isThere ? data({ id }) : fail('notFound');
  },
});

const remove = operation({
  ...GROUP,
  name: 'alerts.deleteChannels',
  id: 'deleteAlertChannels',
  method: 'DELETE',
  path: '/alert/channels',
  title: 'Delete alert channels',
  summary: 'Delete channels, all of the given ids or none. What waits for them is not sent.',
  query: IDS_QUERY,
  data: Type.Object({ deleted: Type.Integer({ minimum: 1 }) }),
  fails: ['notFound'],
  example: { data: { deleted: 1 } },
  handle: async ({ query }, context) => {
    const ids = parseIds(query.ids);
    if ('kind' in ids) return ids;
    const deleted = await deleteChannels(context.database, ownAccount(context), ids);
    return deleted === 0 ? fail('notFound') : data({ deleted });
  },
});

const test = operation({
  ...GROUP,
  name: 'alerts.testChannel',
  id: 'testAlertChannel',
  method: 'POST',
  path: '/alert/channels/:id/test',
  title: 'Test an alert channel',
  summary: 'Send a test to a channel, the way of every alert. The deliveries say how it went.',
  params: ID_PARAMS,
  data: Type.Object({ delivery_id: ID }),
  fails: ['notFound', 'tooManyRequests'],
  example: { data: { delivery_id: 31 } },
  handle: async ({ params }, context) => {
    const owner = ownAccount(context);
    if ((await findChannel(context.database, owner, params.id)) === undefined) return fail('notFound');
    const tested = await queueTest(context.database, owner, params.id);
    return tested.kind === 'wait' ? tooManyTests() : data({ delivery_id: tested.deliveryId });
  },
});

const deliveries = operation({
  ...GROUP,
  name: 'alerts.deliveries',
  id: 'listAlertDeliveries',
  method: 'GET',
  path: '/alert/deliveries',
  title: 'List my alert deliveries',
  summary: 'What was sent to the account and its channels, or could not be, newest first.',
  query: pageQuery({ status: Type.Optional(DELIVERY_STATUS) }),
  data: Type.Array(Type.Object(DELIVERY_FIELDS)),
  paged: true,
  example: { data: [DELIVERY_EXAMPLE] },
  handle: async ({ query }, context) => {
    const excerpt = readExcerpt(query);
    const asked = { accountId: ownAccount(context), status: query.status, ...excerpt };
    const { items, total } = await listDeliveries(context.database, asked);
    const rows = items.map((delivery) => shownDelivery(delivery, context));
    return toPage(rows, total, excerpt);
  },
});

const SETTINGS = Type.Object({
  credits_low: Type.String({ ...SHOWN_AMOUNT, description: 'Fewer Credits than these are low.' }),
  language: LANGUAGE,
  email: Type.String(),
  email_verified: Type.Boolean(),
  can_mail: Type.Boolean({ description: 'Whether this server sends e-mail.' }),
});
const SETTINGS_EXAMPLE = {
  ...{ credits_low: '1000', language: 'en', email: 'ada@example.com' },
  ...{ email_verified: true, can_mail: true },
};

const readSettings = operation({
  ...GROUP,
  name: 'alerts.settings',
  id: 'getAlertSettings',
  method: 'GET',
  path: '/alert/settings',
  title: 'Get my alert settings',
  summary: 'When Credits are low, the language of mails, and whether the e-mail address is confirmed.',
  data: SETTINGS,
  example: { data: SETTINGS_EXAMPLE },
  handle: (_input, context) => tell(context),
});

const writeSettings = operation({
  ...GROUP,
  name: 'alerts.setSettings',
  id: 'setAlertSettings',
  method: 'PUT',
  path: '/alert/settings',
  title: 'Set my alert settings',
  summary: 'Set when Credits are low, and the language of mails. Absent fields stay as they are.',
  body: Type.Object({ credits_low: Type.Optional(AMOUNT), language: Type.Optional(LANGUAGE) }),
  data: SETTINGS,
  example: { body: { credits_low: '1000' }, data: SETTINGS_EXAMPLE },
  handle: async ({ body: { credits_low: creditsLow, language } }, context) => {
    const creditsLowMicro = creditsLow === undefined ? undefined : parseAmount(creditsLow);
    if (creditsLow !== undefined && creditsLowMicro === undefined) return tooLarge('credits_low');
    const accountId = ownAccount(context);
    const isThere = await writeAlertSettings(context.database, accountId, { creditsLowMicro, language });
    return isThere ? tell(context) : fail('notFound');
  },
});

async function tell(context: Context): Promise<Answer> {
  const settings = await findAlertSettings(context.database, ownAccount(context));
  return settings === undefined ? fail('notFound') : data(shownSettings(settings, context));
}

function shownSettings(settings: AlertSettings, { config }: Context): object {
  const { creditsLowMicro = CREDITS_LOW_MICRO, language = 'en', email, isVerified } = settings;
  const canMail = config.smtpUrl !== undefined;
  return {
    ...{ credits_low: formatMicro(creditsLowMicro), language, email },
    ...{ email_verified: isVerified, can_mail: canMail },
  };
}

/** Alerts of an account: where they go, and what was sent. */
export const ownAlertOperations: readonly Operation[] = [
  ...[channels, create, update, remove, test, deliveries, readSettings, writeSettings],
];
