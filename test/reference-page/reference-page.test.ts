import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CHROMIUM, CURL, needs } from '../needs.ts';
import { chromium } from '../prerequisites.ts';
import { type Browser, type Look, type Page, startBrowser } from '../support/browser.ts';
import { until } from '../support/processes.ts';
import { startWorld, type World } from '../support/world.ts';

/** Where to leave pictures for people; nowhere when it is not said. */
const PICTURES = process.env.TOLLGATE_TEST_PICTURES;
const DESK: Look = { width: 1280, height: 900, scheme: 'light' };
const PHONE: Look = { width: 400, height: 844, scheme: 'light' };
const CHAT = '#tag/chat-completions/POST/v1/chat/completions';

interface OpenApi {
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly summary: string }>>>>;
}

const run = promisify(execFile);
const quote = JSON.stringify;
/** The first element with this selector whose words match. */
const element = (selector: string, words: RegExp): string =>
  `[...document.querySelectorAll(${quote(selector)})].find((e) => ${words}.test(e.textContent.trim()))`;

describe('/docs in a browser', needs(CHROMIUM), () => {
  let world: World;
  let browser: Browser;
  let document: OpenApi;

  beforeAll(async () => {
    world = await startWorld();
    browser = await startBrowser(chromium ?? '');
    document = (await (await fetch(`${world.url}/openapi.json`)).json()) as OpenApi;
  });
  afterAll(async () => {
    await browser?.close();
    await world?.close();
  });

  async function openDocs(look: Look, fragment = ''): Promise<Page> {
    const page = await browser.open(look);
    await page.go(`${world.url}/docs${fragment}`);
    const heading = fragment === '' ? /^Tollgate/ : /^Create a chat completion/;
    await shows(page, element('h1, h2, h3', heading));
    return page;
  }

  const shows = (page: Page, expression: string) =>
    until(() => page.evaluate<boolean>(`Boolean(${expression})`), 60_000);

  async function click(page: Page, selector: string, words: RegExp): Promise<void> {
    await shows(page, element(selector, words));
    await page.evaluate(`${element(selector, words)}.click()`);
  }

  async function keep(page: Page, name: string): Promise<void> {
    if (PICTURES === undefined) return;
    mkdirSync(PICTURES, { recursive: true });
    writeFileSync(join(PICTURES, `${name}.png`), await page.screenshot());
  }

  /** Nobody else was asked, nothing was refused, nothing went wrong. */
  function isClean(page: Page): void {
    const foreign = page.requests.filter(
      (url) => !url.startsWith(`${world.url}/`) && !/^(data|blob):/.test(url),
    );
    expect(foreign).toEqual([]);
    expect(page.complaints).toEqual([]);
  }

  test('lists every group and every operation by its title, and loads nothing from elsewhere', async () => {
    const page = await openDocs(DESK);
    await keep(page, 'audit');
    for (const { name } of document.tags)
      await click(page, 'nav button, aside button', new RegExp(`^Open Group - ${name}$`));
    const wanted = Object.values(document.paths).flatMap((methods) =>
      Object.values(methods).map(({ summary }) => summary),
    );
    const listed = `[...document.querySelectorAll('aside a')].map((a) => a.textContent.trim())`;
    await until(async () => {
      const titles = await page.evaluate<string[]>(listed);
      return wanted.every((title) => titles.some((each) => each.startsWith(title)));
    });
    expect(wanted.length).toBeGreaterThan(150);
    await keep(page, 'audit-open');
    isClean(page);
  });

  test('can be searched', async () => {
    const page = await openDocs(DESK);
    await click(page, 'button', /Search/);
    await shows(page, `document.querySelector('[role=dialog] input')`);
    await page.evaluate(`document.querySelector('[role=dialog] input').focus()`);
    await page.type('list my keys');
    await shows(page, element('[role=dialog] a', /List my keys/));
    await keep(page, 'search');
    await click(page, '[role=dialog] a', /List my keys/);
    await until(async () => (await page.evaluate<string>('location.hash')).includes('api-key/page'));
    isClean(page);
  });

  test('sends a request with a key to this server', async () => {
    const page = await openDocs(DESK, CHAT);
    await click(page, 'button', /^Test Request/);
    const token = `document.querySelector('[role=dialog] input[placeholder=Token]')`;
    await shows(page, token);
    await page.evaluate(`${token}.focus()`);
    await page.type(world.key);
    await keep(page, 'try');
    await click(page, '[role=dialog] button', /^Send/);
    await shows(page, element('[role=dialog] *', /200 ?OK/));
    await shows(page, element('[role=dialog] *', /chat\.completion/));
    await keep(page, 'tried');
    expect(page.requests.at(-1)).toBe(`${world.url}/v1/chat/completions`);
    isClean(page);
  });

  test('has correct code samples: curl and Node are run unchanged', needs(CURL), async () => {
    const page = await openDocs(DESK, CHAT);
    const sample = async (language: RegExp, sign: RegExp): Promise<string> => {
      await click(page, 'button', language);
      const code = element('pre', sign);
      await shows(page, code);
      const text = await page.evaluate<string>(`${code}.innerText`);
      expect(text).toContain('/v1/chat/completions');
      expect(text).toContain(new URL(world.url).host);
      return text.replaceAll('YOUR_SECRET_TOKEN', world.key);
    };
    const shell = await sample(/^Shell$/, /curl/);
    expect((await run('sh', ['-c', shell])).stdout).toContain('"chat.completion"');
    const script = await sample(/^Node\.js$/, /await request\(/);
    const printing = `${script}console.log(await body.text())`;
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', printing]);
    expect(stdout).toContain('"chat.completion"');
    const python = await sample(/^Python$/, /import http\.client/);
    expect(python).toContain(`"Authorization": "Bearer ${world.key}"`);
    await keep(page, 'python');
    isClean(page);
  });

  test.each([
    { ...DESK, scheme: 'dark', name: 'audit-dark' },
    { ...PHONE, name: 'phone-light' },
    { ...PHONE, scheme: 'dark', name: 'phone-dark' },
  ] as const)('is readable: $name', async ({ name, ...look }) => {
    const page = await openDocs(look, CHAT);
    await keep(page, name);
    const [wide, seen] = await page.evaluate<[number, number]>(
      '[document.documentElement.scrollWidth, document.documentElement.clientWidth]',
    );
    expect(wide, 'nothing is beyond the edge').toBeLessThanOrEqual(seen);
    const isDark = `document.body.classList.contains('dark-mode')`;
    expect(await page.evaluate<boolean>(isDark)).toBe(look.scheme === 'dark');
    isClean(page);
  });
});
