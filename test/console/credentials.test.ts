import type { Page } from 'playwright-core';
import { expect, inject } from 'vitest';
import { AWS } from '../../sim/cloud/state.ts';
import { askOperator, callModel, newMember, test } from './support/visitor.ts';

const GOOD = 'sk-sim-openai-of-the-console-7777';
const EVIL = '"><svg onload=alert(1)>';

async function addTested(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Add the first key' }).click();
  await page.waitForURL('**/credentials?open=new');
  const drawer = page.getByRole('complementary', { name: 'Add a vendor key' });
  await drawer.getByRole('radio', { name: 'OpenAI' }).check();
  await drawer.getByLabel('Name').fill(EVIL);
  await drawer.getByLabel(/^Key/).fill('sk-wrong-key-0000000');
  const save = drawer.getByRole('button', { name: /^Save/ });
  expect(await save.isDisabled()).toBe(true);
  await drawer.getByRole('button', { name: 'Test' }).click();
  await drawer.getByText('The vendor refused it with 401').waitFor();
  expect(await save.isDisabled()).toBe(true);
  // What was typed stays, and another key is another test.
  await drawer.getByLabel(/^Key/).fill(GOOD);
  expect(await drawer.getByLabel('Name').inputValue()).toBe(EVIL);
  await drawer.getByRole('button', { name: 'Test again' }).click();
  await drawer.getByText('Key accepted').waitFor();
  await drawer.getByText(/gpt-5, /).waitFor();
  await save.click();
  await page.waitForURL('**/credentials');
}

test('an own vendor key is tested before it is saved, explained when it fails, replaced and deleted', async ({
  expect,
  visitAs,
}) => {
  const member = await newMember({ credits: '50000' });
  const { page } = await visitAs(member.email, '/credentials');
  await addTested(page);
  const row = page.getByRole('row').filter({ hasText: EVIL });
  await row.getByText('…7777').waitFor();
  await row.getByText('Not used yet').waitFor();
  expect(await page.content()).not.toContain(GOOD);

  // A call through it is free, and arrives in the list.
  const key = await member.newKey();
  expect((await callModel(key)).status).toBe(200);
  await row.getByText('Healthy').waitFor();
  const { body: stats } = await member.ask('GET', '/credential/stats');
  expect(stats.data).toMatchObject([{ name: EVIL, calls: 1 }]);
  await row.getByText('none failed').waitFor();
  expect((await member.ask('GET', '/ext')).body.data.credits).toBe('50000');

  // The vendor refuses it now: the page says so, and the platform serves.
  await page.getByRole('switch', { name: 'Fall back to the platform' }).check();
  await expect.poll(async () => (await member.ask('GET', '/preference')).body.data.byok_fallback).toBe(true);
  const [{ id }] = (await member.ask('GET', '/credential/page')).body.data;
  await member.ask('PUT', '/credential', { id, secret: 'sk-revoked-0000000001' });
  expect((await callModel(key)).status).toBe(200);
  const alarm = page.getByRole('alert').filter({ hasText: 'fails at OpenAI (401)' });
  await alarm.waitFor();
  await row.getByRole('button', { name: `Test ${EVIL}` }).click();
  await row.getByText('refused, 401').waitFor();
  await alarm.getByRole('link', { name: 'Replace it' }).click();
  await page.waitForURL(`**/credentials?open=${id}`);
  const edit = page.getByRole('complementary', { name: EVIL });
  await edit.getByLabel('Name').fill('replaced');
  await edit.getByLabel(/^Key/).fill(GOOD);
  await edit.getByRole('button', { name: 'Test' }).click();
  await edit.getByText('Key accepted').waitFor();
  await edit.getByRole('button', { name: 'Save replaced' }).click();

  const renamed = page.getByRole('row').filter({ hasText: 'replaced' });
  await renamed.getByRole('button', { name: 'More for replaced' }).click();
  await page.getByRole('menuitem', { name: 'Switch off' }).click();
  await renamed.getByText('switched off by you').waitFor();
  await renamed.getByRole('button', { name: 'More for replaced' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  const dialog = page.getByRole('dialog', { name: 'Delete replaced?' });
  await dialog.getByRole('textbox').fill('replaced');
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await page.getByText('No own vendor keys').waitFor();
  expect((await member.ask('GET', '/credential/page')).body.total).toBe(0);
  const audit = await askOperator('GET', '/audit?size=50');
  expect(JSON.stringify(audit.body)).not.toContain(GOOD);
});

test('an own credential of a cloud is typed in its parts, and tested as it is signed', async ({
  visitAs,
  onTestFinished,
}) => {
  const code = `bedrock-own-${process.pid}`;
  const base_url = `${inject('simulatorUrl')}/bedrock`;
  const cloud = { kind: 'bedrock', region: AWS.region };
  const vendor = { code, name: 'Bedrock of a test', protocols: ['messages'], base_url, cloud, byok: true };
  await askOperator('POST', '/vendors', vendor);
  await askOperator('POST', '/models', { model_id: code, prices: { input: '1', output: '1' } });
  const credential = { name: code, vendor: code, secret: AWS.bearer };
  await askOperator('POST', '/credentials', credential);
  const forward_model_id = 'us.anthropic.claude-sonnet-4-5-20250929-v1:0';
  await askOperator('POST', '/routes', { model_id: code, vendor: code, credential: code, forward_model_id });
  onTestFinished(async () => {
    await askOperator('PUT', `/models/${code}`, { status: 'disabled', client_visible: false });
    await askOperator('PUT', `/vendors/${code}`, { byok: false });
  });
  const member = await newMember();
  const { page } = await visitAs(member.email, '/credentials?open=new');
  const drawer = page.getByRole('complementary', { name: 'Add a vendor key' });
  await drawer.getByRole('radio', { name: 'Bedrock of a test' }).check();
  await drawer.getByLabel('Name').fill('signed');
  await drawer.getByLabel('Access key ID').fill(AWS.accessKeyId);
  const testIt = drawer.getByRole('button', { name: 'Test' });
  expect(await testIt.isDisabled()).toBe(true);
  await drawer.getByLabel('Secret access key').fill(AWS.secretAccessKey);
  await testIt.click();
  await drawer.getByText('Key accepted').waitFor();
  await drawer.getByRole('button', { name: /^Save/ }).click();
  await page.waitForURL('**/credentials');
  expect((await callModel(await member.newKey(), code)).status).toBe(200);
  expect(await page.content()).not.toContain(AWS.secretAccessKey);
});
