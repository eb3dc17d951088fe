import type { Page } from 'playwright-core';
import { createApi, loginWith } from '../../support/api.ts';
import { layoutShift, SHIFT_MAX, watchLayout } from '../support/layout-shift.ts';
import { type OwnServer, startOwnServer } from '../support/own-server.ts';
import { askOperator, callModel, newMember, signIn, test, type Visitor } from '../support/visitor.ts';

/** What browsers log of requests without an answer, and of refusals. */
const PROVOKED = /ERR_|status of (?:401|503)/;
const USER = 'user@example.com';

const noAnswer = (page: Page) => page.getByText('The server does not answer.');
const unavailable = (page: Page) => page.getByText('The server cannot answer just now.');
const gone = (page: Page) =>
  Promise.all([noAnswer(page), unavailable(page)].map((each) => each.waitFor({ state: 'detached' })));

/** A page that is loaded anew has forgotten this. */
const mark = (page: Page) => page.evaluate('window.untouched = true');
const isUntouched = (page: Page) => page.evaluate('window.untouched === true');

/** Three pages of one person: two with something typed, one with a list that goes on by itself. */
async function openPages({ page: wallet, context }: Visitor) {
  const [keys, calls] = [await context.newPage(), await context.newPage()];
  await Promise.all([keys.goto('/keys?open=new'), calls.goto('/calls')]);
  const amount = wallet.getByLabel('Yuan to exchange');
  await amount.fill('12.5');
  await wallet.getByRole('button', { name: 'Exchange ¥12.50' }).waitFor();
  const form = keys.getByRole('complementary', { name: 'New key' });
  const name = form.getByLabel('Name');
  await name.fill('written before');
  const rows = calls.locator('tbody tr[data-index]');
  await rows.first().waitFor();
  const pages = [wallet, keys, calls];
  await Promise.all(pages.map(mark));
  const typed = async () => [await amount.inputValue(), await name.inputValue()];
  return { pages, wallet, keys, calls, rows, typed, form };
}

async function useServer(use: (server: OwnServer) => Promise<void>): Promise<void> {
  const server = await startOwnServer();
  try {
    await use(server);
  } finally {
    await server.close();
  }
}

test('a restart of the server and a database that is away cost nothing that was typed', async ({
  expect,
  visit,
}) => {
  await useServer(async (server) => {
    const api = createApi(server.url);
    const token = await loginWith(api, USER);
    const { body } = await api('POST', '/api-key', { token, body: { name: 'caller' } });
    const call = () => callModel(body.data.api_key, 'gpt-5', 'Hello [[sim tokens=20]]', server.url);
    await call();
    const visitor = await visit('/signin?next=/wallet', { baseURL: server.url, allow: PROVOKED });
    await signIn(visitor.page, USER);
    const { pages, wallet, keys, calls, rows, typed, form } = await openPages(visitor);

    await server.kill();
    await Promise.all(pages.map((page) => noAnswer(page).waitFor()));
    await form.getByRole('button', { name: 'Make the key' }).click();
    await form.getByText('The key could not be made.').waitFor();
    await server.start();
    await Promise.all(pages.map(gone));
    expect(await typed()).toEqual(['12.5', 'written before']);
    const before = await rows.count();
    await call();
    await expect.poll(() => rows.count()).toBe(before + 1);
    await form.getByRole('button', { name: 'Make the key' }).click();
    await keys.getByText('written before is ready').waitFor();
    await wallet.getByRole('button', { name: 'Exchange ¥12.50' }).click();
    await wallet.getByText('¥87.50').first().waitFor();

    await wallet.getByLabel('Yuan to exchange').fill('7');
    server.takeDatabase();
    await Promise.all(pages.map((page) => unavailable(page).waitFor()));
    expect(await Promise.all(pages.map(isUntouched))).toEqual([true, true, true]);
    // A page that is opened now waits. It does not take the person for a stranger.
    await calls.reload();
    await unavailable(calls).waitFor();
    server.returnDatabase();
    await Promise.all(pages.map(gone));
    expect(new URL(calls.url()).pathname).toBe('/calls');
    await expect.poll(() => rows.count()).toBe(before + 1);
    // What was typed is still there, with the preview of the server beside it again.
    await wallet.getByRole('button', { name: 'Exchange ¥7.00' }).waitFor();
    expect(await wallet.getByLabel('Yuan to exchange').inputValue()).toBe('7');
    expect(await Promise.all([wallet, keys].map(isUntouched))).toEqual([true, true]);
  });
});

test('a session that is ended elsewhere is opened again in place, and the page goes on', async ({
  expect,
  visitAs,
}) => {
  const member = await newMember();
  const key = await member.newKey();
  await callModel(key);
  const visitor = await visitAs(member.email, '/wallet', { allow: PROVOKED });
  const { pages, wallet, keys, calls, rows, typed, form } = await openPages(visitor);
  await askOperator('DELETE', `/accounts/${member.id}/sessions`);
  // Nobody does anything in these pages: they are told.
  const asked = (page: Page) => page.getByRole('dialog', { name: 'You were signed out' });
  await Promise.all(pages.map((page) => asked(page).waitFor()));
  expect(await asked(wallet).getByLabel('E-mail').inputValue()).toBe(member.email);
  await wallet.keyboard.press('Escape');
  await asked(wallet).getByLabel('Password', { exact: true }).fill('not the password');
  await asked(wallet).getByRole('button', { name: 'Sign in' }).click();
  await asked(wallet).getByText('The e-mail address or the password is wrong.').waitFor();
  for (const page of pages) {
    await asked(page).getByLabel('Password', { exact: true }).fill('a test password');
    await asked(page).getByRole('button', { name: 'Sign in' }).click();
    await asked(page).waitFor({ state: 'detached' });
  }
  expect(await typed()).toEqual(['12.5', 'written before']);
  expect(await Promise.all(pages.map(isUntouched))).toEqual([true, true, true]);
  await callModel(key);
  await expect.poll(() => rows.count()).toBe(2);
  await form.getByRole('button', { name: 'Make the key' }).click();
  await keys.getByText('written before is ready').waitFor();
  await wallet.getByRole('button', { name: 'Exchange ¥12.50' }).click();
  await wallet.getByText('¥87.50').first().waitFor();
  // An expired session takes its cookies with it. The next thing that somebody does finds out.
  await visitor.context.clearCookies();
  await wallet.getByLabel('Yuan to exchange').fill('3');
  await asked(wallet).getByLabel('Password', { exact: true }).fill('a test password');
  await asked(wallet).getByRole('button', { name: 'Sign in' }).click();
  await asked(wallet).waitFor({ state: 'detached' });
  await wallet.getByRole('button', { name: 'Exchange ¥3.00' }).click();
  await wallet.getByText('¥84.50').first().waitFor();
  expect(new URL(calls.url()).pathname).toBe('/calls');
});

const SLOW = { offline: false, latency: 400, downloadThroughput: 50_000, uploadThroughput: 50_000 };
const WATCH = `window.hadShape = false;
  new MutationObserver(() => {
    window.hadShape ||= document.querySelector('main [class*="skeleton" i]') !== null;
  }).observe(document, { childList: true, subtree: true });`;

test('a slow network shows the shape of what comes, and nothing moves when it is there', async ({
  expect,
  visitAs,
}) => {
  const member = await newMember();
  await callModel(await member.newKey());
  const { page, context } = await visitAs(member.email, '/calls');
  await page.locator('tbody tr[data-index]').first().waitFor();
  const tools = await context.newCDPSession(page);
  await tools.send('Network.enable');
  await tools.send('Network.emulateNetworkConditions', SLOW);
  await page.addInitScript(WATCH);
  await watchLayout(page);
  for (const [path, content] of [
    ['/calls', 'tbody tr[data-index]'],
    ['/wallet', 'table[aria-label="Ledger"] tbody tr:has(td)'],
  ] as const) {
    await page.goto(path, { waitUntil: 'commit' });
    await page.locator(content).first().waitFor();
    await page.locator('main [class*="skeleton" i]').first().waitFor({ state: 'detached' });
    expect(await page.evaluate('window.hadShape'), path).toBe(true);
    const { score, moved } = await layoutShift(page);
    expect(score, `${path}: ${moved.join('\n')}`).toBeLessThan(SHIFT_MAX);
  }
});
