import { CLOUD_KINDS } from '../../../src/catalog/contract.ts';
import { ENDPOINT_ROWS } from '../../../src/gateway/endpoints/contract.ts';

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

/** Everything that serves calls: the gateway's paths, Google's actions, and the clouds. */
export function everyEndpoint(): readonly string[] {
  const paths = ENDPOINT_ROWS.flatMap(([, { path, call }]) => (call === undefined ? [] : [path]));
  const names = paths.map((path) => path.replace(/^.*\{model\}/, ''));
  return [...names.filter((name) => !(name in PROVED_APART)), ...CLOUD_KINDS];
}

/** What the gateway serves and nobody went through. A proof ends by expecting that there is nothing. */
export function missingOf(names: Iterable<string>): readonly string[] {
  const known = new Set(names);
  return everyEndpoint().filter((name) => !known.has(name));
}
