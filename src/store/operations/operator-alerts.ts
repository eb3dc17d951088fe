import type { EntryJson } from '../../catalog/entry-json.ts';
import {
  addChannel,
  type ChannelPatch,
  type ChannelView,
  deleteChannels,
  findChannel,
  type NewChannel,
  queueTest,
  type Tested,
  updateChannel,
} from '../alerts/channels.ts';
import { announceMessage } from '../alerts/outbox.ts';
import { type Actor, type AuditContext, audited, type NotFound } from './audit.ts';

const NOT_FOUND = { kind: 'refused', refusal: { kind: 'not-found' } } as const;

/** For the audit log. Neither the secret nor the query of an address, which may be one, is in it. */
function entryOf(
  { kind, name, target, language, alerts }: Omit<NewChannel, 'secret'>,
  status = 'enabled',
): EntryJson {
  const address = target.split('?', 1)[0] ?? '';
  return { kind, name, address, language, alerts: [...alerts], status };
}

const viewEntry = (channel: ChannelView): EntryJson => entryOf(channel, channel.status);

type Added = { readonly kind: 'added'; readonly id: number };
type TooMany = { readonly kind: 'too-many' };

export function addChannelAudited(
  audit: AuditContext,
  channel: NewChannel,
  actor: Actor,
): Promise<Added | TooMany> {
  return audited<Added, TooMany>(audit, actor, async (transaction) => {
    const id = await addChannel(transaction, undefined, channel, audit.sealer);
    if (id === undefined) return { kind: 'refused', refusal: { kind: 'too-many' } };
    const entry = { entity: 'alert_channels', key: String(id), before: null, after: entryOf(channel) };
    return { kind: 'done', result: { kind: 'added', id }, entry };
  });
}

type Changed = { readonly kind: 'changed' };

export function updateChannelAudited(
  audit: AuditContext,
  id: number,
  patch: ChannelPatch,
  actor: Actor,
): Promise<Changed | NotFound> {
  return audited<Changed, NotFound>(audit, actor, async (transaction) => {
    const before = await findChannel(transaction, undefined, id);
    if (before === undefined) return NOT_FOUND;
    await updateChannel(transaction, { owner: undefined, id }, patch);
    const after = { ...before, ...patch };
    const entry = {
      ...{ entity: 'alert_channels', key: String(id) },
      ...{ before: viewEntry(before), after: viewEntry(after) },
    };
    return { kind: 'done', result: { kind: 'changed' }, entry };
  });
}

export function deleteChannelAudited(
  audit: AuditContext,
  id: number,
  actor: Actor,
): Promise<Changed | NotFound> {
  return audited<Changed, NotFound>(audit, actor, async (transaction) => {
    const before = await findChannel(transaction, undefined, id);
    if (before === undefined) return NOT_FOUND;
    await deleteChannels(transaction, undefined, [id]);
    const entry = { entity: 'alert_channels', key: String(id), before: viewEntry(before), after: null };
    return { kind: 'done', result: { kind: 'changed' }, entry };
  });
}

export function queueTestAudited(audit: AuditContext, id: number, actor: Actor): Promise<Tested | NotFound> {
  return audited<Tested, Tested | NotFound>(audit, actor, async (transaction) => {
    if ((await findChannel(transaction, undefined, id)) === undefined) return NOT_FOUND;
    const tested = await queueTest(transaction, undefined, id);
    if (tested.kind === 'wait') return { kind: 'refused', refusal: tested };
    const entry = { entity: 'alert_channels', key: String(id), before: null, after: { tested: true } };
    return { kind: 'done', result: tested, entry };
  });
}

/** Sends a message again that could not be sent. Its id stays, so that a receiver can drop a repetition. */
export function resendAudited(audit: AuditContext, id: number, actor: Actor): Promise<Changed | NotFound> {
  return audited<Changed, NotFound>(audit, actor, async (transaction) => {
    const [row] = await transaction.query<{ kind: string; last_error: string | null }>(
      `update alert_outbox set status = 'waiting', ended_at = null, attempts = 0, next_at = now(),
         created_at = now()
       where id = $1 and status = 'dead' returning kind, last_error`,
      [id],
    );
    if (row === undefined) return NOT_FOUND;
    await announceMessage(transaction);
    const entry = {
      ...{ entity: 'alert_deliveries', key: String(id) },
      ...{ before: { status: 'dead', last_error: row.last_error ?? '' }, after: { status: 'waiting' } },
    };
    return { kind: 'done', result: { kind: 'changed' }, entry };
  });
}
