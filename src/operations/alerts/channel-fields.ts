import {
  CHANNEL_TESTS_PER_MINUTE,
  CHANNELS_PER_OWNER_MAX,
  WEBHOOK_ADDRESS_CHARS_MAX,
} from '../../alerts/bounds.ts';
import type { Times } from '../../kernel/time/calendar.ts';
import type { ChannelPatch, ChannelView, NewChannel } from '../../store/alerts/channels.ts';
import type { ShownDelivery } from '../../store/alerts/outbox.ts';
import { judgeWebhookAddress } from '../../upstream/guard/webhook-address.ts';
import { isMailable } from '../../upstream/messages/mail.ts';
import { newWebhookSecret } from '../../upstream/messages/webhook.ts';
import type { Context } from '../context.ts';
import { type Failure, fail } from '../failure.ts';
import { ID, NAME, nullable, STATUS, TIME } from '../fields.ts';
import { Type } from '../schema.ts';

export const CHANNEL_KIND = Type.Union([Type.Literal('email'), Type.Literal('webhook')]);
export const LANGUAGE = Type.Union([Type.Literal('en'), Type.Literal('zh')], {
  description: 'The language of what is sent.',
});
export const ADDRESS = Type.String({
  minLength: 1,
  maxLength: WEBHOOK_ADDRESS_CHARS_MAX,
  description: 'The https address of a webhook, or an e-mail address.',
});

/** The kinds of alerts that a channel gets, as a list without repetitions. */
export function alertsOf(kinds: readonly string[]) {
  return Type.Array(Type.Union(kinds.map((kind) => Type.Literal(kind))), { maxItems: kinds.length });
}

export function channelOf(kinds: readonly string[]) {
  return Type.Object({
    ...{ id: ID, kind: CHANNEL_KIND, name: NAME, address: Type.String(), language: LANGUAGE },
    ...{ alerts: alertsOf(kinds), status: STATUS, created_at: TIME },
  });
}

export const CREATED = Type.Object({
  id: ID,
  secret: nullable(Type.String({ description: 'What a webhook is signed with. Only this answer shows it.' })),
});

export const DELIVERY_STATUS = Type.Union(
  [Type.Literal('waiting'), Type.Literal('sent'), Type.Literal('dead')],
  { description: '`dead`: it could not be sent, and is not tried again.' },
);
export const DELIVERY_FIELDS = {
  id: ID,
  message_id: Type.String({ description: 'The `webhook-id`. It is the same in every attempt.' }),
  channel_id: nullable(ID),
  channel: nullable(Type.String({ description: 'The name of the channel. Null: a mail to the account.' })),
  ...{ kind: Type.String(), state: Type.String(), status: DELIVERY_STATUS },
  attempts: Type.Integer({ minimum: 0 }),
  ...{ created_at: TIME, next_at: nullable(TIME), ended_at: nullable(TIME) },
  last_error: nullable(Type.String()),
};
export const DELIVERY_EXAMPLE = {
  ...{ id: 31, message_id: 'msg_0d1c2f7a5be94e6aa6f5c1d0b3e49f27', channel_id: 4, channel: 'team' },
  ...{ kind: 'key-expiring', state: 'raised', status: 'sent', attempts: 1 },
  ...{ created_at: '2026-11-15 09:05:00', next_at: null, ended_at: '2026-11-15 09:05:01', last_error: null },
};

export function shownChannel(channel: ChannelView, { showTime }: Times): object {
  const { target: address, createdAtMs, ...rest } = channel;
  return { ...rest, address, created_at: showTime(createdAtMs) };
}

export function shownDelivery(delivery: ShownDelivery, { showTime }: Times): object {
  const { id, messageId, channelId, channelName, kind, state, status, attempts } = delivery;
  return {
    ...{ id, message_id: messageId, channel_id: channelId ?? null, channel: channelName ?? null },
    ...{ kind, state, status, attempts, created_at: showTime(delivery.createdAtMs) },
    next_at: delivery.nextAtMs === undefined ? null : showTime(delivery.nextAtMs),
    ended_at: delivery.endedAtMs === undefined ? null : showTime(delivery.endedAtMs),
    last_error: delivery.lastError ?? null,
  };
}

/** The address in the form that is stored, or what is wrong with it. */
export function judgeAddress(
  kind: ChannelView['kind'],
  address: string,
  { config }: Pick<Context, 'config'>,
): string | Failure {
  if (kind === 'email') {
    if (config.smtpUrl === undefined) return fail('badParameter', NO_MAIL);
    return isMailable(address) ? address : fail('badParameter', 'address: must be an e-mail address');
  }
  const judged = judgeWebhookAddress(address, new Set(config.webhookHosts));
  return judged.kind === 'refused' ? fail('badParameter', `address: ${judged.why}`) : judged.url;
}

/** What a channel is changed to, or what is wrong with it. Absent fields stay as they are. */
export function readPatch(
  { address, alerts, ...rest }: Omit<ChannelPatch, 'target'> & { readonly address?: string | undefined },
  kind: ChannelView['kind'],
  context: Pick<Context, 'config'>,
): ChannelPatch | Failure {
  const target = address === undefined ? undefined : judgeAddress(kind, address, context);
  if (typeof target === 'object') return target;
  return {
    ...rest,
    ...(target !== undefined && { target }),
    ...(alerts !== undefined && { alerts: [...new Set(alerts)] }),
  };
}

const NO_MAIL = 'kind: this server sends no e-mail (TOLLGATE_SMTP_URL is not set)';

/** A channel with a new secret, or the failure. */
export function withSecret(
  channel: Omit<NewChannel, 'secret'>,
  { random }: Pick<Context, 'random'>,
): NewChannel {
  return { ...channel, secret: channel.kind === 'webhook' ? newWebhookSecret(random) : undefined };
}

export function tooMany(): Failure {
  return fail('conflict', `There are at most ${CHANNELS_PER_OWNER_MAX} channels`);
}

const TEST_WAIT_MS = 60_000;

export function tooManyTests(): Failure {
  const message = `At most ${CHANNEL_TESTS_PER_MINUTE} tests in a minute, please try again later`;
  return fail('tooManyRequests', message, TEST_WAIT_MS);
}
