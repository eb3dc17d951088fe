import type { Times } from '../../kernel/time/calendar.ts';
import { visitorAddress } from '../../kernel/visitor.ts';
import { keepFeedback } from '../../store/accounts/feedback.ts';
import { type FeedbackMessage, listOwnFeedback } from '../../store/operations/inbox.ts';
import { CONTACT_LENGTH_MAX, FEEDBACK_LENGTH_MAX, FEEDBACK_WAIT_MS } from '../bounds.ts';
import { ownAccount } from '../context.ts';
import { fail } from '../failure.ts';
import { ID, nullable, PAGE_QUERY, readExcerpt, TIME, toPage } from '../fields.ts';
import { data, type Operation, operation } from '../operation.ts';
import { Type } from '../schema.ts';

export const STATE = Type.Union([Type.Literal('open'), Type.Literal('done')]);

/** Both are null until an operator answers. */
export const ANSWER = {
  answer: nullable(Type.String({ description: 'What an operator answered.' })),
  answered_at: nullable(TIME),
};

const TEXT = {
  ...{ minLength: 1, maxLength: FEEDBACK_LENGTH_MAX, pattern: '\\S' },
  form: `a text of 1 to ${FEEDBACK_LENGTH_MAX} characters, and not blank`,
};
export const ANSWER_TEXT = Type.String({
  ...TEXT,
  pattern: '^\\s*[^\\s\\u0000][^\\u0000]*$',
  description: 'Its author reads it, if the feedback was sent with a login. Null takes it back.',
});

/** Feedback as its author and operators see it. */
export function shownFeedback(message: FeedbackMessage, { showTime }: Pick<Times, 'showTime'>): object {
  const { id, content, contact, status, answer, createdAtMs } = message;
  return {
    ...{ id, content, contact: contact ?? null, status, created_at: showTime(createdAtMs) },
    answer: answer?.text ?? null,
    answered_at: answer === undefined ? null : showTime(answer.atMs),
  };
}

const OWN = Type.Object({
  ...{ id: ID, content: Type.String(), contact: nullable(Type.String()), status: STATE },
  ...ANSWER,
  created_at: TIME,
});
const OWN_EXAMPLE = {
  ...{ id: 8, content: 'The receipt could be clearer.', contact: null, status: 'done' },
  ...{ answer: 'It has a line for each rate now.', answered_at: '2026-11-15 10:00:00' },
  created_at: '2026-11-15 09:05:00',
};

/** Rule I-65: one feedback in sixty seconds per IP, with or without a login. */
export const feedbackOperations: readonly Operation[] = [
  operation({
    name: 'public.feedback',
    id: 'sendFeedback',
    surface: 'user',
    access: 'optional',
    tag: 'Public',
    method: 'POST',
    path: '/feedback',
    title: 'Send feedback',
    summary: 'Send feedback, with or without a login.',
    body: Type.Object({
      content: Type.String(TEXT),
      contact: Type.Optional(Type.String({ maxLength: CONTACT_LENGTH_MAX })),
    }),
    data: Type.Object({}),
    fails: ['tooManyRequests'],
    example: { body: { content: 'The demo is fun.', contact: 'me@example.com' }, data: {} },
    handle: async ({ body: { content, contact } }, { caller, address, database }) => {
      const kept = await keepFeedback(
        database,
        { accountId: caller?.accountId, content, contact, sender: visitorAddress(address) },
        FEEDBACK_WAIT_MS,
      );
      if (kept.kind === 'kept') return data({});
      return fail(
        'tooManyRequests',
        'Only one feedback in sixty seconds is accepted, please try again later',
        kept.waitMs,
      );
    },
  }),
  operation({
    name: 'feedback.own',
    id: 'listSentFeedback',
    surface: 'user',
    access: 'user',
    tag: 'Account',
    method: 'GET',
    path: '/feedback',
    title: 'List sent feedback',
    summary: 'The feedback that the account sent, and what operators answered, newest first.',
    query: PAGE_QUERY,
    data: Type.Array(OWN),
    paged: true,
    example: { data: [OWN_EXAMPLE] },
    handle: async ({ query }, context) => {
      const excerpt = readExcerpt(query);
      const { items, total } = await listOwnFeedback(context.database, ownAccount(context), excerpt);
      const rows = items.map((message) => shownFeedback(message, context));
      return toPage(rows, total, excerpt);
    },
  }),
];
