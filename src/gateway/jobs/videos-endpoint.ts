import { decodeSegment } from '../../kernel/encoding/path-segment.ts';

/** What a client can do with its videos. A new one is a call. */
export interface VideosEndpoint {
  /** `unserved`: the vendor has this action, but we do not serve it. */
  readonly action: 'list' | 'read' | 'content' | 'delete' | 'unserved';
  /** Empty for the list. */
  readonly id: string;
  readonly query: string;
}

export type VideosMatch =
  | { readonly kind: 'videos'; readonly videos: VideosEndpoint }
  | { readonly kind: 'method-not-allowed'; readonly allow: string };

type Actions = Readonly<Record<string, VideosEndpoint['action']>>;

/** Where videos are created, with POST, and listed. */
export const VIDEOS_PATH = '/v1/videos';
const PATH = /^\/v1\/videos\/([^/]{1,1024})(\/content|\/remix)?$/;
const CHARACTER = /^\/v1\/videos\/characters\/[^/]{1,1024}$/;

export const VIDEO_ACTIONS: Readonly<Record<string, Actions>> = {
  '': { GET: 'read', DELETE: 'delete' },
  '/content': { GET: 'content' },
  '/remix': { POST: 'unserved' },
};
const UNSERVED: Actions = { POST: 'unserved' };
/** Actions at the place of an id. */
const NAMED: ReadonlySet<string> = new Set(['edits', 'extensions', 'characters']);

export function matchVideos(method: string, pathname: string, query: string): VideosMatch | undefined {
  if (pathname === VIDEOS_PATH) {
    if (method !== 'GET') return { kind: 'method-not-allowed', allow: 'POST, GET' };
    return { kind: 'videos', videos: { action: 'list', id: '', query } };
  }
  if (CHARACTER.test(pathname)) return { kind: 'videos', videos: { action: 'unserved', id: '', query } };
  const match = PATH.exec(pathname);
  if (match === null) return undefined;
  const [, name = '', below = ''] = match;
  const id = decodeSegment(name);
  if (id === undefined) return undefined;
  const actions = NAMED.has(id) && below === '' ? UNSERVED : (VIDEO_ACTIONS[below] ?? {});
  const action = actions[method];
  if (action === undefined) return { kind: 'method-not-allowed', allow: Object.keys(actions).join(', ') };
  return { kind: 'videos', videos: { action, id, query } };
}
