import type { Endpoint } from '../../src/platform/endpoint.ts';
import { allEndpoints, type PlatformPorts } from '../../src/platform/table.ts';

/** The whole table, for tests that read it: its ports answer nothing, and no handler is called. */
export function readTable(): readonly Endpoint[] {
  return allEndpoints(nowhere() as PlatformPorts);
}

/** Whatever is asked of it is such a thing again; calling it is a mistake of the test. */
function nowhere(): unknown {
  return new Proxy(() => {}, {
    get: (_target, name) => (typeof name === 'symbol' ? undefined : nowhere()),
    apply: () => {
      throw new Error('a table that is only read calls no port');
    },
  });
}
