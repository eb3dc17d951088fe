import type { Times } from '../../kernel/time/calendar.ts';
import { findRegistration } from '../../store/accounts/registration.ts';
import { type AuditRecord, listAudit } from '../../store/operations/audit.ts';
import {
  changeRegistration,
  type FeedbackMessage,
  listFeedback,
  setFeedback,
} from '../../store/operations/inbox.ts';
import { fail } from '../failure.ts';
import { ID, ID_PARAMS, nullable, pageQuery, readExcerpt, TIME, toPage } from '../fields.ts';
import { data, type Operation, operation } from '../operation.ts';
import { OPERATORS, toActor } from '../operator.ts';
import { Type } from '../schema.ts';
import { ANSWER, ANSWER_TEXT, STATE, shownFeedback } from './feedback.ts';

const MESSAGE = Type.Object({
  id: ID,
  account_id: nullable(ID),
  email: nullable(Type.String()),
  content: Type.String(),
  contact: nullable(Type.String()),
  status: STATE,
  ...ANSWER,
  created_at: TIME,
});
const MESSAGE_EXAMPLE = {
  id: 8,
  account_id: 12,
  email: 'user@example.com',
  content: 'The receipt could be clearer.',
  contact: null,
  status: 'open',
  ...{ answer: null, answered_at: null },
  created_at: '2026-11-15 09:05:00',
};

function shownMessage(message: FeedbackMessage, times: Pick<Times, 'showTime'>): object {
  return {
    account_id: message.accountId ?? null,
    email: message.email ?? null,
    ...shownFeedback(message, times),
  };
}

const feedback = operation({
  ...OPERATORS,
  tag: 'Feedback',
  name: 'feedback.list',
  id: 'listFeedback',
  method: 'GET',
  path: '/feedback',
  title: 'List feedback',
  summary: 'The feedback, newest first.',
  query: pageQuery({ status: Type.Optional(STATE) }),
  data: Type.Array(MESSAGE),
  paged: true,
  example: { data: [MESSAGE_EXAMPLE] },
  handle: async ({ query }, context) => {
    const excerpt = readExcerpt(query);
    const { offset, limit } = excerpt;
    const wanted = { status: query.status, offset, limit };
    const { items, total } = await listFeedback(context.database, wanted);
    const rows = items.map((message) => shownMessage(message, context));
    return toPage(rows, total, excerpt);
  },
});

const mark: Operation = operation({
  ...OPERATORS,
  tag: 'Feedback',
  name: 'feedback.update',
  id: 'updateFeedback',
  method: 'PUT',
  path: '/feedback/:id',
  title: 'Update feedback',
  summary: 'Answer feedback, mark it as done, or as open again.',
  params: ID_PARAMS,
  body: Type.Object({
    status: Type.Optional(STATE),
    answer: Type.Optional(nullable(ANSWER_TEXT)),
  }),
  data: MESSAGE,
  fails: ['notFound'],
  example: {
    body: { status: 'done', answer: 'It has a line for each rate now.' },
    data: {
      ...{ ...MESSAGE_EXAMPLE, status: 'done' },
      ...{ answer: 'It has a line for each rate now.', answered_at: '2026-11-15 10:00:00' },
    },
  },
  handle: async ({ params, body }, context) => {
    const done = await setFeedback(context, params.id, body, toActor(context, mark));
    return done.kind === 'not-found' ? fail('notFound') : data(shownMessage(done.message, context));
  },
});

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

const audit = operation({
  ...OPERATORS,
  tag: 'Audit log',
  name: 'audit.list',
  id: 'listAuditEntries',
  method: 'GET',
  path: '/audit',
  title: 'List audit entries',
  summary: 'All changes by operators: who, when, from where, and the values before and after.',
  query: pageQuery({
    actor: Type.Optional(ID),
    entity: NAME_FILTER,
    key: NAME_FILTER,
    action: NAME_FILTER,
    account_id: Type.Optional({ ...ID, description: 'Changes of this account and of what it owns.' }),
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
  handle: async ({ query }, context) => {
    const excerpt = readExcerpt(query);
    const { offset, limit } = excerpt;
    const { actor, entity, key, action, account_id: accountId } = query;
    const filter = { actorAccountId: actor, entity, entityKey: key, action, accountId };
    const { items, total } = await listAudit(context.database, { ...filter, offset, limit });
    const rows = items.map((record) => shownRecord(record, context));
    return toPage(rows, total, excerpt);
  },
});

function shownRecord(record: AuditRecord, { showTime }: Pick<Times, 'showTime'>): object {
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

const registration = operation({
  ...OPERATORS,
  tag: 'Settings',
  name: 'registration.get',
  id: 'getRegistration',
  method: 'GET',
  path: '/registration',
  title: 'Get registration',
  summary: 'Whether people may register.',
  data: REGISTRATION,
  example: { data: { registration: null } },
  handle: async (_input, { database }) => data({ registration: (await findRegistration(database)) ?? null }),
});

const setRegistration: Operation = operation({
  ...OPERATORS,
  tag: 'Settings',
  name: 'registration.update',
  id: 'openOrCloseRegistration',
  method: 'PUT',
  path: '/registration',
  title: 'Open or close registration',
  summary: 'Open or close registration. Null uses the configuration.',
  body: REGISTRATION,
  data: REGISTRATION,
  example: { body: { registration: 'closed' }, data: { registration: 'closed' } },
  handle: async ({ body }, context) => {
    const set = await changeRegistration(
      context,
      body.registration ?? undefined,
      toActor(context, setRegistration),
    );
    return data({ registration: set ?? null });
  },
});

/** Feedback, the audit log, and the switch for registration. */
export const inboxOperations: readonly Operation[] = [feedback, mark, audit, registration, setRegistration];
