import { decideVerification, listVerifications } from '../../store/accounts/verification-decision.ts';
import { VERIFICATION, VERIFICATION_EXAMPLE, VERIFICATION_STATUS } from '../accounts/account-schema.ts';
import { shownVerification } from '../accounts/account-view.ts';
import { fail } from '../failure.ts';
import { ID, ID_PARAMS, pageQuery, readExcerpt, toPage } from '../fields.ts';
import { data, type Operation, operation } from '../operation.ts';
import { OPERATORS, toActor } from '../operator.ts';
import { Type } from '../schema.ts';
import { REASON } from '../wallet/money.ts';

const GROUP = { ...OPERATORS, tag: 'Verifications' } as const;

const list = operation({
  ...GROUP,
  name: 'verifications.list',
  id: 'listVerifications',
  method: 'GET',
  path: '/verifications',
  title: 'List verifications',
  summary: 'The submitted verifications, newest first.',
  query: pageQuery({ status: Type.Optional(VERIFICATION_STATUS), account_id: Type.Optional(ID) }),
  data: Type.Array(VERIFICATION),
  paged: true,
  example: { data: [VERIFICATION_EXAMPLE] },
  handle: async ({ query }, context) => {
    const excerpt = readExcerpt(query);
    const { offset, limit } = excerpt;
    const { status, account_id: accountId } = query;
    const wanted = { status, accountId, offset, limit };
    const { items, total } = await listVerifications(context.database, wanted, context.sealer);
    const rows = items.map((each) => shownVerification(each, context));
    return toPage(rows, total, excerpt);
  },
});

const decide: Operation = operation({
  ...GROUP,
  name: 'verifications.decide',
  id: 'decideVerification',
  method: 'POST',
  path: '/verifications/:id/decision',
  title: 'Decide a verification',
  summary:
    'Approve a verification, which grants the free Credits of its kind once, or refuse it with a reason.',
  params: ID_PARAMS,
  body: Type.Object({
    decision: Type.Union([Type.Literal('approve'), Type.Literal('refuse')]),
    reason: Type.Optional(REASON),
  }),
  data: VERIFICATION,
  fails: ['notFound', 'conflict'],
  example: { body: { decision: 'approve' }, data: VERIFICATION_EXAMPLE },
  handle: async ({ params, body: { decision, reason } }, context) => {
    if (decision === 'refuse' && reason === undefined) return fail('badParameter', 'reason is required');
    const wanted =
      decision === 'approve'
        ? ({ kind: 'approve' } as const)
        : ({ kind: 'refuse', reason: reason ?? '' } as const);
    const done = await decideVerification(context, params.id, wanted, toActor(context, decide));
    if (done.kind === 'not-found') return fail('notFound');
    if (done.kind === 'decided-before') return fail('conflict', 'The verification is already decided');
    return data(shownVerification(done.verification, context));
  },
});

export const decisionOperations: readonly Operation[] = [list, decide];
