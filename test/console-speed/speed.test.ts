import { cpus, loadavg } from 'node:os';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fill } from '../../bench/logs/fill.ts';
import { type LayoutShift, layoutShift, SHIFT_MAX, watchLayout } from '../console/support/layout-shift.ts';
import { type OwnServer, startOwnServer } from '../console/support/own-server.ts';
import { CHROMIUM, needs } from '../needs.ts';
import { launchBrowser } from '../support/browser.ts';
import { cheapHash } from '../support/logins.ts';

const ROWS = 100_000;
const LOADS = 5;
/** On an idle machine a page is complete in 300 ms; the bound grows with the work of others. */
const READY_MS = 1_500;
const EMAIL = 'bench-1@example.com';
const PERIOD = `from=${encodeURIComponent('2026-11-01 00:00:00')}&to=${encodeURIComponent('2026-11-15 12:00:00')}`;

let server: OwnServer;
let browser: Browser;

beforeAll(async () => {
  server = await startOwnServer(async (database) => {
    await fill(database, { rows: ROWS, accounts: 1 });
    const hash = cheapHash('a test password');
    await database.query('update accounts set password_hash = $1 where email = $2', [hash, EMAIL]);
  });
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser?.close();
  await server?.close();
});

/**
 * Notes when the page answers (its heading and its navigation stand there in a drawn frame) and when it
 * is complete (nothing is left that loads).
 */
const WATCH = `
  let isSeen = false;
  new MutationObserver((_, watcher) => {
    if (document.querySelector('main h1') === null || document.querySelector('nav a') === null) return;
    if (!isSeen) requestAnimationFrame(() => { window.answersMs = performance.now(); });
    isSeen = true;
    if (document.querySelector('main [class*="skeleton" i], main [aria-busy="true"]') !== null) return;
    window.readyMs ??= performance.now();
    watcher.disconnect();
  }).observe(document, { childList: true, subtree: true, attributes: true });`;

interface Loaded extends LayoutShift {
  readonly answersMs: number;
  readonly readyMs: number;
}

async function load(page: Page, path: string): Promise<Loaded> {
  await page.goto(path);
  await expect.poll(() => page.evaluate('window.readyMs !== undefined')).toBe(true);
  // Whatever is late comes before the page is idle.
  await page.evaluate('new Promise((resolve) => requestIdleCallback(resolve))');
  const answersMs = (await page.evaluate('window.answersMs')) as number;
  const readyMs = (await page.evaluate('window.readyMs')) as number;
  return { answersMs, readyMs, ...(await layoutShift(page)) };
}

const inOrder = (times: readonly number[]): readonly number[] =>
  times.map((each) => Math.round(each)).toSorted((one, other) => one - other);

test(
  'pages open at once on a hundred thousand calls, and nothing on them moves',
  needs(CHROMIUM),
  async () => {
    const context = await browser.newContext({
      baseURL: server.url,
      viewport: { width: 1440, height: 900 },
      locale: 'en-GB',
    });
    const page = await context.newPage();
    await page.goto('/signin');
    await page.getByLabel('E-mail').fill(EMAIL);
    await page.getByLabel('Password', { exact: true }).fill('a test password');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL('**/overview');
    await page.addInitScript(WATCH);
    await watchLayout(page);
    const [busy = 0] = loadavg();
    const bound = READY_MS * Math.max(1, busy / cpus().length);
    for (const path of ['/overview', `/calls?${PERIOD}`, `/usage?${PERIOD}`, '/wallet']) {
      const loads = [];
      for (let turn = 0; turn < LOADS; turn++) loads.push(await load(page, path));
      const answers = inOrder(loads.map((each) => each.answersMs));
      const times = inOrder(loads.map((each) => each.readyMs));
      const shift = Math.max(...loads.map((each) => each.score));
      const moved = loads.flatMap((each) => each.moved);
      const [name] = path.split('?');
      const figures = `answers ${answers[2]} ms (${answers.join(', ')}), complete ${times[2]} ms (${times.join(', ')})`;
      const others = `moved ${shift.toFixed(4)}, load ${busy.toFixed(1)}`;
      console.log(`proof | console on ${ROWS} calls | ${name} | ${figures}, ${others}`);
      expect(times[2], name).toBeLessThan(bound);
      expect(shift, `${name}: ${moved.join('\n')}`).toBeLessThan(SHIFT_MAX);
    }
    await context.close();
  },
);
