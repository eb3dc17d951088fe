import { getBatchDialect } from '../../protocol/batches/dialect.ts';
import type { Dialect } from '../../protocol/dialect.ts';
import { getDialect } from '../../protocol/registry.ts';
import type { Endpoint } from '../endpoints/find.ts';

/** The dialect of a call: that of its protocol, or of a batch whose items speak it. */
export function callDialect({ protocol, action }: Pick<Endpoint, 'protocol' | 'action'>): Dialect {
  return action === 'batch' ? getBatchDialect(protocol) : getDialect(protocol);
}
