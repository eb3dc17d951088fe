import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { money } from '../../console/parts/text/format.ts';
import { until } from '../support/processes.ts';
import {
  api,
  askOperator,
  callModel,
  LOOK_MS,
  newMember,
  OPERATOR,
  PASSWORD,
  test,
} from './support/visitor.ts';

const WAIT_MS = 30_000;
const XSS = '<img src=x onerror="document.title=1"><script>document.title=1</script>';

const row = (page: Page, name: string | RegExp) => page.getByRole('row', { name });
const dialog = (page: Page) => page.getByRole('dialog');

test('a user who asks for an operator’s page is led to their own overview', async ({ visitAs }) => {
  const member = await newMember();
  const { page } = await visitAs(member.email, '/operator');
  await page.waitForURL('**/overview');
  await page.goto(`/operator/accounts/${member.id}`);
  await page.waitForURL('**/overview');
});

test('the overview shows the money of the API, live, and the findings of the doctor', async ({ visitAs }) => {
  const member = await newMember();
  const key = await member.newKey();
  // Without any call there is no money to show.
  await callModel(key);
  const { page } = await visitAs(OPERATOR, '/operator');
  await page.getByRole('table', { name: 'Money by vendor' }).waitFor();
  await callModel(key);

  // No reload: the page reads again because a call has ended.
  const top = page.getByRole('table', { name: 'Top accounts' });
  const isListed = async () => (await top.getByRole('link').allTextContents()).length > 0;
  await until(isListed, WAIT_MS, LOOK_MS);
  const agree = async () => {
    const from = new URL(page.url()).searchParams.get('period') === null ? dayAgo() : undefined;
    const { sales } = (await askOperator('GET', `/overview?from=${encodeURIComponent(from ?? '')}`)).body
      .data;
    const cells = await page
      .getByRole('table', { name: 'Money by vendor' })
      .locator('tfoot td')
      .allTextContents();
    const wanted = [money(sales.revenue), money(sales.cost), money(sales.margin, { signed: true })];
    return wanted.every((each, at) => cells[at + 1] === each);
  };
  await until(agree, WAIT_MS, LOOK_MS);

  await page.getByRole('button', { name: 'Model', exact: true }).click();
  await page.waitForURL('**/operator?by=model');
  await row(page, /gpt-5/).first().waitFor();

  await page.getByRole('link', { name: /Ledger/ }).click();
  await page.waitForURL('**doctor=open**');
  const drawer = page.getByRole('complementary', { name: 'The ledger' });
  await drawer.getByText('Checks').waitFor();
  const { checks } = (await askOperator('GET', '/doctor')).body.data;
  await drawer.getByText(String(checks), { exact: true }).waitFor();
  await page.keyboard.press('Escape');
  await drawer.waitFor({ state: 'detached' });
});

/** The first of the last 24 hours, as the page asks for it. */
function dayAgo(): string {
  const hour = Math.floor(Date.now() / 3_600_000) * 3_600_000 - 23 * 3_600_000;
  return new Date(hour).toISOString().slice(0, 19).replace('T', ' ');
}

test('an account is found, funded and adjusted to the last digit', async ({ visitAs }) => {
  const member = await newMember({ balance: '12.345678', credits: '0' });
  const { page } = await visitAs(OPERATOR, '/operator/accounts');
  await page.getByRole('textbox', { name: 'E-mail address' }).fill(member.email);
  await page.waitForURL((url) => url.searchParams.get('email') === member.email);
  await page.getByRole('link', { name: member.email }).click();
  await page.waitForURL(`**/operator/accounts/${member.id}`);
  await page.getByText('12.345678').first().waitFor();

  await page.getByRole('button', { name: 'Top up' }).first().click();
  await dialog(page).getByLabel('Amount').fill('0.000001');
  await dialog(page).getByLabel('Reason').fill(XSS);
  await dialog(page).getByRole('button', { name: 'Top up' }).click();
  await dialog(page).getByText('¥12.345678 → ¥12.345679').waitFor();
  await dialog(page).getByRole('button', { name: 'Close' }).click();

  await page.getByRole('button', { name: 'Correct funds' }).click();
  await dialog(page).getByRole('button', { name: 'Credits' }).click();
  await dialog(page).getByLabel('Amount').fill('1234.5');
  await dialog(page).getByLabel('Reason').fill('goodwill');
  await dialog(page).getByRole('button', { name: 'Book it' }).click();
  await dialog(page).getByText('0 → 1,234.5').waitFor();
  await dialog(page).getByRole('button', { name: 'Close' }).click();
  const funds = (await member.ask('GET', '/ext')).body.data;
  expect(funds).toMatchObject({ balance: '12.345679', credits: '1234.5' });

  await page.getByRole('tab', { name: 'Ledger' }).click();
  await page.waitForURL('**tab=ledger');
  await row(page, /Adjustment/)
    .getByText('+1,234.5')
    .waitFor();
  await row(page, /0\.000001/)
    .getByText('¥12.345679')
    .waitFor();
  await page.getByText(XSS).waitFor();
});

test('plan, rate, role, status, sessions, password and notes of an account', async ({ visitAs }) => {
  const member = await newMember();
  await member.newKey('laptop');
  const { page } = await visitAs(OPERATOR, `/operator/accounts/${member.id}`);
  await page.getByRole('button', { name: 'Rates and role' }).click();
  await dialog(page).getByLabel('Account rate').fill('87.5');
  await dialog(page).getByRole('button', { name: 'Save' }).click();
  await dialog(page).waitFor({ state: 'detached' });
  await page.getByText('87.5 %').waitFor();
  const account = async () => (await askOperator('GET', `/accounts/${member.id}`)).body.data;
  expect(await account()).toMatchObject({ user_rate: '87.5', role: 'user' });

  const code = `plan-${member.id}`;
  await askOperator('POST', '/plans', { code, name: code, level: 1, price: '19.9', days: 30 });
  await page.getByRole('button', { name: 'Grant a plan' }).click();
  await dialog(page).getByLabel('Plan').selectOption(code);
  await dialog(page).getByLabel('Days').fill('3');
  await dialog(page).getByRole('button', { name: 'Grant', exact: true }).click();
  await dialog(page).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: /^Cancel / }).click();
  await dialog(page).getByRole('button', { name: 'Cancel' }).last().click();
  await dialog(page).waitFor({ state: 'detached' });
  expect((await account()).subscriptions[0].status).toBe('cancelled');

  await page.getByRole('tab', { name: 'Notes' }).click();
  await page.getByLabel('New note').fill(XSS);
  await page.getByRole('button', { name: 'Add note' }).click();
  await page.getByRole('article').getByText(XSS).waitFor();

  await page.getByRole('tab', { name: /^Keys/ }).click();
  await page.getByRole('switch', { name: 'laptop is enabled' }).click();
  await until(async () => (await account()).keys[0].status === 'disabled', WAIT_MS, LOOK_MS);

  await page.getByRole('tab', { name: 'Summary' }).click();
  await page.getByRole('button', { name: 'Reset password' }).click();
  await dialog(page).getByRole('button', { name: 'Reset password' }).click();
  await dialog(page).getByText('The password is reset').waitFor();
  await dialog(page).getByRole('button', { name: 'Close' }).click();
  const credentials = { email: member.email, password: PASSWORD };
  expect((await api('POST', '/auth/login', { body: credentials })).body.code).not.toBe(0);
  expect((await member.ask('GET', '/profile')).body.code).not.toBe(0);

  await page.getByRole('button', { name: 'Disable' }).click();
  await dialog(page).getByRole('button', { name: 'Disable' }).click();
  await dialog(page).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Enable' }).waitFor();
  expect((await account()).status).toBe('disabled');
  expect(await page.title()).not.toBe('1');
});

test('feedback stays text, leads to its call, and is done and undone', async ({ visitAs }) => {
  const member = await newMember();
  const key = await member.newKey();
  const response = await callModel(key);
  const id = response.headers.get('x-request-id') ?? '';
  await member.ask('POST', '/feedback', { content: `${XSS} ${member.email} saw ${id}`, contact: XSS });
  const { page } = await visitAs(OPERATOR, '/operator/feedback');
  const item = page.getByRole('listitem').filter({ hasText: `${member.email} saw` });
  await item.getByText(XSS).first().waitFor();
  expect(await item.getByRole('link', { name: id }).getAttribute('href')).toContain(id);
  await item.getByRole('button', { name: 'Mark as done' }).click();
  await item.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Undo' }).click();
  await item.waitFor();
  await item.getByRole('button', { name: 'Answer' }).click();
  await item.getByLabel('Your answer').fill(`${XSS} mended`);
  await item.getByRole('button', { name: 'Send the answer' }).click();
  await item.waitFor({ state: 'detached' });
  const [own] = (await member.ask('GET', '/feedback')).body.data;
  expect(own).toMatchObject({ status: 'done', answer: `${XSS} mended` });
  await page.getByRole('group', { name: 'Status' }).getByRole('button', { name: 'Done' }).click();
  await item.getByText(`${XSS} mended`).waitFor();
  expect(await page.title()).not.toBe('1');
});

test('health, nodes, audit and settings show what the API has', async ({ visitAs }) => {
  const { page } = await visitAs(OPERATOR, '/operator/health');
  const { credentials } = (await askOperator('GET', '/overview/credentials')).body.data;
  for (const { name } of credentials) await row(page, name).first().waitFor();
  await page
    .getByRole('button', { name: /^Test gpt-5 by/ })
    .first()
    .click();
  await page.getByText(/answered in/).waitFor();

  await page.getByRole('link', { name: 'Nodes', exact: true }).click();
  const { nodes } = (await askOperator('GET', '/overview/nodes')).body.data;
  await row(page, nodes[0].name).waitFor();

  const name = `node-${process.pid}-${Date.now()}`;
  await page.getByRole('button', { name: 'Add node' }).click();
  await dialog(page).getByLabel('Node').fill(name);
  await dialog(page).getByLabel('Address').fill('https://node.example');
  await dialog(page).getByLabel('Rate').fill('95');
  await dialog(page).getByRole('button', { name: 'Add' }).click();
  await row(page, name).getByText('95 %').waitFor();
  await page.getByRole('button', { name: `More for ${name}` }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await dialog(page).getByRole('textbox').fill(name);
  await dialog(page).getByRole('button', { name: 'Delete' }).click();
  await row(page, name).waitFor({ state: 'detached' });

  await page.goto(`/operator/audit?entity=nodes&key=${name}`);
  await row(page, /Created/)
    .getByRole('link')
    .click();
  const drawer = page.getByRole('complementary', { name: 'nodes.create' });
  await drawer.getByText('rate (%): 95').waitFor();
  await drawer.getByText(OPERATOR).waitFor();
  await drawer.getByRole('button', { name: 'Close' }).click();

  await page.getByRole('link', { name: 'Settings', exact: true }).click();
  const { system_rate: rate } = (await askOperator('GET', '/settings')).body.data;
  await until(async () => (await page.getByLabel('System rate').inputValue()) === rate, WAIT_MS, LOOK_MS);
  expect(await page.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
});
