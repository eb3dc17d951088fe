import { assert } from '../../kernel/assert.ts';
import type { AccountChanges } from '../admin-ports.ts';
import type { Context } from '../context.ts';
import { fail } from '../failure.ts';
import { ID } from '../fields.ts';
import type { Operation } from '../operation.ts';
import { OPERATORS } from '../operator.ts';
import { Type } from '../schema.ts';

/**
 * The rows with which an account reads its own logs and statistics, for operators: the same request for the
 * account that the path names. Only rows that read can be used.
 */
export function accountLogOperations(
  rows: readonly Operation[],
  accounts: Pick<AccountChanges, 'find'>,
): readonly Operation[] {
  return rows.map((row) => {
    assert(row.method === 'GET' && row.access === 'user', `${row.name} reads data of an account`);
    return {
      ...row,
      ...OPERATORS,
      // `logs.calls` becomes `accountLogs.calls`.
      name: `account${row.name.charAt(0).toUpperCase()}${row.name.slice(1)}`,
      path: `/accounts/:account_id${row.path}`,
      tag: 'Accounts',
      title: `${row.title.replace(' my ', ' ')} of an account`,
      summary: `${row.summary.replace(/\.$/, '')}, of one account.`,
      params: Type.Object({ account_id: ID, ...row.params?.properties }),
      fails: [...new Set([...(row.fails ?? []), 'notFound' as const])],
      handle: async (input, context) => {
        const accountId = Number((input.params as { account_id: unknown }).account_id);
        if ((await accounts.find(accountId, context.clock.now())) === undefined) return fail('notFound');
        return row.handle(input, onBehalfOf(accountId, context));
      },
    };
  });
}

function onBehalfOf(accountId: number, context: Context): Context {
  assert(context.caller?.role === 'operator', 'the dispatcher lets in operators only');
  return { ...context, caller: { ...context.caller, accountId } };
}
