import type { CatalogSnapshot } from '../catalog/contract.ts';
import { assert } from '../kernel/assert.ts';
import type { Context } from './endpoint.ts';
import type { Times } from './fields.ts';

/** What the endpoints of an account need besides their own port. */
export interface AccountEndpointDeps extends Times {
  catalog(): CatalogSnapshot;
  /** Returns when every node has what was written so far, or after a bounded wait. */
  inForce(): Promise<void>;
}

/** The dispatcher lets in logged-in callers only: the access of this row is `user` or `operator`. */
export function ownAccount({ caller }: Context): number {
  assert(caller !== undefined, 'the caller is logged in');
  return caller.accountId;
}
