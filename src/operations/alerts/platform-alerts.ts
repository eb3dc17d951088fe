import { OPERATOR_ALERTS } from '../../alerts/contract.ts';
import { findChannel, listChannels } from '../../store/alerts/channels.ts';
import { listDeliveries } from '../../store/alerts/outbox.ts';
import { listOperatorStates } from '../../store/alerts/states.ts';
import {
  addChannelAudited,
  deleteChannelAudited,
  queueTestAudited,
  resendAudited,
  updateChannelAudited,
} from '../../store/operations/operator-alerts.ts';
import { fail } from '../failure.ts';
import { ID, ID_PARAMS, NAME, nullable, pageQuery, readExcerpt, STATUS, TIME, toPage } from '../fields.ts';
import { data, type Operation, operation } from '../operation.ts';
import { OPERATORS, toActor } from '../operator.ts';
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

const GROUP = { ...OPERATORS, tag: 'Platform alerts' } as const;
const ALERTS = alertsOf(OPERATOR_ALERTS);
const EXAMPLE = {
  ...{ id: 2, kind: 'email', name: 'on call', address: 'oncall@example.com', language: 'en' },
  ...{ alerts: ['route-down', 'disk-nearly-full'], status: 'enabled', created_at: '2026-11-15 09:05:00' },
};

const channels = operation({
  ...GROUP,
  name: 'platformAlerts.channels',
  id: 'listAlertChannelsOfOperators',
  method: 'GET',
  path: '/alerts/channels',
  title: 'List alert channels of operators',
  summary: 'Where alerts about the platform go, and which. The secrets of webhooks are not shown.',
  data: Type.Array(channelOf(OPERATOR_ALERTS)),
  example: { data: [EXAMPLE] },
  handle: async (_input, context) => {
    const found = await listChannels(context.database, undefined);
    return data(found.map((channel) => shownChannel(channel, context)));
  },
});

const create: Operation = operation({
  ...GROUP,
  name: 'platformAlerts.createChannel',
  id: 'createAlertChannelOfOperators',
  method: 'POST',
  path: '/alerts/channels',
  title: 'Create an alert channel of operators',
  summary: 'Send alerts about the platform to an e-mail address or a signed webhook.',
  body: Type.Object({
    ...{ kind: CHANNEL_KIND, name: NAME, address: ADDRESS, alerts: ALERTS },
    language: Type.Optional(LANGUAGE),
  }),
  data: CREATED,
  fails: ['conflict'],
  example: {
    body: { kind: 'email', name: 'on call', address: 'oncall@example.com', alerts: EXAMPLE.alerts },
    data: { id: 2, secret: null },
  },
  handle: async ({ body }, context) => {
    const { kind, name, address, alerts, language = 'en' } = body;
    const target = judgeAddress(kind, address, context);
    if (typeof target !== 'string') return target;
    const channel = withSecret({ kind, name, target, language, alerts: [...new Set(alerts)] }, context);
    const made = await addChannelAudited(context, channel, toActor(context, create));
    return made.kind === 'too-many' ? tooMany() : data({ id: made.id, secret: channel.secret ?? null });
  },
});

const update: Operation = operation({
  ...GROUP,
  name: 'platformAlerts.updateChannel',
  id: 'updateAlertChannelOfOperators',
  method: 'PUT',
  path: '/alerts/channels/:id',
  title: 'Update an alert channel of operators',
  summary: 'Change a channel of operators. Absent fields stay as they are.',
  params: ID_PARAMS,
  body: Type.Object({
    ...{ name: Type.Optional(NAME), address: Type.Optional(ADDRESS), alerts: Type.Optional(ALERTS) },
    ...{ language: Type.Optional(LANGUAGE), status: Type.Optional(STATUS) },
  }),
  data: Type.Object({ id: ID }),
  fails: ['notFound'],
  example: { body: { status: 'disabled' }, data: { id: 2 } },
  handle: async ({ params: { id }, body }, context) => {
    const stored = await findChannel(context.database, undefined, id);
    if (stored === undefined) return fail('notFound');
    const patch = readPatch(body, stored.kind, context);
    if ('kind' in patch) return patch;
    const done = await updateChannelAudited(context, id, patch, toActor(context, update));
    return done.kind === 'not-found' ? fail('notFound') : data({ id });
  },
});

const remove: Operation = operation({
  ...GROUP,
  name: 'platformAlerts.deleteChannel',
  id: 'deleteAlertChannelOfOperators',
  method: 'DELETE',
  path: '/alerts/channels/:id',
  title: 'Delete an alert channel of operators',
  summary: 'Delete a channel of operators. What waits for it is not sent.',
  params: ID_PARAMS,
  data: Type.Object({}),
  fails: ['notFound'],
  example: { data: {} },
  handle: async ({ params }, context) => {
    const done = await deleteChannelAudited(context, params.id, toActor(context, remove));
    return done.kind === 'not-found' ? fail('notFound') : data({});
  },
});

const test: Operation = operation({
  ...GROUP,
  name: 'platformAlerts.testChannel',
  id: 'testAlertChannelOfOperators',
  method: 'POST',
  path: '/alerts/channels/:id/test',
  title: 'Test an alert channel of operators',
  summary: 'Send a test to a channel, the way of every alert. The deliveries say how it went.',
  params: ID_PARAMS,
  data: Type.Object({ delivery_id: ID }),
  fails: ['notFound', 'tooManyRequests'],
  example: { data: { delivery_id: 31 } },
  handle: async ({ params }, context) => {
    const tested = await queueTestAudited(context, params.id, toActor(context, test));
    if (tested.kind === 'not-found') return fail('notFound');
    return tested.kind === 'wait' ? tooManyTests() : data({ delivery_id: tested.deliveryId });
  },
});

const states = operation({
  ...GROUP,
  name: 'platformAlerts.states',
  id: 'listConditionsOfPlatform',
  method: 'GET',
  path: '/alerts/states',
  title: 'List conditions of the platform',
  summary: 'What is wrong now, as the last round of a node found it.',
  data: Type.Array(
    Type.Object({
      ...{ key: Type.String(), kind: Type.String(), details: Type.Record(Type.Unknown()) },
      since: TIME,
    }),
  ),
  example: {
    data: [
      {
        ...{ key: 'route-down:12', kind: 'route-down', since: '2026-11-15 09:05:00' },
        details: { route: '12', vendor: 'openai', model: 'gpt-5', nodes: 'local' },
      },
    ],
  },
  handle: async (_input, { database, showTime }) => {
    const held = await listOperatorStates(database);
    return data(held.map(({ sinceMs, ...state }) => ({ ...state, since: showTime(sinceMs) })));
  },
});

const deliveries = operation({
  ...GROUP,
  name: 'platformAlerts.deliveries',
  id: 'listAllAlertDeliveries',
  method: 'GET',
  path: '/alerts/deliveries',
  title: 'List all alert deliveries',
  summary: 'Messages to operators and accounts, newest first. What they say is not shown.',
  query: pageQuery({ status: Type.Optional(DELIVERY_STATUS) }),
  data: Type.Array(Type.Object({ ...DELIVERY_FIELDS, account_id: nullable(ID) })),
  paged: true,
  example: { data: [{ ...DELIVERY_EXAMPLE, account_id: 7 }] },
  handle: async ({ query }, context) => {
    const excerpt = readExcerpt(query);
    const asked = { accountId: undefined, status: query.status, ...excerpt };
    const { items, total } = await listDeliveries(context.database, asked);
    const rows = items.map((delivery) => ({
      ...shownDelivery(delivery, context),
      account_id: delivery.accountId ?? null,
    }));
    return toPage(rows, total, excerpt);
  },
});

const resend: Operation = operation({
  ...GROUP,
  name: 'platformAlerts.resend',
  id: 'sendAlertAgain',
  method: 'POST',
  path: '/alerts/deliveries/:id/resend',
  title: 'Send an alert again',
  summary: 'Send a message again that could not be sent. Its id stays the same.',
  params: ID_PARAMS,
  data: Type.Object({}),
  fails: ['notFound'],
  example: { data: {} },
  handle: async ({ params }, context) => {
    const done = await resendAudited(context, params.id, toActor(context, resend));
    return done.kind === 'not-found' ? fail('notFound') : data({});
  },
});

/** Alerts about the platform: where they go, what is wrong now, and what was sent. */
export const platformAlertOperations: readonly Operation[] = [
  ...[channels, create, update, remove, test, states, deliveries, resend],
];
