import { CLOUD_KINDS } from '../../../src/catalog/contract.ts';
import { FIXED, MODEL_ACTION, matchEndpoint } from '../../../src/gateway/endpoints/endpoints.ts';

/** What ends after its answer is proved apart. */
export const PROVED_APART: Readonly<Record<string, readonly string[]>> = {
  '/v1/videos': [
    'test/gateway/endpoints/videos.test.ts',
    'test/gateway/endpoints/videos-charge.test.ts',
    'test/crash/jobs.test.ts',
    'src/store/ledger/job-ends.test.ts',
  ],
  '/v1/batches': [
    'test/gateway/batches/batches.test.ts',
    'test/gateway/batches/limits.test.ts',
    'test/gateway/batches/nodes.test.ts',
    'test/gateway/batches/strange.test.ts',
    'test/crash/batches.test.ts',
  ],
  '/v1/messages/batches': [
    'test/gateway/batches/message-batches.test.ts',
    'test/gateway/batches/limits.test.ts',
    'test/gateway/batches/nodes.test.ts',
    'test/gateway/batches/strange.test.ts',
    'test/crash/batches.test.ts',
  ],
};

/** Everything that serves calls: the gateway's paths and actions, from its own tables, and the clouds. */
export function everyEndpoint(): readonly string[] {
  const [, actions = ''] = /\(([\w|]+)\)\$$/.exec(MODEL_ACTION.source) ?? [];
  const calls = actions
    .split('|')
    .filter((action) => matchEndpoint('POST', `/v1beta/models/m:${action}`).kind === 'endpoint');
  const fixed = [...FIXED.keys()].filter((path) => !(path in PROVED_APART));
  return [...fixed, ...calls.map((action) => `:${action}`), ...CLOUD_KINDS];
}

/** What the gateway serves and nobody went through. A proof ends by expecting that there is nothing. */
export function missingOf(names: Iterable<string>): readonly string[] {
  const known = new Set(names);
  return everyEndpoint().filter((name) => !known.has(name));
}
