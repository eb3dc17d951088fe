import { randomInt } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { test as base, expect, inject, type TestContext } from 'vitest';
import { SURFACES } from '../../../src/operations/operation.ts';
import { CHROMIUM, needs, type Skipped } from '../../needs.ts';
import { type Api, createApi, loginWith } from '../../support/api.ts';
import { browserOfProcess } from '../../support/browser.ts';
import { SHARED_SERVER } from '../../support/servers/postgres-server.ts';
import { MEMBERS_MAX, memberEmail } from './catalog.ts';

export const consoleUrl = inject('consoleUrl');
export const api: Api = createApi(consoleUrl);
export const PASSWORD = 'a test password';
export const OPERATOR = 'operator@example.com';

/** Between two looks at a page: each costs it some of the time that it is waited for. */
export const LOOK_MS = 100;

/** A browser window with nothing remembered, and everything it complained about. */
export interface Visitor {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Errors and warnings of the page, requests to elsewhere, breaches of the content security policy. */
  readonly complaints: readonly string[];
}

export interface Look extends BrowserContextOptions {
  /** Complaints that this test provokes on purpose. */
  readonly allow?: RegExp;
  /** The account that has signed in. */
  readonly account?: string;
}

interface Fixtures {
  /** Opens a page. At the end of the test it is closed, and it must not have complained about anything. */
  readonly visit: (path: string, look?: Look) => Promise<Visitor>;
  /** Opens a page as an account that has signed in. */
  readonly visitAs: (email: string, path: string, look?: Look) => Promise<Visitor>;
}

const inBrowser = base.extend<Fixtures>({
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads what a fixture needs from the pattern
  visit: async ({}, use) => {
    const opened: (Visitor & { readonly allow: RegExp | undefined })[] = [];
    await use(async (path, { allow, account, ...look } = {}) => {
      const visitor = await openPage(look);
      opened.push({ ...visitor, allow });
      if (account !== undefined) await takeSession(visitor.context, account);
      await visitor.page.goto(path);
      return visitor;
    });
    for (const { context, complaints, allow } of opened) {
      await context.close();
      expect(complaints.filter((each) => allow === undefined || !allow.test(each))).toEqual([]);
    }
  },
  visitAs: async ({ visit }, use) => {
    await use((email, path, look) => visit(path, { ...look, account: email }));
  },
});
type Run = (context: TestContext & Fixtures) => unknown;

/**
 * Tests of the console: `test('…', async ({ visit }) => { … })`. Those of a file run side by side. All need a
 * browser; one that needs more names it: `test('…', needs(CURL), async …)`.
 */
export function test(name: string, ...rest: readonly [Run] | readonly [Skipped, Run]): void {
  const [options, run] = rest.length === 1 ? [{}, rest[0]] : rest;
  inBrowser(name, { ...options, ...needs(CHROMIUM) }, run);
}

const BUSY = 1006;
const TRIES_MAX = 60;

/** Signs in as the sign-in page does, without its page: the cookies are those of the window. */
async function takeSession({ request }: BrowserContext, email: string): Promise<void> {
  const data = { email, password: PASSWORD, cookie: true };
  for (let tries = 1; ; tries++) {
    const answer = await request.post(`${SURFACES.auth}/login`, { data });
    const { code, message } = (await answer.json()) as { readonly code: number; readonly message: string };
    if (code === 0) return;
    if (code !== BUSY || tries === TRIES_MAX) throw new Error(`login of ${email}: ${code} ${message}`);
    await sleep(500);
  }
}

/**
 * Tests share one machine, and visitors do not: what the server counts by address it counts for each of
 * them. The server of the tests trusts this header.
 */
function newAddress(): { readonly 'x-forwarded-for': string } {
  const byte = (): number => randomInt(1, 255);
  return { 'x-forwarded-for': `10.${byte()}.${byte()}.${byte()}` };
}

/** A busy machine is no failure: what never comes is found all the same. */
const WAIT_MS = 90_000;

async function openPage(look: BrowserContextOptions): Promise<Visitor> {
  const browser = await browserOfProcess();
  // A test may have a server of its own.
  const home = look.baseURL ?? consoleUrl;
  const context = await browser.newContext({
    baseURL: home,
    viewport: { width: 1440, height: 900 },
    locale: 'en-GB',
    reducedMotion: 'reduce',
    extraHTTPHeaders: newAddress(),
    ...look,
  });
  context.setDefaultTimeout(WAIT_MS);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type()))
      complaints.push(`${message.text()} ${message.location().url}`);
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(home) && !/^(?:data|blob):/.test(url)) complaints.push(`asked ${url}`);
  });
  return { page, context, complaints };
}

/** An account of one test. */
export interface Member {
  readonly id: number;
  readonly email: string;
  readonly token: string;
  /** A request as this account. */
  readonly ask: (method: string, path: string, body?: unknown) => ReturnType<Api>;
  /** A new key of this account. */
  readonly newKey: (name?: string) => Promise<string>;
}

let operatorToken: Promise<string> | undefined;

/** A request as an operator, below `/api/v1/admin`. */
export async function askOperator(method: string, path: string, body?: unknown): ReturnType<Api> {
  operatorToken ??= loginWith(api, OPERATOR);
  const options = { token: await operatorToken, ...(body !== undefined && { body }) };
  const answer = await api(method, `${SURFACES.admin}${path}`, options);
  if (answer.body.code !== 0) throw new Error(`${method} ${path}: ${answer.body.message}`);
  return answer;
}

export interface MemberOptions {
  /** Yuan on the balance. */
  readonly balance?: string;
  readonly credits?: string;
}

/** The next account that no other test has: whoever makes the folder of its number takes it. */
function takeEmail(): string {
  for (let number = 1; number <= MEMBERS_MAX; number++) {
    try {
      mkdirSync(join(process.env[SHARED_SERVER] ?? tmpdir(), `console-member-${number}`));
      return memberEmail(number);
    } catch {}
  }
  throw new Error(`more than ${MEMBERS_MAX} accounts are asked for`);
}

export async function newMember({ balance = '100', credits = '50000' }: MemberOptions = {}): Promise<Member> {
  const email = takeEmail();
  const token = await loginWith(api, email);
  const headers = newAddress();
  const ask: Member['ask'] = (method, path, body) =>
    api(method, path, { token, headers, ...(body !== undefined && { body }) });
  const { id } = (await ask('GET', '/profile')).body.data;
  for (const [pool, amount] of Object.entries({ balance, credits })) {
    if (amount !== '0') await askOperator('POST', `/accounts/${id}/top-up`, { pool, amount, reason: 'test' });
  }
  const newKey: Member['newKey'] = async (name = 'laptop') => {
    const { body } = await ask('POST', '/api-key', { name });
    return String(body.data.api_key);
  };
  return { id, email, token, ask, newKey };
}

export async function signIn(page: Page, email: string, password: string = PASSWORD): Promise<void> {
  await page.getByLabel(/^E-mail|^邮箱/).fill(email);
  await page.getByLabel(/^Password|^密码/).fill(password);
  await page.getByRole('button', { name: /^Sign in$|^登录$/ }).click();
}

/** A call of the gateway that is charged: answered by the simulated vendor. */
export async function callModel(
  key: string,
  model = 'gpt-5',
  text = 'Hello',
  server = consoleUrl,
): Promise<Response> {
  const response = await fetch(`${server}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: text }], max_completion_tokens: 50 }),
  });
  await response.text();
  return response;
}
