import { decodeSegment } from '../../kernel/encoding/path-segment.ts';
import type { Protocol } from '../../kernel/protocol-name.ts';
import type { RawRequest } from '../../protocol/dialect.ts';
import type { CountProtocol } from '../../protocol/pass-through/count.ts';
import { ENDPOINT_ROWS, type EndpointId, type ObjectId } from './contract.ts';
import type { EndpointRow } from './row.ts';

/**
 * What a path of the gateway is, found once (rule I-9). Later decisions use what was found and never parse
 * the path again.
 */
export interface Endpoint {
  readonly protocol: Protocol;
  /** generateContent has its model and its streaming in the path. */
  readonly path: RawRequest['path'];
  /** Image edits go to the vendor's edits path, whatever the body contains. */
  readonly edit: boolean;
  /** The vendor has a path of its own for this. */
  readonly action?: 'variation' | 'translation' | 'compact' | 'batch';
  /**
   * The query for a vendor of the same protocol, without its `?`. It is built from known parameters only, so
   * that no other parameter can change what the vendor does (Google: `fields`, `alt`, `callback`,
   * `$httpMethod`, `key`).
   */
  readonly query: string;
}

/** Counts the tokens of a request: it has the form of a call, but it is not one. */
export interface CountEndpoint extends Endpoint {
  readonly protocol: CountProtocol;
}

/** An endpoint about what an account has. */
export interface FoundObject {
  readonly id: ObjectId;
  /** Decoded. */
  readonly params: Readonly<Record<string, string>>;
  /** The query string with its `?`, or empty. */
  readonly query: string;
}

export type Found =
  | { readonly kind: 'call'; readonly endpoint: Endpoint }
  | { readonly kind: 'count'; readonly endpoint: CountEndpoint }
  | { readonly kind: 'object'; readonly asked: FoundObject }
  | { readonly kind: 'method-not-allowed'; readonly allow: string }
  | { readonly kind: 'no-endpoint' };

/** Rows of one path by their method, and the answer to any other method. */
interface Place {
  readonly parts: readonly string[];
  readonly rows: ReadonlyMap<string, readonly [EndpointId, EndpointRow]>;
  readonly notAllowed: Found;
}

/** What was found at a path without parameters, for each method: made once, and shared by all requests. */
type Fixed = ReadonlyMap<string, Found>;

/** A model id may contain `/`. The action follows the last colon, which may arrive as `%3A`. */
const MODEL_ACTION = /^(.{1,512}):([A-Za-z]+)$/;
const PARAM_CHARS_MAX = 1_024;
const MODEL_CHARS_MAX = 512;

const NO_ENDPOINT: Found = { kind: 'no-endpoint' };
const ONLY_POST: Found = { kind: 'method-not-allowed', allow: 'POST' };

/** Asks Google for server-sent events. */
const EVENTS = 'alt=sse';
/** Claude Code and Anthropic's older SDKs send it with calls that use beta features. */
const BETA = 'beta=true';

const { fixed, open, byModel, actions, actionBases } = compile();
/** Calls of Messages with `beta=true`, by the path. */
const withBeta: ReadonlyMap<string, Found> = new Map(
  [...fixed].flatMap(([path, methods]) => {
    const found = methods.get('POST');
    const isCall = found?.kind === 'call' || found?.kind === 'count';
    if (!isCall || found.endpoint.protocol !== 'messages') return [];
    return [[path, { ...found, endpoint: { ...found.endpoint, query: BETA } } as Found]];
  }),
);

/** One look-up for the paths of calls; then Google's actions, and the paths with ids. */
export function findEndpoint(method: string, url: string): Found {
  const queryAt = url.indexOf('?');
  const pathname = queryAt === -1 ? url : url.slice(0, queryAt);
  const query = queryAt === -1 ? '' : url.slice(queryAt);
  const methods = fixed.get(pathname);
  if (methods !== undefined) {
    const found = methods.get(method) ?? methods.get('') ?? NO_ENDPOINT;
    if (query === '') return found;
    if (found.kind === 'object') return { kind: 'object', asked: { ...found.asked, query } };
    const isBeta = method === 'POST' && withBeta.has(pathname) && hasBeta(query);
    return isBeta ? (withBeta.get(pathname) ?? found) : found;
  }
  return (
    findAction(method, pathname, query) ??
    findModel(method, pathname, query) ??
    findOpen(method, pathname, query)
  );
}

function hasBeta(query: string): boolean {
  return query === `?${BETA}` || new URLSearchParams(query).get('beta') === 'true';
}

/** Google's form: the model in the path, and what to do with it behind a colon. */
function findAction(method: string, pathname: string, query: string): Found | undefined {
  const base = actionBases.find((one) => pathname.startsWith(one));
  if (base === undefined) return undefined;
  const rest = decodeSegment(pathname.slice(base.length));
  const match = rest === undefined ? null : MODEL_ACTION.exec(rest);
  const row = match === null ? undefined : actions.get(match[2] ?? '');
  if (row === undefined || match === null) return undefined;
  if (method !== 'POST') return ONLY_POST;
  const [, { call, counts }] = row;
  const [, model = '', action] = match;
  const asked = new URLSearchParams(query);
  const framing = (asked.get('alt') ?? asked.get('$alt')) === 'sse' ? 'sse' : 'json-array';
  if (counts === 'gemini') {
    const path = { model, stream: false, framing } as const;
    return { kind: 'count', endpoint: { protocol: counts, path, edit: false, query: '' } };
  }
  const protocol = call?.protocol ?? 'gemini';
  const stream = action === 'streamGenerateContent';
  const path =
    protocol === 'gemini'
      ? { model, stream, framing: framing as 'sse' | 'json-array' }
      : { model, stream: false, framing: 'sse' as const, ...(action === 'batchEmbedContents' && BATCH) };
  const isEvents = protocol === 'gemini' && stream && framing === 'sse';
  return {
    kind: 'call',
    endpoint: { protocol, path, edit: false, query: isEvents ? EVENTS : '' },
  };
}

const BATCH = { batch: true as const };

/** A path that ends with the id of a model. Below it a POST is an action of Google's that we do not serve. */
function findModel(method: string, pathname: string, query: string): Found | undefined {
  const place = byModel.find(({ base }) => pathname.startsWith(base));
  if (place === undefined) return undefined;
  const name = pathname.slice(place.base.length);
  const model = name === '' || name.length > MODEL_CHARS_MAX ? undefined : decodeSegment(name);
  if (model === undefined || method === 'POST') return NO_ENDPOINT;
  const row = place.rows.get(method);
  if (row === undefined) return place.notAllowed;
  return { kind: 'object', asked: { id: row[0] as ObjectId, params: { model }, query } };
}

function findOpen(method: string, pathname: string, query: string): Found {
  const given = pathname.split('/');
  const place = open.find(({ parts }) => fits(parts, given));
  if (place === undefined) return NO_ENDPOINT;
  const params = readParams(place.parts, given);
  if (params === undefined) return NO_ENDPOINT;
  const row = place.rows.get(method);
  if (row === undefined) return place.notAllowed;
  return { kind: 'object', asked: { id: row[0] as ObjectId, params, query } };
}

const isParam = (part: string): boolean => part.startsWith('{');

function fits(parts: readonly string[], given: readonly string[]): boolean {
  if (parts.length !== given.length) return false;
  return parts.every((part, at) => {
    const own = given[at] ?? '';
    return isParam(part) ? own !== '' && own.length <= PARAM_CHARS_MAX : part === own;
  });
}

/** Undefined if one of them is not percent-encoded. */
function readParams(
  parts: readonly string[],
  given: readonly string[],
): Readonly<Record<string, string>> | undefined {
  const params: Record<string, string> = {};
  for (const [at, part] of parts.entries()) {
    if (!isParam(part)) continue;
    const value = decodeSegment(given[at] ?? '');
    if (value === undefined) return undefined;
    params[part.slice(1, -1)] = value;
  }
  return params;
}

type Rows = (readonly [EndpointId, EndpointRow])[];

function compile() {
  const byPath = new Map<string, Rows>();
  const actions = new Map<string, readonly [EndpointId, EndpointRow]>();
  const actionBases = new Set<string>();
  for (const [id, row] of ENDPOINT_ROWS) {
    const [base = '', action] = row.path.split('/{model}:');
    for (const path of [row.path, ...beginnings(row)]) {
      if (action === undefined) byPath.set(path, [...(byPath.get(path) ?? []), [id, row]]);
    }
    if (action === undefined) continue;
    actions.set(action, [id, row]);
    for (const below of [base, ...(row.alsoBelow ?? [])]) actionBases.add(`${below}/`);
  }
  const places = [...byPath].map(([path, rows]) => ({ path, ...placeOf(path, rows) }));
  return {
    actions,
    actionBases: [...actionBases],
    fixed: new Map(
      places.filter(({ path }) => !path.includes('{')).map(({ path, ...place }) => [path, foundAt(place)]),
    ),
    byModel: places
      .filter(({ path }) => path.endsWith('/{model}'))
      .map(({ path, ...place }) => ({ base: path.slice(0, -'{model}'.length), ...place })),
    open: places.filter(({ path }) => path.includes('{') && !path.endsWith('/{model}')),
  };
}

/** The same path with other beginnings. */
function beginnings({ path, alsoBelow = [] }: EndpointRow): readonly string[] {
  return alsoBelow.map((below) => path.replace('/v1beta/models', below));
}

function placeOf(path: string, own: Rows): Place {
  const rows = new Map<string, readonly [EndpointId, EndpointRow]>();
  for (const each of own) {
    rows.set(each[1].method, each);
    if (each[1].alsoHead) rows.set('HEAD', each);
  }
  const notAllowed = { kind: 'method-not-allowed', allow: [...rows.keys()].join(', ') } as const;
  return { parts: path.split('/'), rows, notAllowed };
}

/** Under the empty method: the answer to any other. */
function foundAt({ rows, notAllowed }: Place): Fixed {
  const found = [...rows].map(([method, [id, row]]) => [method, toFound(id, row)] as const);
  return new Map([...found, ['', notAllowed]]);
}

function toFound(id: EndpointId, { call, counts }: EndpointRow): Found {
  if (call !== undefined) {
    const { protocol, edit = false, action } = call;
    const endpoint = { protocol, path: undefined, edit, query: '' };
    return { kind: 'call', endpoint: action === undefined ? endpoint : { ...endpoint, action } };
  }
  if (counts !== undefined) {
    const endpoint = { protocol: counts, path: undefined, edit: false, query: '' };
    return { kind: 'count', endpoint };
  }
  return { kind: 'object', asked: { id: id as ObjectId, params: {}, query: '' } };
}
