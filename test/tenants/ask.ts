import type { Operation } from '../../src/operations/operation.ts';
import { endpointPath } from '../../src/platform/http/router.ts';
import type { Place } from './subjects.ts';

export type Method = Operation['method'];

/** A request to a row of the table; what is not said is the row's own example. */
export interface Asked {
  readonly row: Operation;
  readonly token?: string | undefined;
  readonly values?: Readonly<Partial<Record<Place, unknown>>>;
  /** Instead of the example. */
  readonly body?: unknown;
  /** Instead of any body, as it is. */
  readonly bodyText?: string;
}

export interface Told {
  readonly status: number;
  readonly code: number;
  readonly text: string;
  /** Without what differs from request to request. */
  readonly headers: string;
  readonly durationMs: number;
}

/** Values of path and query travel as texts, those of the body as JSON. */
const TRIES_MAX = 200;

/** Who asks more at once than one owner may is told to try again, and does. */
export async function ask(url: string, asked: Asked): Promise<Told> {
  for (let tries = 1; ; tries++) {
    const told = await askOnce(url, asked);
    if (told.status !== 503 || told.code !== 1006 || tries === TRIES_MAX) return told;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

/** What a row cannot be asked without, besides ids. */
const NEEDED: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
  'points.previewExchange': [['amount', '1']],
};

async function askOnce(url: string, asked: Asked): Promise<Told> {
  const { row, token } = asked;
  const values = Object.entries(asked.values ?? {}).filter(([, value]) => value !== undefined);
  const ofPart = (part: string) =>
    values.flatMap(([place, value]) => (place.startsWith(part) ? [[place.slice(part.length), value]] : []));
  const params = Object.fromEntries(ofPart('params.')) as Record<string, unknown>;
  const path = endpointPath(row).replace(/:(\w+)/g, (_all, name: string) =>
    encodeURIComponent(textOf(params[name] ?? 1)),
  );
  const query = [...(NEEDED[row.name] ?? []), ...ofPart('query.')].map(
    ([name, value]) => `${String(name)}=${encodeURIComponent(textOf(value))}`,
  );
  const body = bodyOf(asked, Object.fromEntries(ofPart('body.')));
  const begunMs = performance.now();
  const response = await fetch(`${url}${path}${query.length > 0 ? `?${query.join('&')}` : ''}`, {
    method: row.method,
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body }),
  });
  const text = await readText(response);
  const durationMs = performance.now() - begunMs;
  const headers = [...response.headers].filter(([name]) => name !== 'x-request-id' && name !== 'date');
  return { status: response.status, code: codeOf(text), text, headers: headers.join('\n'), durationMs };
}

function bodyOf({ row, body, bodyText }: Asked, ids: Record<string, unknown>): string | undefined {
  if (bodyText !== undefined) return bodyText;
  if (row.body === undefined) return undefined;
  return JSON.stringify({ ...((body ?? row.example.body ?? {}) as object), ...ids });
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The body; of a stream of events only its beginning, because it never ends. */
export function readText(response: Response): Promise<string> {
  return isEvents(response) ? firstEvents(response) : response.text();
}

function isEvents({ headers }: Response): boolean {
  return headers.get('content-type')?.startsWith('text/event-stream') === true;
}

async function firstEvents(response: Response): Promise<string> {
  const reader = response.body?.getReader();
  const { value } = (await reader?.read()) ?? {};
  await reader?.cancel();
  return Buffer.from(value ?? []).toString('utf8');
}

/** Of a file: 0, for only success has one. */
function codeOf(text: string): number {
  if (!text.startsWith('{')) return 0;
  const { code } = JSON.parse(text) as { code?: unknown };
  return typeof code === 'number' ? code : -1;
}

/** So many at a time. */
export async function eachAtOnce<Item>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const rest = [...items];
  const run = async (): Promise<void> => {
    for (let item = rest.shift(); item !== undefined; item = rest.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: atOnce }, run));
}
