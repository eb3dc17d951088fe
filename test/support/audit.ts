import { newSealer } from '../../src/kernel/encoding/seal.ts';
import { silentLogger } from '../../src/kernel/log.ts';
import { systemRandom } from '../../src/kernel/random.ts';
import { systemClock } from '../../src/kernel/time/clock.ts';
import type { Database } from '../../src/store/database.ts';
import type { AuditContext } from '../../src/store/operations/audit.ts';

/** What writes by operators need, with a key of its own for secrets. */
export function auditContext(database: Database): AuditContext {
  const sealer = newSealer(['1'.repeat(64)], systemRandom);
  return { database, sealer, clock: systemClock, log: silentLogger };
}

export const ACTOR = { accountId: undefined, address: 'test', action: 'test' };
