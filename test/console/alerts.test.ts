import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, type ExpectStatic } from 'vitest';
import { signWebhook } from '../../src/upstream/messages/webhook.ts';
import type { ArrivedHook } from '../support/servers/hook-server.ts';
import { readMail } from '../support/servers/mail-server.ts';
import { startWorld, type World } from '../support/world.ts';
import { type Receivers, startReceivers } from './support/receivers.ts';
import { OPERATOR, PASSWORD, signIn, test } from './support/visitor.ts';

/** Browsers log answers with such a status as errors. */
const REFUSED = /status of (?:400|401|429)/;
const EVIL = '"><img src=x onerror=alert(1)>';
const WAIT = { timeout: 30_000 };

let receivers: Receivers;
let world: World;

beforeAll(async () => {
  receivers = await startReceivers();
  const environment = { TOLLGATE_TRUSTED_PROXIES: '127.0.0.1', ...receivers.environment };
  world = await startWorld({ environment });
  // The conditions below are written by hand; no round takes them away.
  await world.database.query("update alert_tasks set due_at = now() + interval '1 hour'");
});
afterAll(async () => {
  await world?.close();
  await receivers?.close();
});

/** A mail to somebody with these words. Mails of other tests arrive beside it. */
async function mailTo(email: string, words: string, expect: ExpectStatic): Promise<string> {
  const find = () =>
    receivers.mail.mails
      .filter(({ to }) => to.includes(email))
      .map(readMail)
      .find((text) => text.includes(words));
  await expect.poll(find, WAIT).toBeDefined();
  return find() ?? '';
}

function linkIn(text: string, page: string): string {
  const [link] = new RegExp(`${world.url}/${page}#tgm1\\.[A-Za-z0-9_-]{43}`).exec(text) ?? [];
  if (link === undefined) throw new Error(`the mail has no link to ${page}: ${text}`);
  return link;
}

const hooksAt = (path: string): readonly ArrivedHook[] =>
  receivers.hooks.arrived.filter((each) => each.path === path);

/** Adds a webhook in the open drawer. Returns its secret, which is shown there. */
async function addWebhook(page: Page, name: string, path: string): Promise<string> {
  const drawer = page.getByRole('complementary', { name: 'Add a channel' });
  await drawer.getByLabel('Name', { exact: true }).fill(name);
  await drawer.getByLabel('Address', { exact: true }).fill(receivers.hooks.url + path);
  await drawer.getByRole('button', { name: 'Add', exact: true }).click();
  const made = page.getByRole('complementary', { name: `${name} is ready` });
  return (await made.getByText(/^whsec_/).textContent()) ?? '';
}

async function leaveSecret(made: Locator): Promise<void> {
  await made.getByRole('button', { name: 'Close' }).click();
  await made.page().getByRole('button', { name: 'Back to the secret' }).click();
  await made.getByRole('checkbox', { name: 'I have stored the secret' }).check();
  await made.getByRole('button', { name: 'Done' }).click();
}

test('a user adds a webhook, keeps its secret, tests it, and sees what could not be delivered', async ({
  expect,
  visit,
}) => {
  const account = 'user@example.com';
  const token = await world.login(account);
  const { page } = await visit('/settings', { baseURL: world.url, account, allow: REFUSED });
  await page.getByRole('link', { name: 'Choose notifications' }).click();
  await page.getByRole('link', { name: 'Add the first channel' }).click();
  await page.waitForURL('**/notifications?open=new');
  const drawer = page.getByRole('complementary', { name: 'Add a channel' });
  await drawer.getByLabel('Name', { exact: true }).fill(EVIL);
  await drawer.getByLabel('Address', { exact: true }).fill('https://10.0.0.1/hook');
  await drawer.getByRole('checkbox', { name: /^Limit hit/ }).uncheck();
  await drawer.getByRole('button', { name: 'Add', exact: true }).click();
  await drawer.getByRole('alert').waitFor();
  // What was typed stays.
  expect(await drawer.getByLabel('Name', { exact: true }).inputValue()).toBe(EVIL);
  const secret = await addWebhook(page, EVIL, '/team');
  const made = page.getByRole('complementary', { name: `${EVIL} is ready` });
  await made.getByRole('button', { name: 'Test', exact: true }).click();
  await made.getByText('delivered').waitFor();
  const [hook] = hooksAt('/team');
  const {
    'webhook-id': id,
    'webhook-timestamp': seconds,
    'webhook-signature': signature,
  } = hook?.headers ?? {};
  expect(signature).toBe(signWebhook({ id: String(id), body: hook?.body ?? '', secret }, Number(seconds)));
  await leaveSecret(made);
  const channels = page.getByRole('table', { name: 'Channels' });
  await channels.getByText(EVIL).waitFor();
  expect(await page.content()).not.toContain(secret);
  const [stored] = (await world.api('GET', '/alert/channels', { token })).body.data;
  expect(stored.alerts).toEqual(['credits-low', 'cap-near', 'cap-reached', 'key-expiring']);

  // The receiver is gone: the test says so, and the message stands among those not delivered.
  receivers.hooks.answers.set('/team', 410);
  await channels.getByRole('button', { name: `Test ${EVIL}` }).click();
  await channels.getByText('failed: answered with 410').waitFor();
  await page.getByRole('button', { name: 'Not delivered' }).click();
  await page.waitForURL('**/notifications?status=dead');
  const sent = page.getByRole('table', { name: 'Sent messages' });
  await sent.getByText('answered with 410').waitFor();
  await expect.poll(() => sent.getByRole('row').count()).toBe(2);

  await channels.getByRole('link').click();
  const edit = page.getByRole('complementary', { name: EVIL });
  await edit.getByLabel('Name', { exact: true }).fill('team');
  await edit.getByRole('button', { name: 'Save' }).click();
  await channels.getByText('team', { exact: true }).waitFor();
  await channels.getByRole('button', { name: 'More for team' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  const dialog = page.getByRole('dialog', { name: 'Delete team?' });
  await dialog.getByRole('textbox').fill('team');
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await page.getByText('No channels yet').waitFor();
});

test('a user chooses when Credits are low, and the language of mails', async ({ expect, visit }) => {
  const account = 'user@example.com';
  const token = await world.login(account);
  const { page } = await visit('/notifications', { baseURL: world.url, account });
  await page.getByLabel('Credits are low below').fill('none');
  await page.getByText('An amount such as 1000 or 250.5.').waitFor();
  await page.getByLabel('Credits are low below').fill('250.5');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved', { exact: true }).waitFor();
  const settings = async () => (await world.api('GET', '/alert/settings', { token })).body.data;
  expect((await settings()).credits_low).toBe('250.5');
  await page.getByRole('group', { name: 'Language of mails' }).getByRole('button').last().click();
  await expect.poll(async () => (await settings()).language).toBe('zh');
});

test('a forgotten password is replaced by the link of a mail, once', async ({ expect, visit }) => {
  const email = 'poor@example.com';
  const { page } = await visit('/signin', { baseURL: world.url, allow: REFUSED });
  await signIn(page, email, 'not the password');
  await page.getByRole('link', { name: 'Forgot your password?' }).click();
  // The page before has a field of this name too, and stands until this one is loaded.
  await page.waitForURL('**/forgot-password');
  await page.getByRole('heading', { name: 'Forgot your password?' }).waitFor();
  await page.getByLabel('E-mail').fill(email);
  await page.getByRole('button', { name: 'Send the link' }).click();
  await page.getByText('the link is on its way').waitFor();
  const link = linkIn(await mailTo(email, 'Choose a new password', expect), 'reset-password');
  await page.goto(link);
  const password = page.getByLabel('New password', { exact: true });
  await password.fill('a brand new password');
  // The token is gone from the address, and from what the browser remembers.
  expect(page.url()).toBe(`${world.url}/reset-password`);
  await page.getByRole('button', { name: 'Set the password' }).click();
  await page.getByRole('heading', { name: 'The password is set' }).waitFor();
  await page.getByRole('link', { name: 'Sign in' }).click();
  await signIn(page, email, 'a brand new password');
  await page.waitForURL('**/overview');
  await page.goto(link);
  await password.fill('another new password');
  await page.getByRole('button', { name: 'Set the password' }).click();
  await page.getByRole('heading', { name: 'This link no longer works' }).waitFor();
  await page.getByRole('link', { name: 'Ask for a new link' }).click();
  await page.getByRole('heading', { name: 'Forgot your password?' }).waitFor();
});

test('an address is confirmed by the link of a mail, and then gets alerts', async ({ expect, visit }) => {
  const account = 'empty@example.com';
  const { page } = await visit('/notifications?open=new', { baseURL: world.url, account, allow: REFUSED });
  const drawer = page.getByRole('complementary', { name: 'Add a channel' });
  await drawer.getByRole('button', { name: 'E-mail' }).click();
  await drawer.getByLabel('Name', { exact: true }).fill('me');
  await drawer.getByText('Mails go to a confirmed address only.').waitFor();
  expect(await drawer.getByRole('button', { name: 'Add', exact: true }).isDisabled()).toBe(true);
  await page.getByText('not confirmed').waitFor();
  await page.getByRole('button', { name: 'Send a confirmation link' }).click();
  await page.getByText('Sent. Open the link in the mail').waitFor();
  const link = linkIn(await mailTo(account, 'Confirm your e-mail address', expect), 'verify-address');
  await page.goto(link);
  await page.getByRole('button', { name: 'Confirm the address' }).click();
  await page.getByRole('heading', { name: 'The address is confirmed' }).waitFor();
  expect(page.url()).toBe(`${world.url}/verify-address`);
  await page.getByRole('link', { name: 'Go to the notifications' }).click();
  await page.getByText('confirmed', { exact: true }).waitFor();
  await page.getByRole('link', { name: 'Add a channel' }).click();
  await drawer.getByRole('button', { name: 'E-mail' }).click();
  expect(await drawer.getByLabel('Address', { exact: true }).inputValue()).toBe(account);
  await drawer.getByLabel('Name', { exact: true }).fill('me');
  await drawer.getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByRole('button', { name: 'Test me' }).click();
  await page.getByRole('table', { name: 'Channels' }).getByText('delivered').waitFor();
  await mailTo(account, 'Test of a channel', expect);
  await page.goto(link);
  await page.getByRole('button', { name: 'Confirm the address' }).click();
  await page.getByRole('heading', { name: 'This link no longer works' }).waitFor();
});

test('an operator sees what is wrong, and sends again what was not delivered', async ({ expect, visit }) => {
  await world.database.query(
    `insert into alert_states (key, kind, details) values ('route-down:1', 'route-down',
       '{"route":"1","vendor":"openai","model":"gpt-5","nodes":"local"}')`,
  );
  const { page } = await visit('/operator/alerts', { baseURL: world.url, account: OPERATOR });
  await page.getByText('openai fails for gpt-5 (route 1, seen by local)').waitFor();
  await page.getByText('one condition holds').waitFor();
  await page.getByRole('link', { name: 'Add the first channel' }).click();
  receivers.hooks.answers.set('/ops', 410);
  await addWebhook(page, 'on call', '/ops');
  const made = page.getByRole('complementary', { name: 'on call is ready' });
  await made.getByRole('button', { name: 'Test', exact: true }).click();
  await made.getByText('failed: answered with 410').waitFor();
  await leaveSecret(made);
  await page.getByRole('button', { name: 'Not delivered' }).click();
  const outbox = page.getByRole('table', { name: 'Outbox' });
  const letter = outbox.getByRole('row').filter({ hasText: 'on call' });
  await letter.getByText('not delivered').waitFor();
  receivers.hooks.answers.delete('/ops');
  await letter.getByRole('button', { name: /^Send Test \d+ again$/ }).click();
  await page.getByText('It is sent again').waitFor();
  await expect.poll(() => hooksAt('/ops').length, WAIT).toBe(2);
  const [first, second] = hooksAt('/ops').map(({ headers }) => headers['webhook-id']);
  expect(second).toBe(first);
  await letter.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Delivered', exact: true }).click();
  await letter.getByText('delivered').waitFor();
  const audit = await world.api('GET', '/api/v1/admin/audit?entity=alert_deliveries', {
    token: await world.login(OPERATOR, PASSWORD),
  });
  expect(audit.body.data).toMatchObject([{ action: 'platformAlerts.resend' }]);
});

test('a server that sends no mail says so, and how to configure it', async ({ visit }) => {
  const { page } = await visit('/signin', { baseURL: world.url });
  const { body } = await world.api('GET', '/settings');
  const without = { ...body, data: { ...body.data, can_mail: false } };
  await page.route('**/user/user/settings', (route) => route.fulfill({ json: without }));
  await page.goto('/signin');
  await page.getByText('Forgot it? Ask your operator to reset it.').waitFor();
  await page.goto('/forgot-password');
  await page.getByText('This server sends no e-mail. Ask its operator').waitFor();
  await signIn(await atSignIn(page), OPERATOR);
  await page.waitForURL('**/operator');
  await page.goto('/operator/alerts?open=new');
  await page.getByText('TOLLGATE_SMTP_URL').waitFor();
  const drawer = page.getByRole('complementary', { name: 'Add a channel' });
  await drawer.getByRole('button', { name: 'E-mail' }).click();
  await drawer.getByText('Choose a webhook, or configure a mail server.').waitFor();
});

async function atSignIn(page: Page): Promise<Page> {
  await page.getByRole('link', { name: 'Sign in' }).click();
  await page.waitForURL('**/signin');
  return page;
}
