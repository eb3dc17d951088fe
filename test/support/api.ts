import { setTimeout as sleep } from 'node:timers/promises';
import { SURFACES } from '../../src/operations/operation.ts';
import { OPERATIONS } from '../../src/operations/table.ts';
import { createRouter } from '../../src/platform/http/router.ts';
import { findBrokenPromise } from '../../src/platform/http/validate.ts';

export interface ApiAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Envelope;
}

/** Rule I-49; the fields of a test's data are the test's to know. */
export interface Envelope {
  readonly code: number;
  readonly message: string;
  // biome-ignore lint/suspicious/noExplicitAny: each test reads the fields that it asserts
  readonly data: any;
  readonly total?: number;
  readonly page?: number;
  readonly size?: number;
}

export interface ApiOptions {
  readonly token?: string;
  /** JSON, or text as it is. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Asks the platform as a client does, and holds every answer against the promise of its row. */
export type Api = (method: string, path: string, options?: ApiOptions) => Promise<ApiAnswer>;

/** A path that does not begin with `/api/` stands below the user's. */
export function createApi(url: string): Api {
  const router = createRouter(OPERATIONS);
  return async (method, path, { token, body, headers } = {}) => {
    const place = path.startsWith('/api/') ? path : SURFACES.user + path;
    const response = await fetch(url + place, {
      method,
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const envelope = await readEnvelope(response);
    checkEnvelope(`${method} ${place}`, response.status, envelope);
    const match = router(method, place.split('?', 1)[0] ?? '');
    if (match.kind === 'row' && envelope.code === 0) {
      const broken = findBrokenPromise(match.row, envelope.data);
      if (broken !== undefined)
        throw new Error(`${match.row.name} answers what it does not promise: ${broken}`);
      if (match.row.paged && envelope.total === undefined) throw new Error(`${match.row.name} has no total`);
    }
    return { status: response.status, headers: response.headers, body: envelope };
  };
}

/** A file has no envelope; its text stands where data would. */
async function readEnvelope(response: Response): Promise<Envelope> {
  const type = response.headers.get('content-type') ?? '';
  if (type.startsWith('application/json')) return (await response.json()) as Envelope;
  return { code: 0, message: 'ok', data: await response.text() };
}

function checkEnvelope(place: string, status: number, { code, message, data }: Envelope): void {
  const isEnvelope = Number.isInteger(code) && typeof message === 'string' && data !== undefined;
  if (!isEnvelope) throw new Error(`${place}: no envelope`);
  if ((code === 0) !== (status === 200)) throw new Error(`${place}: status ${status} with code ${code}`);
}

const PASSWORD = 'a test password';
const BUSY = 1006;
const LOGIN_TRIES_MAX = 60;
const LOGIN_PAUSE_MS = 500;

/** The access token of an account of the test's catalogue. */
export async function loginWith(api: Api, email: string, password: string = PASSWORD): Promise<string> {
  const login = () => api('POST', `${SURFACES.auth}/login`, { body: { email, password } });
  let { body } = await login();
  // Passwords are checked a few at a time. On a busy machine, one that would wait too long is sent away.
  for (let tries = 1; body.code === BUSY && tries < LOGIN_TRIES_MAX; tries++) {
    await sleep(LOGIN_PAUSE_MS);
    ({ body } = await login());
  }
  if (body.code !== 0) throw new Error(`login of ${email}: ${body.code} ${body.message}`);
  return String(body.data.access_token);
}
