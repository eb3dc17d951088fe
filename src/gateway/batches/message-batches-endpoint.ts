import { decodeSegment } from '../../kernel/encoding/path-segment.ts';

/** What a client can do with its batches of Messages. A new one is a call. */
export interface MessageBatchesEndpoint {
  readonly action: 'list' | 'read' | 'delete' | 'cancel' | 'results';
  /** Empty for the list. */
  readonly id: string;
  readonly query: string;
}

export type MessageBatchesMatch =
  | { readonly kind: 'message-batches'; readonly batches: MessageBatchesEndpoint }
  | { readonly kind: 'method-not-allowed'; readonly allow: string };

type Actions = Readonly<Record<string, MessageBatchesEndpoint['action']>>;

/** Where batches are created, with POST, and listed. */
export const MESSAGE_BATCHES_PATH = '/v1/messages/batches';
const PATH = /^\/v1\/messages\/batches\/([^/]{1,1024})(\/cancel|\/results)?$/;

export const MESSAGE_BATCH_ACTIONS: Readonly<Record<string, Actions>> = {
  '': { GET: 'read', DELETE: 'delete' },
  '/cancel': { POST: 'cancel' },
  '/results': { GET: 'results' },
};

export function matchMessageBatches(
  method: string,
  pathname: string,
  query: string,
): MessageBatchesMatch | undefined {
  if (pathname === MESSAGE_BATCHES_PATH) {
    if (method !== 'GET') return { kind: 'method-not-allowed', allow: 'POST, GET' };
    return { kind: 'message-batches', batches: { action: 'list', id: '', query } };
  }
  const match = PATH.exec(pathname);
  if (match === null) return undefined;
  const [, name = '', below = ''] = match;
  const id = decodeSegment(name);
  if (id === undefined) return undefined;
  const actions = MESSAGE_BATCH_ACTIONS[below] ?? {};
  const action = actions[method];
  if (action === undefined) return { kind: 'method-not-allowed', allow: Object.keys(actions).join(', ') };
  return { kind: 'message-batches', batches: { action, id, query } };
}
