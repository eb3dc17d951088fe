import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromium } from '../prerequisites.ts';
import { type Browser, type Look, type Page, startBrowser } from '../support/browser.ts';
import { startWorld, type World } from '../support/world.ts';

/** Where to leave pictures for people; nowhere when it is not said. */
const PICTURES = process.env.TOLLGATE_TEST_PICTURES;
const DESK: Look = { width: 1280, height: 900, scheme: 'light' };
const PHONE: Look = { width: 390, height: 844, scheme: 'light' };

interface OpenApi {
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly operationId: string }>>>>;
}

describe.skipIf(chromium === undefined)('/docs in a browser', () => {
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
    return page;
  }

  async function keep(page: Page, name: string): Promise<void> {
    if (PICTURES === undefined) return;
    mkdirSync(PICTURES, { recursive: true });
    writeFileSync(join(PICTURES, `${name}.png`), await page.screenshot());
  }

  test('asks nobody but us, and complains of nothing', async () => {
    const page = await openDocs(DESK);
    expect(page.requests).toEqual([`${world.url}/docs`]);
    expect(page.complaints).toEqual([]);
    expect(await page.evaluate('document.scripts.length')).toBe(0);
  });

  test('shows every group and every endpoint of the document', async () => {
    const page = await openDocs(DESK);
    const groups = await page.evaluate<string[]>(
      `[...document.querySelectorAll('h2')].map((h) => h.textContent)`,
    );
    expect(groups).toEqual(document.tags.map(({ name }) => name));
    const shown = await page.evaluate<string[]>(
      `[...document.querySelectorAll('article summary')].filter((s) => s.parentElement.parentElement.matches('article'))
        .map((s) => s.querySelector('.method').textContent + ' ' + s.querySelector('.path').textContent)`,
    );
    const wanted = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(shown.sort()).toEqual(wanted.sort());
    expect(wanted.length).toBeGreaterThan(100);
  });

  const focused = (page: Page) =>
    page.evaluate<string>(`document.activeElement.textContent.replace(/\\s+/g, ' ').trim()`);
  const isOpen = (page: Page, id: string) =>
    page.evaluate<boolean>(`document.getElementById(${JSON.stringify(id)}).closest('details').open`);

  test('is walked by keyboard: the contents lead to an endpoint and open it, a key closes and opens it', async () => {
    const page = await openDocs(DESK);
    expect(await isOpen(page, 'auth.login')).toBe(false);
    for (let tabs = 0; tabs < 200 && (await focused(page)) !== 'auth.login'; tabs++) await page.press('Tab');
    expect(await focused(page)).toBe('auth.login');
    const outline = `getComputedStyle(document.activeElement).outlineStyle`;
    expect(await page.evaluate(outline), 'where one is can be seen').not.toBe('none');
    await page.press('Enter');
    expect(await page.evaluate('location.hash')).toBe('#auth.login');
    expect(await isOpen(page, 'auth.login')).toBe(true);
    const top = `document.getElementById('auth.login').closest('article').getBoundingClientRect().top`;
    const place = await page.evaluate<number>(top);
    expect(place).toBeGreaterThanOrEqual(0);
    expect(place).toBeLessThan(DESK.height / 2);
    await page.evaluate(
      `document.getElementById('auth.login').closest('details').querySelector('summary').focus()`,
    );
    await page.press('Enter');
    expect(await isOpen(page, 'auth.login')).toBe(false);
    await page.press('Space');
    expect(await isOpen(page, 'auth.login')).toBe(true);
    await keep(page, 'desk-open');
  });

  test('is searched by the browser, also in what is folded away', async () => {
    // An address with a text is a search that needs no hand: it opens what hides the text, and goes there.
    const page = await openDocs(DESK, '#:~:text=users%20may%20choose%20it%20for%20their%20keys');
    const opened = await page.evaluate<string[]>(
      `[...document.querySelectorAll('article details[open]')].map((d) => d.textContent.slice(0, 80))`,
    );
    expect(opened).not.toEqual([]);
  });

  test.each([
    { ...DESK, name: 'desk-light' },
    { ...DESK, scheme: 'dark', name: 'desk-dark' },
    { ...PHONE, name: 'phone-light' },
    { ...PHONE, scheme: 'dark', name: 'phone-dark' },
  ] as const)('is readable: $name', async ({ name, ...look }) => {
    const page = await openDocs(look);
    await keep(page, name);
    await page.evaluate(`for (const each of document.querySelectorAll('details')) each.open = true`);
    const [wide, seen] = await page.evaluate<[number, number]>(
      '[document.documentElement.scrollWidth, document.documentElement.clientWidth]',
    );
    expect(wide, 'nothing is beyond the edge').toBeLessThanOrEqual(seen);
    const { dark, text } = await page.evaluate<{ dark: boolean; text: number }>(COLOURS);
    expect(dark).toBe(look.scheme === 'dark');
    expect(text, 'contrast of the faintest text').toBeGreaterThan(4.5);
    await page.evaluate(`document.getElementById('accounts.get').closest('article').scrollIntoView()`);
    await keep(page, `${name}-open`);
    expect(page.complaints).toEqual([]);
  });
});

/** Of the page as it is painted: whether it is dark, and the least contrast between soft text and it. */
const COLOURS = `(() => {
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const dark = matchMedia('(prefers-color-scheme: dark)').matches;
  const paint = (colour) => {
    canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
  };
  const light = (rgb) => {
    const [r, g, b] = rgb.map((each) => {
      const part = each / 255;
      return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const back = paint(getComputedStyle(document.body).backgroundColor);
  let least = 21;
  for (const element of document.querySelectorAll('body *')) {
    if (!element.firstChild || element.firstChild.nodeType !== 3) continue;
    const { color, opacity } = getComputedStyle(element);
    const front = paint(color).map((each, index) => each * opacity + back[index] * (1 - opacity));
    const [one, other] = [light(front), light(back)].sort((a, b) => b - a);
    least = Math.min(least, (one + 0.05) / (other + 0.05));
  }
  return { dark: light(back) < 0.2 && dark, text: least };
})()`;
