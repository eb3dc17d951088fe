import { execFile } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CHROMIUM, CURL, needs } from '../needs.ts';
import { launchBrowser } from '../support/browser.ts';
import { startWorld, type World } from '../support/world.ts';

/** Where to leave pictures for people; nowhere when it is not said. */
const PICTURES = process.env.TEST_PICTURES;
const DESK: BrowserContextOptions = { viewport: { width: 1280, height: 900 }, colorScheme: 'light' };
const PHONE: BrowserContextOptions = {
  viewport: { width: 400, height: 844 },
  isMobile: true,
  colorScheme: 'light',
};
const CHAT = '#tag/chat-completions/POST/v1/chat/completions';
const WAIT_MS = 60_000;

interface OpenApi {
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly summary: string }>>>>;
}

/** A page, what it asked for, and its errors, warnings and refused loads. */
interface Visit {
  readonly page: Page;
  readonly requests: readonly string[];
  readonly complaints: readonly string[];
}

const run = promisify(execFile);
const escaped = (text: string): string => text.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`);

describe('/docs in a browser', needs(CHROMIUM), () => {
  let world: World;
  let browser: Browser;
  let document: OpenApi;

  beforeAll(async () => {
    world = await startWorld();
    browser = await launchBrowser();
    document = (await (await fetch(`${world.url}/openapi.json`)).json()) as OpenApi;
  });
  afterAll(async () => {
    await browser?.close();
    await world?.close();
  });

  async function openDocs(look: BrowserContextOptions, fragment = ''): Promise<Visit> {
    const page = await browser.newPage(look);
    page.setDefaultTimeout(WAIT_MS);
    const requests: string[] = [];
    const complaints: string[] = [];
    page.on('request', (request) => requests.push(request.url()));
    page.on('pageerror', (error) => complaints.push(String(error)));
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
    });
    await page.goto(`${world.url}/docs${fragment}`);
    const heading = fragment === '' ? /^\s*Tollgate/ : /^\s*Create a chat completion/;
    await page.locator('h1, h2, h3', { hasText: heading }).first().waitFor();
    return { page, requests, complaints };
  }

  const textIn = (page: Page, selector: string, text: RegExp): Locator =>
    page.locator(selector, { hasText: text }).first();

  async function keep(page: Page, name: string): Promise<void> {
    if (PICTURES === undefined) return;
    mkdirSync(PICTURES, { recursive: true });
    await page.screenshot({ path: join(PICTURES, `${name}.png`) });
  }

  /** Nobody else was asked, nothing was refused, nothing went wrong. */
  function isClean({ requests, complaints }: Visit): void {
    const foreign = requests.filter((url) => !url.startsWith(`${world.url}/`) && !/^(data|blob):/.test(url));
    expect(foreign).toEqual([]);
    expect(complaints).toEqual([]);
  }

  test('lists every group and every operation by its title, and loads nothing from elsewhere', async () => {
    const visit = await openDocs(DESK);
    const { page } = visit;
    await keep(page, 'audit');
    for (const { name } of document.tags) {
      await textIn(
        page,
        'nav button, aside button',
        new RegExp(`^\\s*Open Group - ${escaped(name)}\\s*$`),
      ).click();
    }
    const wanted = Object.values(document.paths).flatMap((methods) =>
      Object.values(methods).map(({ summary }) => summary),
    );
    await expect
      .poll(async () => {
        const titles = (await page.locator('aside a').allTextContents()).map((text) => text.trim());
        return wanted.filter((title) => titles.every((each) => !each.startsWith(title)));
      })
      .toEqual([]);
    expect(wanted.length).toBeGreaterThan(150);
    await keep(page, 'audit-open');
    isClean(visit);
  });

  test('can be searched', async () => {
    const visit = await openDocs(DESK);
    const { page } = visit;
    await textIn(page, 'button', /Search/).click();
    await page.locator('[role=dialog] input').fill('list my keys');
    await textIn(page, '[role=dialog] a', /List my keys/).waitFor();
    await keep(page, 'search');
    await textIn(page, '[role=dialog] a', /List my keys/).click();
    await page.waitForURL(/#.*api-key\/page/);
    isClean(visit);
  });

  test('sends a request with a key to this server', async () => {
    const visit = await openDocs(DESK, CHAT);
    const { page } = visit;
    await textIn(page, 'button', /^\s*Test Request/).click();
    await page.locator('[role=dialog] input[placeholder=Token]').fill(world.key);
    await keep(page, 'try');
    await textIn(page, '[role=dialog] button', /^\s*Send/).click();
    await textIn(page, '[role=dialog] *', /200 ?OK/).waitFor();
    await textIn(page, '[role=dialog] *', /chat\.completion/).waitFor();
    await keep(page, 'tried');
    expect(visit.requests.at(-1)).toBe(`${world.url}/v1/chat/completions`);
    isClean(visit);
  });

  test('has correct code samples: curl and Node are run unchanged', needs(CURL), async () => {
    const visit = await openDocs(DESK, CHAT);
    const { page } = visit;
    const sample = async (language: RegExp, sign: RegExp): Promise<string> => {
      await textIn(page, 'button', language).click();
      const text = await textIn(page, 'pre', sign).innerText();
      expect(text).toContain('/v1/chat/completions');
      expect(text).toContain(new URL(world.url).host);
      return text.replaceAll('YOUR_SECRET_TOKEN', world.key);
    };
    const shell = await sample(/^\s*Shell\s*$/, /curl/);
    expect((await run('sh', ['-c', shell])).stdout).toContain('"chat.completion"');
    const script = await sample(/^\s*Node\.js\s*$/, /await request\(/);
    const printing = `${script}console.log(await body.text())`;
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', printing]);
    expect(stdout).toContain('"chat.completion"');
    const python = await sample(/^\s*Python\s*$/, /import http\.client/);
    expect(python).toContain(`"Authorization": "Bearer ${world.key}"`);
    await keep(page, 'python');
    isClean(visit);
  });

  test.each([
    { name: 'audit-dark', look: { ...DESK, colorScheme: 'dark' } },
    { name: 'phone-light', look: PHONE },
    { name: 'phone-dark', look: { ...PHONE, colorScheme: 'dark' } },
  ] as const)('is readable: $name', async ({ name, look }) => {
    const visit = await openDocs(look, CHAT);
    const { page } = visit;
    await keep(page, name);
    const [wide, seen] = await page.evaluate<[number, number]>(
      '[document.documentElement.scrollWidth, document.documentElement.clientWidth]',
    );
    expect(wide, 'nothing is beyond the edge').toBeLessThanOrEqual(seen);
    expect(await page.evaluate(`document.body.classList.contains('dark-mode')`)).toBe(
      look.colorScheme === 'dark',
    );
    isClean(visit);
  });
});
