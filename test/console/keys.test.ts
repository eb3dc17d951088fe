import type { Page } from 'playwright-core';
import { SURFACES } from '../../src/operations/operation.ts';
import { callModel, consoleUrl, newMember, PASSWORD, test } from './support/visitor.ts';

const REFUSED = /status of (?:401|403)/;
const XSS = `<img src=x onerror="document.title='xss'">`;

const rowOf = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });

async function makeKey(page: Page, name: string): Promise<string> {
  await page.getByRole('button', { name: 'New key' }).first().click();
  await page.getByLabel('Name').fill(name);
  await page.getByRole('button', { name: 'Make the key' }).click();
  await page.getByText('shown once').waitFor();
  return String(await page.getByText(/^tg-\w{20,}$/).textContent());
}

async function statusOf(key: string): Promise<number> {
  return (await callModel(key, 'claude-sonnet-5')).status;
}

test('a key is made, shown once, tested, changed and used', async ({ expect, visitAs }) => {
  const member = await newMember();
  const { page } = await visitAs(member.email, '/keys', { allow: REFUSED });
  await page.getByText('No keys yet').waitFor();
  const key = await makeKey(page, 'report-bot');
  // It is in the list at once, without a reload.
  await rowOf(page, 'report-bot').waitFor();
  await page.getByText('Waiting for the first call of this key…').waitFor();
  await page.getByRole('button', { name: 'Test it' }).click();
  await page.getByRole('link', { name: 'Receipt' }).waitFor();
  // Who has not stored it is asked before it is gone.
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Back to the key' }).click();
  await page.getByLabel('I have stored the key').check();
  await page.getByRole('button', { name: 'Done' }).click();
  await page.waitForURL('**/keys');
  expect(await page.content()).not.toContain(key);
  expect(await statusOf(key)).toBe(200);
  // What is shown as spend is what the server has summed.
  const usage = async () => (await member.ask('GET', '/stats/keys')).body.data?.[0];
  await expect.poll(async () => (await usage())?.calls).toBe(2);
  await page.reload();
  const { amount } = await usage();
  await expect.poll(() => rowOf(page, 'report-bot').textContent()).toContain(`¥${amount}`);
  await rowOf(page, 'report-bot').getByRole('link').click();
  await page.getByText('A test needs the key itself').waitFor();
  await page.getByLabel('Name').fill(XSS);
  await page.getByLabel('Expires').selectOption('in 30 days');
  await page.getByRole('button', { name: 'Save' }).click();
  await rowOf(page, XSS).getByText('in 29 days').waitFor({ state: 'attached' });
  await page.getByRole('switch', { name: 'May be used' }).click();
  await rowOf(page, XSS).getByText('disabled').waitFor();
  expect(await statusOf(key)).toBe(401);
  expect(await page.title()).not.toBe('xss');
  const listed = await member.ask('GET', '/api-key/page');
  expect(listed.body.data[0]).toMatchObject({ name: XSS, status: 'disabled' });
});

test('a deleted key stops at once, comes back with Undo, and is gone when the offer ends', async ({
  expect,
  visitAs,
}) => {
  const member = await newMember();
  const [undone, deleted] = [await member.newKey('undone'), await member.newKey('deleted')];
  const { page } = await visitAs(member.email, '/keys');
  const remove = async (name: string): Promise<void> => {
    await page.getByRole('button', { name: `More for ${name}` }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await expect.poll(() => rowOf(page, name).count()).toBe(0);
  };
  await remove('undone');
  await page.getByText('undone is deleted.').waitFor();
  expect(await statusOf(undone)).toBe(401);
  await page.getByRole('button', { name: 'Undo' }).click();
  await rowOf(page, 'undone').waitFor();
  await expect.poll(() => statusOf(undone)).toBe(200);
  await remove('deleted');
  await page.getByText('deleted is deleted.').waitFor();
  expect(await statusOf(deleted)).toBe(401);
  // Who leaves the page cannot undo any more.
  await page.goto('about:blank');
  const names = async () =>
    (await member.ask('GET', '/api-key/page')).body.data.map(({ name }: { name: string }) => name);
  await expect.poll(names).toEqual(['undone']);
});

test('a session that ends elsewhere keeps what was typed and goes on after signing in', async ({
  expect,
  visitAs,
}) => {
  const member = await newMember();
  const { page } = await visitAs(member.email, '/keys?open=new', { allow: REFUSED });
  await page.getByLabel('Name').fill('typed before');
  await page.getByLabel('Expires').selectOption('in 90 days');
  const ended = await fetch(`${consoleUrl}${SURFACES.auth}/sessions`, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${member.token}` },
  });
  expect(ended.status).toBe(200);
  // The page may know of it before or after the next click.
  await page
    .getByRole('button', { name: 'Make the key' })
    .click({ timeout: 2_000 })
    .catch(() => {});
  const dialog = page.getByRole('dialog');
  await dialog.getByText('You were signed out').waitFor();
  await page.keyboard.press('Escape');
  expect(await dialog.getByLabel('E-mail').inputValue()).toBe(member.email);
  await dialog.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await dialog.getByRole('button', { name: 'Sign in', exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
  expect(await page.getByLabel('Name').inputValue()).toBe('typed before');
  await page.getByRole('button', { name: 'Make the key' }).click();
  await page.getByText('typed before is ready').waitFor();
  await page.getByText('in 2 months').last().waitFor();
});
