import { assert } from '../kernel/assert.ts';
import type { Actor } from '../store/operations/audit.ts';
import type { Context } from './context.ts';
import type { Operation } from './operation.ts';

/** The fields that all operations of operators share. */
export const OPERATORS = { surface: 'admin', access: 'operator' } as const;

/** The actor of an operation for the audit log. */
export function toActor(context: Context, { name }: Pick<Operation, 'name'>): Actor {
  const { actor, caller, address } = context;
  if (actor !== undefined) return actor;
  assert(caller?.role === 'operator', 'the dispatcher lets in operators only');
  return { accountId: caller.accountId, address, action: name };
}
