import { CLOUD_KINDS } from '../../../src/catalog/contract.ts';
import { FIXED, MODEL_ACTION, matchEndpoint } from '../../../src/gateway/endpoints/endpoints.ts';

/** Everything that serves calls: the gateway's paths and actions, from its own tables, and the clouds. */
export function everyEndpoint(): readonly string[] {
  const [, actions = ''] = /\(([\w|]+)\)\$$/.exec(MODEL_ACTION.source) ?? [];
  const calls = actions
    .split('|')
    .filter((action) => matchEndpoint('POST', `/v1beta/models/m:${action}`).kind === 'endpoint');
  return [...FIXED.keys(), ...calls.map((action) => `:${action}`), ...CLOUD_KINDS];
}

/** What the gateway serves and nobody went through. A proof ends by expecting that there is nothing. */
export function missingOf(names: Iterable<string>): readonly string[] {
  const known = new Set(names);
  return everyEndpoint().filter((name) => !known.has(name));
}
