import type { Preference } from '../../accounts/contract.ts';
import { MODEL_NAME_LENGTH_MAX } from '../../bounds.ts';
import type { Context } from '../context.ts';
import { ownAccount } from '../context.ts';
import { fail } from '../failure.ts';
import { nullable } from '../fields.ts';
import { type Answer, data, type Operation, operation } from '../operation.ts';
import { Type } from '../schema.ts';
import { type AccountNeeds, changeAccount } from './own-account.ts';

type Needs = Pick<AccountNeeds, 'accounts' | 'deps'>;

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

export function preferenceOperations(needs: Needs): readonly Operation[] {
  return [read(needs), change(needs)];
}

function read({ accounts }: Needs): Operation {
  return operation({
    ...GROUP,
    name: 'preference.get',
    method: 'GET',
    title: 'Get my preferences',
    summary: 'The preferences of the account.',
    data: Type.Object(FIELDS),
    example: { data: EXAMPLE },
    handle: (_input, context) => tell(accounts, context),
  });
}

async function tell(accounts: Needs['accounts'], context: Context): Promise<Answer> {
  const account = await accounts.find(ownAccount(context));
  return account === undefined ? fail('notFound') : data(shown(account.preference));
}

function change(needs: Needs): Operation {
  return operation({
    ...GROUP,
    name: 'preference.set',
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
        const model = needs.deps.catalog().models.get(fallbackModel);
        if (model?.status !== 'enabled') {
          return fail('badParameter', 'fallback_model is not a model of the platform');
        }
      }
      const isThere = await changeAccount(needs, context, {
        ...(fallbackModel !== undefined && { fallbackModel }),
        ...(byokFallback !== undefined && { byokFallback }),
      });
      return isThere ? tell(needs.accounts, context) : fail('notFound');
    },
  });
}

function shown({ fallbackModel, byokFallback }: Preference): Record<keyof typeof FIELDS, unknown> {
  return { fallback_model: fallbackModel, byok_fallback: byokFallback };
}
