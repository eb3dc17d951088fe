import { assert } from '../../kernel/assert.ts';
import { accountExists } from '../../store/operations/operator-accounts.ts';
import type { Context } from '../context.ts';
import { fail } from '../failure.ts';
import { ID } from '../fields.ts';
import type { Operation } from '../operation.ts';
import { OPERATORS } from '../operator.ts';
import { Type } from '../schema.ts';

/**
 * The operations with which an account reads its own logs and statistics, for operators: the same request for
 * the account that the path names. Only operations that read can be used.
 */
export function accountLogOperations(own: readonly Operation[]): readonly Operation[] {
  return own.map((each) => {
    assert(each.method === 'GET' && each.access === 'user', `${each.name} reads data of an account`);
    return {
      ...each,
      ...OPERATORS,
      // `logs.calls` becomes `accountLogs.calls`.
      name: `account${each.name.charAt(0).toUpperCase()}${each.name.slice(1)}`,
      id: `${each.id}OfAccount`,
      path: `/accounts/:account_id${each.path}`,
      tag: 'Accounts',
      title: `${each.title.replace(' my ', ' ')} of an account`,
      summary: `${each.summary} Reads the account that the path names.`,
      params: Type.Object({ account_id: ID, ...each.params?.properties }),
      fails: [...new Set([...(each.fails ?? []), 'notFound' as const])],
      handle: async (input, context) => {
        const accountId = Number((input.params as { account_id: unknown }).account_id);
        if (!(await accountExists(context.database, accountId))) return fail('notFound');
        return each.handle(input, onBehalfOf(accountId, context));
      },
    };
  });
}

function onBehalfOf(accountId: number, context: Context): Context {
  assert(context.caller?.role === 'operator', 'the dispatcher lets in operators only');
  return { ...context, caller: { ...context.caller, accountId } };
}
