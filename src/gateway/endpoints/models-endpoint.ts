/** A question about the models on offer (rule I-7): all of them, or one. */
export interface ModelsEndpoint {
  /** `by-client`: OpenAI's, Anthropic's and Google's clients share the path, so the headers tell. */
  readonly style: 'google' | 'by-client';
  /** Nothing: the whole list. */
  readonly modelId: string | undefined;
  /** The query string with its `?`, or nothing. */
  readonly query: string;
}

export type ModelsMatch =
  | { readonly kind: 'models'; readonly models: ModelsEndpoint }
  | { readonly kind: 'method-not-allowed'; readonly allow: string };

const ONLY_READING: ModelsMatch = { kind: 'method-not-allowed', allow: 'GET, HEAD' };
const PATH = /^(\/v1|\/v1beta|\/v1\/v1beta|\/v1alpha)\/models(?:\/(.{1,512}))?$/;

/** Nothing: not a path about models. A POST below a model is an action of Google's that we do not know. */
export function matchModels(method: string, pathname: string, query: string): ModelsMatch | undefined {
  const match = PATH.exec(pathname);
  if (match === null) return undefined;
  const [, prefix, name] = match;
  if (method !== 'GET' && method !== 'HEAD') {
    return method === 'POST' && name !== undefined ? undefined : ONLY_READING;
  }
  const modelId = name === undefined ? undefined : decode(name);
  if (name !== undefined && modelId === undefined) return undefined;
  return { kind: 'models', models: { style: prefix === '/v1' ? 'by-client' : 'google', modelId, query } };
}

/** A model id may hold `/`, written as it is or percent-encoded. */
function decode(name: string): string | undefined {
  try {
    return decodeURIComponent(name);
  } catch {
    return undefined;
  }
}
