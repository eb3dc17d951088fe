import { decodeSegment } from '../../kernel/encoding/path-segment.ts';

/** What a client can do with an earlier response (rule I-8). */
export interface StoredEndpoint {
  readonly action: 'read' | 'delete' | 'list-input' | 'cancel';
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
  '/cancel': { POST: 'cancel' },
};

export function matchStored(method: string, pathname: string, query: string): StoredMatch | undefined {
  const match = PATH.exec(pathname);
  if (match === null) return undefined;
  const [, name = '', below = ''] = match;
  const id = decodeSegment(name);
  if (id === undefined) return undefined;
  const actions = STORED_ACTIONS[below] ?? {};
  const action = actions[method];
  if (action === undefined) return { kind: 'method-not-allowed', allow: Object.keys(actions).join(', ') };
  return { kind: 'stored', stored: { action, id, query } };
}
