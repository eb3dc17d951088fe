import type { Page } from 'playwright-core';
import { SURFACES } from '../../src/operations/operation.ts';
import { api, askOperator, newMember, signIn, test } from './support/visitor.ts';

/** Browsers log answers with such a status as errors. */
const REFUSED = /status of (?:400|401|403|409|429)/;

const submit = (page: Page) => page.locator('button[type="submit"]');

test('a person registers, signs out and signs in again', async ({ expect, visit }) => {
  const taken = await newMember();
  const email = `new-${Date.now()}-${process.pid}@example.com`;
  const { page } = await visit('/signin', { allow: REFUSED });
  await page.getByRole('link', { name: 'Make an account' }).click();
  await page.getByRole('heading', { name: 'Make an account' }).waitFor();
  await page.getByLabel('E-mail').fill(taken.email);
  await page.getByLabel('Password', { exact: true }).fill('short');
  await submit(page).click();
  // The rule of the server stands at the field, and the browser holds the form back.
  expect(
    await page
      .getByLabel('Password', { exact: true })
      .evaluate((each) => (each as unknown as { validity: { tooShort: boolean } }).validity.tooShort),
  ).toBe(true);
  await page.getByText(/At least \d+ characters/).waitFor();
  await page.getByLabel('Password', { exact: true }).fill('a long password');
  await submit(page).click();
  await page.getByText('This address has an account.').waitFor();
  expect(await page.getByLabel('Password', { exact: true }).inputValue()).toBe('a long password');
  await page.getByLabel('E-mail').fill(email);
  await submit(page).click();
  await page.waitForURL('**/start');
  await page.getByRole('button', { name: email }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.waitForURL('**/signin');
  await signIn(page, email, 'a long password');
  await page.waitForURL('**/overview');
  // Who is signed in has no use for the page.
  await page.goto('/signin?next=/wallet');
  await page.waitForURL('**/wallet');
});

test('a wrong password says so, and too many of them wait', async ({ expect, visit }) => {
  const { email } = await newMember();
  // The page and the guesses below come from one address.
  const { page } = await visit('/signin', { allow: REFUSED, extraHTTPHeaders: {} });
  await signIn(page, email, 'not the password');
  await page.getByText('The e-mail address or the password is wrong.').waitFor();
  expect(await page.getByLabel('E-mail').inputValue()).toBe(email);
  const body = { email, password: 'not the password' };
  await expect.poll(async () => (await api('POST', `${SURFACES.auth}/login`, { body })).status).toBe(429);
  await submit(page).click();
  await page.getByRole('button', { name: /^Try again in \d+:\d\d$/ }).waitFor();
  expect(await submit(page).isDisabled()).toBe(true);
  await page.getByText('Too many attempts.').waitFor();
  await page.clock.install();
  await page.clock.fastForward('10:00:00');
  await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor();
  expect(await submit(page).isEnabled()).toBe(true);
});

test('a disabled account is told so, and who may register is the choice of the operator', async ({
  expect,
  visit,
}) => {
  const { email, id } = await newMember();
  await askOperator('PUT', `/accounts/${id}`, { status: 'disabled' });
  const { page } = await visit('/signin', { allow: REFUSED, locale: 'zh-CN', colorScheme: 'dark' });
  await signIn(page, email);
  await page.getByText('此账户已停用').waitFor();
  await page.getByRole('button', { name: 'English' }).click();
  await page.getByText('This account is disabled. Ask your operator.').waitFor();
  await page.getByRole('button', { name: 'Change theme' }).click();
  await page.getByRole('menuitemcheckbox', { name: 'Light' }).click();
  expect(await page.locator('html').getAttribute('data-theme')).toBe('light');
  // Other tests register, so the answer is changed on its way.
  const settings = await api('GET', '/settings');
  const closed = { ...settings.body, data: { ...settings.body.data, registration: 'closed' } };
  await page.route('**/settings', (route) => route.fulfill({ json: closed }));
  await page.goto('/signin');
  await page.getByText('Accounts are made by the operator.').waitFor();
  await page.goto('/register');
  await page.getByText('Registration is closed.').waitFor();
  expect(await submit(page).count()).toBe(0);
});

test('a sign-in leads to paths of this console only', async ({ visit }) => {
  const { email } = await newMember();
  const elsewhere = ['//evil.example/x', '/\\evil.example', 'https://evil.example', '/\t/evil.example'];
  const { page, context } = await visit(`/signin?next=${encodeURIComponent(elsewhere[0] ?? '')}`, {
    // The cookies are taken away below while a page is open.
    allow: /401/,
  });
  await signIn(page, email);
  await page.waitForURL('**/overview');
  for (const next of elsewhere) {
    await page.goto(`/signin?next=${encodeURIComponent(next)}`);
    await page.waitForURL('**/overview');
  }
  await context.clearCookies();
  await page.goto('/calls?status=failed');
  await page.waitForURL('**/signin?next=%2Fcalls%3Fstatus%3Dfailed');
  await signIn(page, email);
  await page.waitForURL('**/calls?status=failed');
});
