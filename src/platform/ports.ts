import type { CatalogSnapshot } from '../catalog/contract.ts';
import { assert } from '../kernel/assert.ts';
import type { Context } from './endpoint.ts';
import type { Times } from './fields.ts';

/** What the groups of an account's own endpoints stand on, besides a port of their own. */
export interface AccountEndpointDeps extends Times {
  catalog(): CatalogSnapshot;
  /** Returns when every node decides with what was written so far, or after a bounded wait. */
  inForce(): Promise<void>;
}

/** The dispatcher lets nobody else in: this row's access is `user` or `operator`. */
export function ownAccount({ caller }: Context): number {
  assert(caller !== undefined, 'whoever gets here is logged in');
  return caller.accountId;
}
