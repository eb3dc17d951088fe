import type { Preference } from '../../accounts/contract.ts';
import { MODEL_NAME_LENGTH_MAX } from '../../bounds.ts';
import { findAccountView } from '../../store/accounts/account-view.ts';
import { type Context, ownAccount } from '../context.ts';
import { fail } from '../failure.ts';
import { nullable } from '../fields.ts';
import { type Answer, data, type Operation, operation } from '../operation.ts';
import { Type } from '../schema.ts';
import { changeAccount } from './own-account.ts';

const FIELDS = {
  fallback_model: nullable(
    Type.String({
      minLength: 1,
      maxLength: MODEL_NAME_LENGTH_MAX,
      description: 'A `model_id` of the platform.',
    }),
  ),
  byok_fallback: Type.Boolean({
    description: 'Whether platform routes serve, and are charged, when the BYOK credentials fail.',
  }),
};
const EXAMPLE = { fallback_model: 'gpt-5', byok_fallback: false };
const GROUP = { surface: 'user', access: 'user', tag: 'Account', path: '/preference' } as const;

const read = operation({
  ...GROUP,
  name: 'preference.get',
  id: 'getPreferences',
  method: 'GET',
  title: 'Get my preferences',
  summary: 'The preferences of the account.',
  data: Type.Object(FIELDS),
  example: { data: EXAMPLE },
  handle: (_input, context) => tell(context),
});

async function tell(context: Context): Promise<Answer> {
  const account = await findAccountView(context.database, ownAccount(context));
  return account === undefined ? fail('notFound') : data(shown(account.preference));
}

const change = operation({
  ...GROUP,
  name: 'preference.set',
  id: 'setPreferences',
  method: 'PUT',
  title: 'Set my preferences',
  summary: 'Set preferences. Absent fields stay as they are.',
  body: Type.Object({
    fallback_model: Type.Optional(FIELDS.fallback_model),
    byok_fallback: Type.Optional(FIELDS.byok_fallback),
  }),
  data: Type.Object(FIELDS),
  example: { body: EXAMPLE, data: EXAMPLE },
  handle: async ({ body: { fallback_model: fallbackModel, byok_fallback: byokFallback } }, context) => {
    if (typeof fallbackModel === 'string') {
      const model = context.catalog().models.get(fallbackModel);
      if (model?.status !== 'enabled') {
        return fail('badParameter', 'fallback_model is not a model of the platform');
      }
    }
    const isThere = await changeAccount(context, {
      ...(fallbackModel !== undefined && { fallbackModel }),
      ...(byokFallback !== undefined && { byokFallback }),
    });
    return isThere ? tell(context) : fail('notFound');
  },
});

function shown({ fallbackModel, byokFallback }: Preference): Record<keyof typeof FIELDS, unknown> {
  return { fallback_model: fallbackModel, byok_fallback: byokFallback };
}

export const preferenceOperations: readonly Operation[] = [read, change];
