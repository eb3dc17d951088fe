import { visitorAddress } from '../../kernel/visitor.ts';
import { keepFeedback } from '../../store/accounts/feedback.ts';
import { CONTACT_LENGTH_MAX, FEEDBACK_LENGTH_MAX, FEEDBACK_WAIT_MS } from '../bounds.ts';
import { fail } from '../failure.ts';
import { data, type Operation, operation } from '../operation.ts';
import { Type } from '../schema.ts';

/** Rule I-65: one feedback in sixty seconds per IP, with or without a login. */
export const feedbackOperations: readonly Operation[] = [
  operation({
    name: 'public.feedback',
    surface: 'user',
    access: 'optional',
    tag: 'Public',
    method: 'POST',
    path: '/feedback',
    title: 'Send feedback',
    summary: 'Send feedback, with or without a login.',
    body: Type.Object({
      content: Type.String({
        ...{ minLength: 1, maxLength: FEEDBACK_LENGTH_MAX, pattern: '\\S' },
        form: `a text of 1 to ${FEEDBACK_LENGTH_MAX} characters, and not blank`,
      }),
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
];
