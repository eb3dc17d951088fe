import { loginWith } from '../support/api.ts';
import { api, askOperator, newMember, PASSWORD, signIn, test } from './support/visitor.ts';

const EVIL = '<img src=x onerror=alert(1)>';

test('a verification is submitted, refused with its reason, approved, and unlocks a model at once', async ({
  visitAs,
  expect,
}) => {
  const member = await newMember();
  const { page } = await visitAs(member.email, '/settings#verification');
  const section = page.getByRole('region', { name: 'Verification' });
  await section.getByRole('link', { name: 'verified-only' }).waitFor();
  const form = section.getByRole('form', { name: 'Submit a verification' });
  const submit = async (name: string) => {
    await form.getByRole('button', { name: 'Enterprise' }).click();
    await form.getByLabel('Name of the enterprise').fill(name);
    await form.getByLabel('Business licence').fill('LICENCE-12345678');
    await form.getByRole('button', { name: 'Submit' }).click();
    await section.getByText('Enterprise, waiting for an operator').waitFor();
    const { verification } = (await member.ask('GET', '/verification')).body.data;
    expect(verification).toMatchObject({ name, kind: 'enterprise' });
    return verification.id;
  };
  const decide = (id: number, body: object) => askOperator('POST', `/verifications/${id}/decision`, body);
  const first = await submit(EVIL);
  await section.getByText('…5678').waitFor();
  await decide(first, { decision: 'refuse', reason: `${EVIL} is no enterprise` });
  await section.getByText(`${EVIL} is no enterprise`).waitFor();
  const second = await submit('Acme');
  await decide(second, { decision: 'approve' });
  await section.getByText('No model is locked for want of verification.').waitFor();
  expect((await member.ask('GET', '/profile')).body.data.verification).toBe('enterprise');
});

test('fallback model, password, sessions, language and theme', async ({ visitAs, expect }) => {
  const member = await newMember();
  await loginWith(api, member.email);
  const { page } = await visitAs(member.email, '/settings', { allow: /400 \(Bad Request\)/ });
  const preference = async () => (await member.ask('GET', '/preference')).body.data.fallback_model;
  await page.getByRole('combobox', { name: 'Fallback model' }).fill('gpt-5');
  await page
    .getByRole('option', { name: /^gpt-5/ })
    .first()
    .click();
  await expect.poll(preference).toBe('gpt-5');
  await page.getByRole('button', { name: 'No fallback' }).click();
  await expect.poll(preference).toBe(null);

  const sessions = page.getByRole('region', { name: 'Sessions' });
  await sessions.getByText('this one').waitFor();
  const count = () => sessions.getByRole('listitem').count();
  await expect.poll(count).toBe(3);
  await sessions
    .getByRole('button', { name: /^Sign out A program/ })
    .first()
    .click();
  await expect.poll(count).toBe(2);

  const password = page.getByRole('region', { name: 'Password' });
  await password.getByLabel('Current password').fill('not the password');
  await password.getByLabel(/^New/).fill('a new password');
  await password.getByRole('button', { name: 'Change password' }).click();
  await password.getByText('This is not the current password.').waitFor();
  expect(await password.getByLabel(/^New/).inputValue()).toBe('a new password');
  await password.getByLabel('Current password').fill(PASSWORD);
  await password.getByRole('button', { name: 'Change password' }).click();
  await page.getByText(/^Password changed/).waitFor();
  await expect.poll(count).toBe(1);

  await page.getByRole('region', { name: 'Language and look' }).getByRole('button', { name: 'Dark' }).click();
  expect(await page.locator('html').getAttribute('data-theme')).toBe('dark');
  await page.getByRole('button', { name: '中文' }).last().click();
  await page.getByRole('heading', { name: '设置' }).waitFor();
  await page.context().clearCookies();
  await page.goto('/signin');
  await signIn(page, member.email, 'a new password');
  await page.waitForURL(/overview/);
});

test('a message to the operator stands in the settings, with its answer', async ({ visitAs, expect }) => {
  const member = await newMember();
  const { page } = await visitAs(member.email, '/settings#messages');
  const section = page.getByRole('region', { name: 'Messages' });
  await section.getByText('Nothing sent yet').waitFor();
  await section.getByRole('button', { name: 'Write to the operator' }).click();
  await page.getByLabel('Message to the operator').fill(`${EVIL} is odd`);
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await page.getByText(/^Sent\. The answer appears/).waitFor();
  const message = section.getByRole('listitem').filter({ hasText: `${EVIL} is odd` });
  await message.getByText('Waiting for an answer').waitFor();
  const [sent] = (await member.ask('GET', '/feedback')).body.data;
  const answered = { answer: `${EVIL} is mended`, status: 'done' };
  expect((await askOperator('PUT', `/feedback/${sent.id}`, answered)).status).toBe(200);
  await page.reload();
  await message.getByText('Answered').waitFor();
  await message.getByText(`${EVIL} is mended`).waitFor();
});
