import { decodeSegment } from '../../kernel/encoding/path-segment.ts';

/** A request for the list of models, or for one model (rule I-7). */
export interface ModelsEndpoint {
  /** `by-client`: clients of OpenAI, Anthropic and Google share the path, and the headers decide. */
  readonly style: 'google' | 'by-client';
  /** `undefined`: the whole list. */
  readonly modelId: string | undefined;
  /** The query string with its `?`, or empty. */
  readonly query: string;
}

export type ModelsMatch =
  | { readonly kind: 'models'; readonly models: ModelsEndpoint }
  | { readonly kind: 'method-not-allowed'; readonly allow: string };

const ONLY_READING: ModelsMatch = { kind: 'method-not-allowed', allow: 'GET, HEAD' };
const PATH = /^(\/v1|\/v1beta|\/v1\/v1beta|\/v1alpha)\/models(?:\/(.{1,512}))?$/;

/**
 * `undefined`: not a path about models. A POST below a model is an action of Google's that we do not serve.
 */
export function matchModels(method: string, pathname: string, query: string): ModelsMatch | undefined {
  const match = PATH.exec(pathname);
  if (match === null) return undefined;
  const [, prefix, name] = match;
  if (method !== 'GET' && method !== 'HEAD') {
    return method === 'POST' && name !== undefined ? undefined : ONLY_READING;
  }
  const modelId = name === undefined ? undefined : decodeSegment(name);
  if (name !== undefined && modelId === undefined) return undefined;
  return { kind: 'models', models: { style: prefix === '/v1' ? 'by-client' : 'google', modelId, query } };
}
