import { assert } from '../../kernel/assert.ts';
import { type Operation, SURFACES } from '../../operations/operation.ts';

export type Match =
  | {
      readonly kind: 'row';
      readonly row: Operation;
      /** As in the path, decoded. The schema checks them. */
      readonly params: ReadonlyMap<string, string>;
    }
  | { readonly kind: 'method-not-allowed'; readonly allow: string }
  | { readonly kind: 'not-decodable'; readonly name: string }
  | { readonly kind: 'no-path' };

export type Router = (method: string, pathname: string) => Match;

type Segment = { readonly text: string } | { readonly name: string };

/** All rows of one path; they differ in the method. */
interface PathRows {
  readonly segments: readonly Segment[];
  readonly rows: Map<string, Operation>;
}

const NO_PATH: Match = { kind: 'no-path' };
const NO_PARAMS: ReadonlyMap<string, string> = new Map();

export function endpointPath(row: Pick<Operation, 'surface' | 'path'>): string {
  return SURFACES[row.surface] + row.path;
}

/**
 * Paths without parameters are found by one look-up, before those with parameters. Paths match exactly: no
 * slash is added or removed, and only the values of parameters are percent-decoded.
 */
export function createRouter(rows: readonly Operation[]): Router {
  const fixed = new Map<string, PathRows>();
  const open = new Map<string, PathRows>();
  const names = new Set(rows.map(({ name }) => name));
  assert(names.size === rows.length, 'every row of the table has a unique name');
  for (const row of rows) {
    const segments = parseSegments(endpointPath(row));
    const shape = segments.map((segment) => ('name' in segment ? ':' : segment.text)).join('/');
    const places = segments.some((segment) => 'name' in segment) ? open : fixed;
    const place = places.get(shape) ?? { segments, rows: new Map() };
    places.set(shape, place);
    assert(!place.rows.has(row.method), `${row.method} ${endpointPath(row)} is in the table once`);
    place.rows.set(row.method, row);
  }
  const patterns = [...open.values()];
  return (method, pathname) => {
    const found = fixed.get(pathname);
    if (found !== undefined) return choose(found, method, () => NO_PARAMS);
    const parts = pathname.split('/');
    const pattern = patterns.find(({ segments }) => fits(segments, parts));
    return pattern === undefined ? NO_PATH : choose(pattern, method, (row) => readParams(row, parts));
  };
}

function parseSegments(path: string): Segment[] {
  return path.split('/').map((part) => (part.startsWith(':') ? { name: part.slice(1) } : { text: part }));
}

function fits(segments: readonly Segment[], parts: readonly string[]): boolean {
  if (segments.length !== parts.length) return false;
  return segments.every((segment, index) =>
    'name' in segment ? parts[index] !== '' : segment.text === parts[index],
  );
}

function choose(
  place: PathRows,
  method: string,
  read: (row: Operation) => ReadonlyMap<string, string> | string,
): Match {
  // Node omits the body of an answer to HEAD.
  const row = place.rows.get(method === 'HEAD' ? 'GET' : method);
  if (row === undefined) return { kind: 'method-not-allowed', allow: allowed(place) };
  const params = read(row);
  if (typeof params === 'string') return { kind: 'not-decodable', name: params };
  return { kind: 'row', row, params };
}

function allowed({ rows }: PathRows): string {
  const methods = [...rows.keys()].flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
  return methods.sort().join(', ');
}

/** The parameters, or the name of the one that is not percent-encoded. */
function readParams(row: Operation, parts: readonly string[]): ReadonlyMap<string, string> | string {
  const params = new Map<string, string>();
  for (const [index, segment] of parseSegments(endpointPath(row)).entries()) {
    if (!('name' in segment)) continue;
    const value = decodeText(parts[index] ?? '');
    if (value === undefined) return segment.name;
    params.set(segment.name, value);
  }
  return params;
}

/** Undefined if the text is not percent-encoded UTF-8. */
export function decodeText(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
