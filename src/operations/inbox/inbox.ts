import type { Shown } from '../accounts/account-view.ts';
import type { FeedbackMessage, Inbox } from '../admin-ports.ts';
import type { AuditRecord } from '../contract.ts';
import { fail } from '../failure.ts';
import { ID, ID_PARAMS, nullable, pageQuery, readExcerpt, TIME, toPage } from '../fields.ts';
import { data, type Operation, operation } from '../operation.ts';
import { OPERATORS, toActor } from '../operator.ts';
import { Type } from '../schema.ts';

export interface InboxNeeds {
  readonly inbox: Inbox;
  readonly shown: Pick<Shown, 'showTime'>;
}

/** Feedback, the audit log, and the switch for registration. */
export function inboxOperations(needs: InboxNeeds): readonly Operation[] {
  return [feedback(needs), mark(needs), audit(needs), registration(needs), setRegistration(needs)];
}

const STATE = Type.Union([Type.Literal('open'), Type.Literal('done')]);
const MESSAGE = Type.Object({
  id: ID,
  account_id: nullable(ID),
  email: nullable(Type.String()),
  content: Type.String(),
  contact: nullable(Type.String()),
  status: STATE,
  created_at: TIME,
});
const MESSAGE_EXAMPLE = {
  id: 8,
  account_id: 12,
  email: 'user@example.com',
  content: 'The receipt could be clearer.',
  contact: null,
  status: 'open',
  created_at: '2026-11-15 09:05:00',
};

function shownMessage(message: FeedbackMessage, { showTime }: Pick<Shown, 'showTime'>): object {
  const { id, accountId, email, content, contact, status, createdAtMs } = message;
  return {
    ...{ id, account_id: accountId ?? null, email: email ?? null, content, contact: contact ?? null, status },
    created_at: showTime(createdAtMs),
  };
}

function feedback({ inbox, shown }: InboxNeeds): Operation {
  return operation({
    ...OPERATORS,
    tag: 'Feedback',
    name: 'feedback.list',
    method: 'GET',
    path: '/feedback',
    title: 'List feedback',
    summary: 'The feedback, newest first.',
    query: pageQuery({ status: Type.Optional(STATE) }),
    data: Type.Array(MESSAGE),
    paged: true,
    example: { data: [MESSAGE_EXAMPLE] },
    handle: async ({ query }) => {
      const excerpt = readExcerpt(query);
      const { offset, limit } = excerpt;
      const { items, total } = await inbox.feedback({ status: query.status, offset, limit });
      const rows = items.map((message) => shownMessage(message, shown));
      return toPage(rows, total, excerpt);
    },
  });
}

function mark({ inbox, shown }: InboxNeeds): Operation {
  const name = 'feedback.update';
  return operation({
    ...OPERATORS,
    tag: 'Feedback',
    name,
    method: 'PUT',
    path: '/feedback/:id',
    title: 'Update feedback',
    summary: 'Mark feedback as done, or as open again.',
    params: ID_PARAMS,
    body: Type.Object({ status: STATE }),
    data: MESSAGE,
    fails: ['notFound'],
    example: { body: { status: 'done' }, data: { ...MESSAGE_EXAMPLE, status: 'done' } },
    handle: async ({ params, body }, context) => {
      const done = await inbox.setFeedback(params.id, body.status, toActor(context, name));
      return done.kind === 'not-found' ? fail('notFound') : data(shownMessage(done.message, shown));
    },
  });
}

const SHOWN_STATE = nullable(
  Type.Record(Type.Unknown(), { description: 'As in the API. Secrets are masked.' }),
);
const RECORD = Type.Object({
  id: ID,
  at: TIME,
  actor_id: nullable(ID),
  actor_email: nullable(Type.String({ description: 'Null for a command at the terminal.' })),
  address: Type.String(),
  action: Type.String(),
  entity: Type.String(),
  key: Type.String(),
  before: SHOWN_STATE,
  after: SHOWN_STATE,
});
const NAME_FILTER = Type.Optional(Type.String({ minLength: 1, maxLength: 256 }));

function audit({ inbox, shown }: InboxNeeds): Operation {
  return operation({
    ...OPERATORS,
    tag: 'Audit log',
    name: 'audit.list',
    method: 'GET',
    path: '/audit',
    title: 'List audit entries',
    summary: 'All changes by operators: who, when, from where, and the values before and after.',
    query: pageQuery({
      actor: Type.Optional(ID),
      entity: NAME_FILTER,
      key: NAME_FILTER,
      action: NAME_FILTER,
    }),
    data: Type.Array(RECORD),
    paged: true,
    example: {
      data: [
        {
          id: 77,
          at: '2026-11-15 09:05:00',
          actor_id: 1,
          actor_email: 'operator@example.com',
          address: '192.0.2.7',
          action: 'vendors.update',
          entity: 'vendors',
          key: 'openai',
          before: { rate: '100' },
          after: { rate: '90' },
        },
      ],
    },
    handle: async ({ query }) => {
      const excerpt = readExcerpt(query);
      const { offset, limit } = excerpt;
      const { actor, entity, key, action } = query;
      const filter = { actorAccountId: actor, entity, entityKey: key, action };
      const { items, total } = await inbox.audit({ ...filter, offset, limit });
      const rows = items.map((record) => shownRecord(record, shown));
      return toPage(rows, total, excerpt);
    },
  });
}

function shownRecord(record: AuditRecord, { showTime }: Pick<Shown, 'showTime'>): object {
  const { id, atMs, actorAccountId, actorEmail, address, action, entity, key, before, after } = record;
  return {
    ...{ id, at: showTime(atMs), actor_id: actorAccountId ?? null, actor_email: actorEmail ?? null },
    ...{ address, action, entity, key, before, after },
  };
}

const REGISTRATION = Type.Object({
  registration: nullable(
    Type.Union([Type.Literal('open'), Type.Literal('closed')], {
      description: 'Null: TOLLGATE_REGISTRATION decides.',
    }),
  ),
});

function registration({ inbox }: InboxNeeds): Operation {
  return operation({
    ...OPERATORS,
    tag: 'Settings',
    name: 'registration.get',
    method: 'GET',
    path: '/registration',
    title: 'Get registration',
    summary: 'Whether people may register.',
    data: REGISTRATION,
    example: { data: { registration: null } },
    handle: async () => data({ registration: (await inbox.registration()) ?? null }),
  });
}

function setRegistration({ inbox }: InboxNeeds): Operation {
  const name = 'registration.update';
  return operation({
    ...OPERATORS,
    tag: 'Settings',
    name,
    method: 'PUT',
    path: '/registration',
    title: 'Open or close registration',
    summary: 'Open or close registration. Null uses the configuration.',
    body: REGISTRATION,
    data: REGISTRATION,
    example: { body: { registration: 'closed' }, data: { registration: 'closed' } },
    handle: async ({ body }, context) => {
      const set = await inbox.setRegistration(body.registration ?? undefined, toActor(context, name));
      return data({ registration: set ?? null });
    },
  });
}
