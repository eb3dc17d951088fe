import { assert } from '../kernel/assert.ts';
import type { Context } from '../platform/endpoint.ts';
import type { Actor } from './contract.ts';

/** What all rows of operators share. */
export const OPERATORS = { surface: 'admin', access: 'operator' } as const;

/** Who is to be written into the audit log. */
export function toActor({ caller, address }: Context, action: string): Actor {
  assert(caller?.role === 'operator', 'the dispatcher lets operators in and nobody else');
  return { accountId: caller.accountId, address, action };
}
