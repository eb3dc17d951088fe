/** What a client can do with an earlier response (rule I-8). */
export interface StoredEndpoint {
  /** `unserved`: the vendor has this action, but we do not serve it. */
  readonly action: 'read' | 'delete' | 'list-input' | 'unserved';
  readonly id: string;
  readonly query: string;
}

export type StoredMatch =
  | { readonly kind: 'stored'; readonly stored: StoredEndpoint }
  | { readonly kind: 'method-not-allowed'; readonly allow: string };

const PATH = /^\/v1\/responses\/([^/]{1,512})(\/input_items|\/cancel)?$/;

export const STORED_ACTIONS: Readonly<Record<string, Readonly<Record<string, StoredEndpoint['action']>>>> = {
  '': { GET: 'read', DELETE: 'delete' },
  '/input_items': { GET: 'list-input' },
  '/cancel': { POST: 'unserved' },
  compact: { POST: 'unserved' },
};

export function matchStored(method: string, pathname: string, query: string): StoredMatch | undefined {
  const match = PATH.exec(pathname);
  if (match === null) return undefined;
  const [, name = '', below = ''] = match;
  const id = decode(name);
  if (id === undefined) return undefined;
  // `compact` is the only action at the place of an id.
  const actions = STORED_ACTIONS[id === 'compact' && below === '' ? id : below] ?? {};
  const action = actions[method];
  if (action === undefined) return { kind: 'method-not-allowed', allow: Object.keys(actions).join(', ') };
  return { kind: 'stored', stored: { action, id, query } };
}

function decode(name: string): string | undefined {
  try {
    return decodeURIComponent(name);
  } catch {
    return undefined;
  }
}
