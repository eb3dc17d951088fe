import type { Model } from '../../catalog/contract.ts';
import type { Protocol } from '../../kernel/protocol-name.ts';
import { isOffered } from '../admit/offered.ts';
import { ENDPOINT_ROWS } from './contract.ts';

/** The paths that take the name of the model in their body, by the protocol that a route needs for them. */
const PATHS: ReadonlyMap<Protocol, string> = new Map(
  ENDPOINT_ROWS.flatMap(([, { path, call }]) =>
    call === undefined || call.action !== undefined || call.edit || path.includes('{')
      ? []
      : [[call.protocol, path] as const],
  ).toReversed(),
);

/** The paths at which the model can be called: they tell a chat model from one of embeddings. */
export function endpointsOf(model: Model): readonly string[] {
  return [...PATHS].flatMap(([protocol, path]) => (isServed(model, protocol) ? [path] : [])).sort();
}

/** Any model of Gemini might be asked for images by conversion. Only those with an image price make some. */
function isServed(model: Model, protocol: Protocol): boolean {
  if (protocol !== 'images' || model.prices.imageMicro > 0n) return isOffered(model, [protocol]);
  const routes = model.routes.filter(({ protocols }) => protocols.includes('images'));
  return isOffered({ ...model, routes }, [protocol]);
}
