import { maskDocument } from '../../kernel/encoding/mask.ts';
import {
  findVerification,
  submitVerification,
  type Verification,
} from '../../store/accounts/verifications.ts';
import { type Context, ownAccount } from '../context.ts';
import { fail } from '../failure.ts';
import { ID, NAME, nullable, TIME } from '../fields.ts';
import { data, type Operation, operation } from '../operation.ts';
import { Type } from '../schema.ts';

const KIND = Type.Union([Type.Literal('personal'), Type.Literal('enterprise')]);
const STATE = Type.Object({
  id: ID,
  kind: KIND,
  name: NAME,
  document_number: Type.String({ description: 'The last four characters.' }),
  contact: nullable(Type.String()),
  status: Type.Union([Type.Literal('pending'), Type.Literal('approved'), Type.Literal('refused')]),
  reason: nullable(Type.String()),
  created_at: TIME,
  decided_at: nullable(TIME),
});
const EXAMPLE = {
  id: 5,
  kind: 'personal',
  name: 'Ada Lovelace',
  document_number: '…4567',
  contact: null,
  status: 'pending',
  reason: null,
  created_at: '2026-11-15 09:05:00',
  decided_at: null,
};

const GROUP = { surface: 'user', access: 'user', tag: 'Verification', path: '/verification' } as const;

const submit = operation({
  ...GROUP,
  name: 'verification.submit',
  id: 'submitVerification',
  method: 'POST',
  title: 'Submit a verification',
  summary: 'Submit a personal or enterprise verification. An operator decides.',
  body: Type.Object({
    kind: KIND,
    name: NAME,
    document_number: Type.String({
      pattern: '^[0-9A-Za-z-]{6,64}$',
      maxLength: 64,
      form: 'a number of 6 to 64 digits, letters and hyphens',
      description: 'The number of the identity card, passport or business licence.',
    }),
    contact: Type.Optional(nullable(NAME)),
  }),
  data: STATE,
  fails: ['conflict'],
  example: {
    body: { kind: 'personal', name: 'Ada Lovelace', document_number: 'X1234567' },
    data: EXAMPLE,
  },
  handle: async ({ body: { kind, name, document_number: documentNumber, contact } }, context) => {
    const fields = { name, documentNumber, contact: contact ?? undefined };
    const { database, sealer } = context;
    const done = await submitVerification(database, { accountId: ownAccount(context), kind }, fields, sealer);
    if (done.kind !== 'submitted') return REFUSALS[done.kind];
    return data(shown(done.verification, context));
  },
});

const REFUSALS = {
  pending: fail('conflict', 'A verification is already pending'),
  verified: fail('conflict', 'The account is already verified at this level'),
  'unknown-account': fail('notFound'),
} as const;

const state = operation({
  ...GROUP,
  name: 'verification.get',
  id: 'getVerification',
  method: 'GET',
  title: 'Get my verification',
  summary: 'The latest verification of the account and its state. Null if there is none.',
  data: Type.Object({ verification: nullable(STATE) }),
  example: { data: { verification: EXAMPLE } },
  handle: async (_input, context) => {
    const found = await findVerification(context.database, ownAccount(context), context.sealer);
    return data({ verification: found === undefined ? null : shown(found, context) });
  },
});

function shown(verification: Verification, { showTime }: Context): Record<keyof typeof EXAMPLE, unknown> {
  const { id, kind, fields, status, reason, createdAtMs, decidedAtMs } = verification;
  return {
    id,
    kind,
    name: fields.name,
    // Only the last four characters, so that nobody else can read the number from a screen.
    document_number: maskDocument(fields.documentNumber),
    contact: fields.contact ?? null,
    status,
    reason: reason ?? null,
    created_at: showTime(createdAtMs),
    decided_at: decidedAtMs === undefined ? null : showTime(decidedAtMs),
  };
}

/** Rule I-73: an account submits its identity, an operator decides. */
export const verificationOperations: readonly Operation[] = [submit, state];
