import { ID, NAME, nullable, SHOWN_AMOUNT, STATUS, TIME } from '../fields.ts';
import { Type } from '../schema.ts';

/** The fields of accounts that operators see. */
export const ROLE = Type.Union([Type.Literal('user'), Type.Literal('operator')]);
export const USER_TYPE = Type.Integer({
  minimum: 0,
  maximum: 2,
  description: '0 unverified, 1 personal, 2 enterprise.',
});
export const EMAIL = Type.String({
  pattern: '^[^\\s@]{1,64}@[^\\s@]{1,189}$',
  maxLength: 254,
  form: 'an e-mail address such as ada@example.com',
});
const VERIFICATION_STATES = ['pending', 'approved', 'refused'] as const;
export const VERIFICATION_STATUS = Type.Union(VERIFICATION_STATES.map((state) => Type.Literal(state)));

export const LISTED_ACCOUNT = Type.Object({
  id: ID,
  email: Type.String(),
  status: STATUS,
  role: ROLE,
  user_type: USER_TYPE,
  credits: SHOWN_AMOUNT,
  balance: SHOWN_AMOUNT,
  month_spent: Type.String({ ...SHOWN_AMOUNT, description: 'Paid for calls in this month, in yuan.' }),
  last_seen_at: nullable(
    Type.String({ ...TIME, description: 'The last use of a key or a login. Null: never.' }),
  ),
  created_at: TIME,
});
export const LISTED_EXAMPLE = {
  id: 12,
  email: 'user@example.com',
  status: 'enabled',
  role: 'user',
  user_type: 1,
  credits: '50000',
  balance: '100',
  month_spent: '3.25',
  last_seen_at: '2026-11-16 18:40:00',
  created_at: '2026-11-15 09:05:00',
};

export const VERIFICATION = Type.Object({
  id: ID,
  account_id: ID,
  email: Type.String(),
  kind: Type.Union([Type.Literal('personal'), Type.Literal('enterprise')]),
  name: Type.String(),
  document_number: Type.String({ description: 'Its last characters. The account has all of it.' }),
  contact: nullable(Type.String()),
  status: VERIFICATION_STATUS,
  reason: nullable(Type.String()),
  granted: SHOWN_AMOUNT,
  created_at: TIME,
  decided_at: nullable(TIME),
});
export const VERIFICATION_EXAMPLE = {
  id: 5,
  account_id: 12,
  email: 'user@example.com',
  kind: 'personal',
  name: 'Ada Lovelace',
  document_number: '…4567',
  contact: null,
  status: 'approved',
  reason: null,
  granted: '1000',
  created_at: '2026-11-15 09:05:00',
  decided_at: '2026-11-15 10:00:00',
};

const SUBSCRIPTION_STATES = ['active', 'upcoming', 'ended', 'cancelled'] as const;
export const SUBSCRIPTION = Type.Object({
  id: ID,
  plan: Type.String(),
  starts_at: TIME,
  ends_at: TIME,
  status: Type.Union(SUBSCRIPTION_STATES.map((state) => Type.Literal(state))),
});
export const SUBSCRIPTION_EXAMPLE = {
  id: 3,
  plan: 'PRO',
  starts_at: '2026-11-15 00:00:00',
  ends_at: '2026-12-15 00:00:00',
  status: 'active',
};

const KEY = Type.Object({
  id: ID,
  name: NAME,
  prefix: Type.String(),
  policy_id: nullable(ID),
  expires_at: nullable(TIME),
  status: STATUS,
  created_at: TIME,
});
const HOSTED = Type.Object({
  id: ID,
  vendor: Type.String(),
  name: Type.String(),
  secret: Type.String({ description: 'The last four characters.' }),
  base_url: nullable(Type.String()),
  status: STATUS,
});

export const ACCOUNT = Type.Object({
  ...LISTED_ACCOUNT.properties,
  user_rate: SHOWN_AMOUNT,
  policy_id: nullable(Type.Integer({ description: 'The limit policy of the account. Null is the default.' })),
  api_billing: Type.Boolean(),
  auto_exchange: Type.Boolean(),
  extra_api_quota: SHOWN_AMOUNT,
  fallback_model: nullable(Type.String()),
  byok_fallback: Type.Boolean(),
  verification: nullable(
    Type.Object({
      ...VERIFICATION.properties,
      document_number: Type.String({ description: 'The whole number, because a decision needs it.' }),
    }),
  ),
  subscriptions: Type.Array(SUBSCRIPTION, { description: 'The latest hundred.' }),
  keys: Type.Array(KEY, { description: 'The latest hundred.' }),
  keys_total: Type.Integer({ minimum: 0 }),
  credentials: Type.Array(HOSTED, { description: 'The BYOK credentials of the account.' }),
});
export const ACCOUNT_EXAMPLE = {
  ...LISTED_EXAMPLE,
  user_rate: '100',
  policy_id: null,
  api_billing: true,
  auto_exchange: false,
  extra_api_quota: '0',
  fallback_model: null,
  byok_fallback: false,
  verification: { ...VERIFICATION_EXAMPLE, document_number: 'X1234567' },
  subscriptions: [SUBSCRIPTION_EXAMPLE],
  keys: [
    {
      id: 4,
      name: 'laptop',
      prefix: 'tg-0a1b2c',
      policy_id: null,
      expires_at: null,
      status: 'enabled',
      created_at: '2026-11-15 09:05:00',
    },
  ],
  keys_total: 1,
  credentials: [
    { id: 9, vendor: 'openai', name: 'mine', secret: '…wxyz', base_url: null, status: 'enabled' },
  ],
};
