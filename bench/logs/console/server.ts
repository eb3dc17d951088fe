/** A real server over a filled database, and the two who ask it: an account and an operator. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { findFreePort, logTail, runCommand, startChild, stopChild, waitForAnswer } from '../../child.ts';
import type { Question } from './questions.ts';

const ENTRY = join(import.meta.dirname, '../../../src/main.ts');
const OPERATOR = 'bench-operator@example.com';
/** Of a file or a stream so much is read. */
const BEGINNING_BYTES = 2_000;

export interface Answer {
  readonly ms: number;
  readonly rows: number | undefined;
}

export interface AskedServer {
  readonly pid: number;
  ask(question: Question): Promise<Answer>;
  stop(): Promise<void>;
}

export async function startAsked(folder: string, connection: string, user: string): Promise<AskedServer> {
  const port = await findFreePort();
  const place = join(folder, 'server');
  mkdirSync(place, { recursive: true });
  const environment = {
    ...{ DATABASE_URL: connection, TOLLGATE_DATA: place, TOLLGATE_HOST: '127.0.0.1' },
    ...{ TOLLGATE_PORT: String(port), TOLLGATE_OPS_PORT: String(await findFreePort()) },
    // Always the same, so that a filled database can be asked again.
    ...{ TOLLGATE_TIMEZONE: 'UTC', TOLLGATE_SECRET: 'only for the benchmark of the console' },
  };
  const url = `http://127.0.0.1:${port}`;
  const child = startChild(process.execPath, [ENTRY, 'serve'], { folder: place, environment });
  const stop = (): Promise<void> => stopChild(child.process);
  try {
    await waitForAnswer(child, `${url}/healthz`, (status) => status === 200);
    const run = async (...words: readonly string[]): Promise<string> =>
      passwordOf(await runCommand(process.execPath, [ENTRY, ...words, '--json'], { environment }));
    const reset = (email: string): Promise<string> => run('account', 'reset-password', '--account', email);
    const created = run('account', 'create', '--operator', '--email', OPERATOR).catch(() => reset(OPERATOR));
    const cookies = {
      user: await logIn(url, user, await reset(user)),
      operator: await logIn(url, OPERATOR, await created),
    };
    return { pid: child.pid, ask: (question) => ask(url, cookies[question.as], question), stop };
  } catch (error) {
    const words = `${error instanceof Error ? error.message : error}; ${logTail(child)}`;
    await stop();
    throw new Error(words);
  }
}

function passwordOf(printed: string): string {
  const password = /"password":\s*"([^"]+)"/.exec(printed)?.[1];
  if (password === undefined) throw new Error('the command printed no password');
  return password;
}

/** As a browser does: the login is a cookie. */
async function logIn(url: string, email: string, password: string): Promise<string> {
  const response = await fetch(`${url}/api/v1/user/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: url },
    body: JSON.stringify({ email, password, cookie: true }),
  });
  if (!response.ok) throw new Error(`${email} cannot log in: ${await response.text()}`);
  return response.headers
    .getSetCookie()
    .map((each) => each.split(';', 1)[0])
    .join('; ');
}

async function ask(url: string, cookie: string, { path, reads }: Question): Promise<Answer> {
  const abort = new AbortController();
  const begunMs = performance.now();
  const response = await fetch(url + path, { headers: { cookie }, signal: abort.signal });
  // An answer that the server gives up is no answer.
  if (response.status >= 500) return { ms: Number.POSITIVE_INFINITY, rows: undefined };
  if (response.status !== 200 && response.status !== 404) {
    throw new Error(`${path}: ${response.status} ${await response.text()}`);
  }
  if (reads === 'beginning') {
    await readBeginning(response);
    const ms = performance.now() - begunMs;
    abort.abort();
    return { ms, rows: undefined };
  }
  const text = await response.text();
  return { ms: performance.now() - begunMs, rows: countRows(text) };
}

async function readBeginning({ body, headers }: Response): Promise<void> {
  const isStream = headers.get('content-type')?.startsWith('text/event-stream') === true;
  let bytes = 0;
  for await (const piece of body ?? []) {
    bytes += piece.byteLength;
    if (isStream || bytes >= BEGINNING_BYTES) break;
  }
}

/** Of a list its items, of an object its longest list. */
function countRows(text: string): number | undefined {
  if (!text.startsWith('{')) return undefined;
  const { data } = JSON.parse(text) as { readonly data?: unknown };
  if (Array.isArray(data)) return data.length;
  const lists = Object.values(data ?? {}).filter(Array.isArray);
  return lists.length === 0 ? undefined : Math.max(...lists.map(({ length }) => length));
}
