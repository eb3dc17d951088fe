/**
 * `npm run screenshots [-- FOLDER]`: photographs every page of the console with the data of the demo, in both
 * themes and languages, on a desktop and on a phone. `--only calls,keys --themes light --languages en` takes
 * few.
 */
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { SURFACES } from '../../../src/operations/operation.ts';
import { projectRoot } from '../../house/tree.ts';
import { chromium as program } from '../../prerequisites.ts';
import { createApi, loginWith } from '../../support/api.ts';
import { tellChannels } from '../support/told.ts';
import { type RunningDemo, startDemo } from './demo.ts';
import { PAGES, type PhotographedPage, type Step, type Who } from './pages.ts';
import { watchPage } from './settled.ts';

const THEMES = ['light', 'dark'] as const;
const LANGUAGES = ['en', 'zh'] as const;
const SIZES = {
  desktop: { viewport: { width: 1440, height: 900 } },
  phone: { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true },
} as const;
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-dev-shm-usage',
  '--mute-audio',
  '--font-render-hinting=none',
];
const BUILD_TRIES = 120;
const BUILD_POLL_MS = 1_000;
const STEP_MS_MAX = 5_000;

interface Look {
  readonly theme: (typeof THEMES)[number];
  readonly language: (typeof LANGUAGES)[number];
  readonly size: keyof typeof SIZES;
}

interface Wanted {
  readonly folder: string;
  readonly pages: readonly PhotographedPage[];
  readonly looks: readonly Look[];
}

type Session = Awaited<ReturnType<BrowserContext['storageState']>>;

interface Studio {
  readonly browser: Browser;
  readonly demo: RunningDemo;
  readonly sessions: ReadonlyMap<Who, Session>;
  readonly accountId: number;
}

function readWanted(): Wanted {
  const text = { type: 'string' } as const;
  const options = { only: text, themes: text, languages: text, sizes: text };
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const pages = chosen(
    'only',
    values.only,
    PAGES.map(({ name }) => name),
  );
  const themes = chosen('themes', values.themes, THEMES);
  const languages = chosen('languages', values.languages, LANGUAGES);
  const sizes = chosen('sizes', values.sizes, Object.keys(SIZES) as (keyof typeof SIZES)[]);
  return {
    folder: resolve(positionals[0] ?? join(projectRoot, 'screenshots')),
    pages: PAGES.filter(({ name }) => pages.includes(name)),
    looks: sizes.flatMap((size) =>
      themes.flatMap((theme) => languages.map((language) => ({ size, theme, language }))),
    ),
  };
}

function chosen<Name extends string>(
  option: string,
  given: string | undefined,
  all: readonly Name[],
): readonly Name[] {
  if (given === undefined) return all;
  const names = given.split(',');
  const unknown = names.filter((name) => !all.some((each) => each === name));
  if (unknown.length > 0) throw new Error(`--${option}: ${unknown.join(', ')} is none of ${all.join(', ')}`);
  return all.filter((name) => names.includes(name));
}

/** A console that is being built is asked for again. */
async function open(page: Page, path: string): Promise<void> {
  for (let tries = 0; tries < BUILD_TRIES; tries++) {
    const answer = await page.goto(path);
    if (answer?.status() !== 503) return;
    await sleep(BUILD_POLL_MS);
  }
  throw new Error('the console was not built');
}

/** Through the sign-in page, as everybody. */
async function signIn(browser: Browser, demo: RunningDemo, role: 'user' | 'operator'): Promise<Session> {
  const account = demo.accounts.find((each) => each.role === role);
  const context = await browser.newContext({ baseURL: demo.url, locale: 'en-GB' });
  try {
    const page = await context.newPage();
    await open(page, '/signin');
    await page.getByLabel(/^E-mail/).fill(account?.email ?? '');
    await page.getByLabel(/^Password/).fill(account?.password ?? '');
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.waitForURL((url) => !url.pathname.startsWith('/signin'));
    return await context.storageState();
  } finally {
    await context.close();
  }
}

async function findAccountId(browser: Browser, demo: RunningDemo, session: Session): Promise<number> {
  const context = await browser.newContext({ baseURL: demo.url, storageState: session });
  try {
    const answer = await context.request.get('/api/v1/user/user/profile');
    const { data } = (await answer.json()) as { data: { id: number } };
    return data.id;
  } finally {
    await context.close();
  }
}

/** Channels and messages for the pages of alerts. */
async function tellAll({ url, hooksUrl, accounts }: RunningDemo): Promise<void> {
  const api = createApi(url);
  for (const { email, role, password } of accounts) {
    const token = await loginWith(api, email, password);
    const above = role === 'operator' ? SURFACES.admin : SURFACES.user;
    const ask = (method: string, path: string, body?: unknown) =>
      api(method, above + path, { token, ...(body !== undefined && { body }) });
    await tellChannels(ask, role === 'operator' ? '/alerts' : '/alert', hooksUrl);
  }
}

async function take(page: Page, step: Step): Promise<void> {
  if ('press' in step) await page.keyboard.press(step.press);
  else if ('type' in step) await page.keyboard.type(step.type);
  else
    await page
      .locator(step.click)
      .nth(step.nth ?? 0)
      .click({ timeout: STEP_MS_MAX });
}

async function photograph(page: Page, wanted: PhotographedPage, file: string, studio: Studio): Promise<void> {
  const settled = watchPage(page);
  await open(page, wanted.path.replace('{account}', String(studio.accountId)));
  await settled();
  for (const step of wanted.steps ?? []) {
    await take(page, step);
    await settled();
  }
  await page.mouse.move(0, 0);
  await page.screenshot({ path: file, animations: 'disabled', caret: 'hide' });
}

/** All pages in one look. Returns what went wrong. */
async function photographAll(
  studio: Studio,
  { folder, pages }: Wanted,
  look: Look,
): Promise<readonly string[]> {
  const { theme, language, size } = look;
  const problems: string[] = [];
  for (const wanted of pages) {
    const session = studio.sessions.get(wanted.who);
    const context = await studio.browser.newContext({
      ...{ ...SIZES[size], baseURL: studio.demo.url, colorScheme: theme, reducedMotion: 'reduce' },
      locale: language === 'zh' ? 'zh-CN' : 'en-GB',
      ...(session !== undefined && { storageState: session }),
    });
    const name = [wanted.name, theme, language, size, 'png'].join('.');
    try {
      await photograph(await context.newPage(), wanted, join(folder, name), studio);
      console.log(name);
    } catch (error) {
      problems.push(`${name}: ${error instanceof Error ? error.message.split('\n', 1)[0] : String(error)}`);
    } finally {
      await context.close();
    }
  }
  return problems;
}

async function run(wanted: Wanted): Promise<readonly string[]> {
  mkdirSync(wanted.folder, { recursive: true });
  const demo = await startDemo();
  try {
    const browser = await chromium.launch({ executablePath: program ?? 'chromium', args: FLAGS });
    try {
      await tellAll(demo);
      const user = await signIn(browser, demo, 'user');
      const operator = await signIn(browser, demo, 'operator');
      const sessions = new Map<Who, Session>([
        ['user', user],
        ['operator', operator],
      ]);
      const studio = { browser, demo, sessions, accountId: await findAccountId(browser, demo, user) };
      const problems: string[] = [];
      for (const look of wanted.looks) problems.push(...(await photographAll(studio, wanted, look)));
      return problems;
    } finally {
      await browser.close();
    }
  } finally {
    await demo.close();
  }
}

const problems = await run(readWanted());
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
