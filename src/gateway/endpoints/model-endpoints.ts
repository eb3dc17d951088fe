import type { Model } from '../../catalog/contract.ts';
import type { Protocol } from '../../kernel/protocol-name.ts';
import { isOffered } from '../admit/offered.ts';

/** The paths that take the name of the model in their body, with the protocol that a route needs for them. */
const PATHS: readonly (readonly [Protocol, string])[] = [
  ['chat', '/v1/chat/completions'],
  ['responses', '/v1/responses'],
  ['messages', '/v1/messages'],
  ['completions', '/v1/completions'],
  ['embeddings', '/v1/embeddings'],
  ['images', '/v1/images/generations'],
  ['videos', '/v1/videos'],
  ['speech', '/v1/audio/speech'],
  ['transcriptions', '/v1/audio/transcriptions'],
  ['moderations', '/v1/moderations'],
  ['rerank', '/v1/rerank'],
];

/** The paths at which the model can be called: they tell a chat model from one of embeddings. */
export function endpointsOf(model: Model): readonly string[] {
  return PATHS.filter(([protocol]) => isServed(model, protocol)).map(([, path]) => path);
}

/** Any model of Gemini might be asked for images by conversion. Only those with an image price make some. */
function isServed(model: Model, protocol: Protocol): boolean {
  if (protocol !== 'images' || model.prices.imageMicro > 0n) return isOffered(model, [protocol]);
  const routes = model.routes.filter(({ protocols }) => protocols.includes('images'));
  return isOffered({ ...model, routes }, [protocol]);
}
