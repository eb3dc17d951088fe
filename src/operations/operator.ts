import { assert } from '../kernel/assert.ts';
import type { Context } from './context.ts';
import type { Actor } from './contract.ts';

/** The fields that all rows of operators share. */
export const OPERATORS = { surface: 'admin', access: 'operator' } as const;

/** The actor for the audit log. */
export function toActor({ caller, address }: Context, action: string): Actor {
  assert(caller?.role === 'operator', 'the dispatcher lets in operators only');
  return { accountId: caller.accountId, address, action };
}
