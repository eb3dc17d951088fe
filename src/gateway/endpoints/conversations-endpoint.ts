import { decodeSegment } from '../../kernel/encoding/path-segment.ts';

/** What a client can do with a conversation of its own, and with its items. */
export interface ConversationEndpoint {
  readonly action:
    | 'create'
    | 'read'
    | 'update'
    | 'delete'
    | 'add-items'
    | 'list-items'
    | 'read-item'
    | 'delete-item';
  readonly id: string;
  readonly itemId: string;
  readonly query: string;
}

export type ConversationMatch =
  | { readonly kind: 'conversation'; readonly conversation: ConversationEndpoint }
  | { readonly kind: 'method-not-allowed'; readonly allow: string };

const PATH = /^\/v1\/conversations(?:\/([^/]{1,512})(\/items(?:\/([^/]{1,512}))?)?)?$/;

/** By the form of the path. */
export const CONVERSATION_ACTIONS: Readonly<
  Record<string, Readonly<Record<string, ConversationEndpoint['action']>>>
> = {
  '': { POST: 'create' },
  '/{id}': { GET: 'read', POST: 'update', DELETE: 'delete' },
  '/{id}/items': { GET: 'list-items', POST: 'add-items' },
  '/{id}/items/{item}': { GET: 'read-item', DELETE: 'delete-item' },
};

export function matchConversation(
  method: string,
  pathname: string,
  query: string,
): ConversationMatch | undefined {
  const match = PATH.exec(pathname);
  if (match === null) return undefined;
  const [, id, below, item] = match;
  const form = item !== undefined ? '/{id}/items/{item}' : below !== undefined ? '/{id}/items' : '/{id}';
  const actions = CONVERSATION_ACTIONS[id === undefined ? '' : form] ?? {};
  const action = actions[method];
  if (action === undefined) return { kind: 'method-not-allowed', allow: Object.keys(actions).join(', ') };
  const [known, knownItem] = [decodeSegment(id ?? ''), decodeSegment(item ?? '')];
  if (known === undefined || knownItem === undefined) return undefined;
  return { kind: 'conversation', conversation: { action, id: known, itemId: knownItem, query } };
}
