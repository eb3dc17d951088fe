import { decodeSegment } from '../../kernel/encoding/path-segment.ts';

/** What a client can do with its files, and with its batches in the form of OpenAI. A new batch is a call. */
export interface BatchesEndpoint {
  readonly of: 'files' | 'batches';
  readonly action: 'create' | 'list' | 'read' | 'delete' | 'cancel' | 'content';
  /** Empty for all of them. */
  readonly id: string;
  readonly query: string;
}

export type BatchesMatch =
  | { readonly kind: 'batches'; readonly batches: BatchesEndpoint }
  | { readonly kind: 'method-not-allowed'; readonly allow: string };

type Actions = Readonly<Record<string, BatchesEndpoint['action']>>;

export const FILES_PATH = '/v1/files';
/** Where batches are created, with POST, and listed. */
export const BATCHES_PATH = '/v1/batches';
const PATH = /^\/v1\/(files|batches)(?:\/([^/]{1,1024})(\/[a-z]{1,16})?)?$/;

/** By the part of the path that follows its name, and the id in it. */
export const FILE_ACTIONS: Readonly<Record<string, Actions>> = {
  '': { POST: 'create', GET: 'list' },
  '/': { GET: 'read', DELETE: 'delete' },
  '/content': { GET: 'content' },
};
export const BATCH_ACTIONS: Readonly<Record<string, Actions>> = {
  '': { GET: 'list' },
  '/': { GET: 'read' },
  '/cancel': { POST: 'cancel' },
};

export function matchBatches(method: string, pathname: string, query: string): BatchesMatch | undefined {
  const match = PATH.exec(pathname);
  if (match === null) return undefined;
  const [, of, name, below] = match;
  const id = name === undefined ? '' : decodeSegment(name);
  const actions = (of === 'files' ? FILE_ACTIONS : BATCH_ACTIONS)[name === undefined ? '' : (below ?? '/')];
  if (id === undefined || actions === undefined) return undefined;
  const action = actions[method];
  if (action === undefined) {
    const posts = pathname === BATCHES_PATH ? ['POST'] : [];
    return { kind: 'method-not-allowed', allow: [...posts, ...Object.keys(actions)].join(', ') };
  }
  return { kind: 'batches', batches: { of: of === 'files' ? 'files' : 'batches', action, id, query } };
}
