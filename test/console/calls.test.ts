import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { until } from '../support/processes.ts';
import {
  askOperator,
  callModel,
  consoleUrl,
  LOOK_MS,
  type Member,
  newMember,
  OPERATOR,
  test,
} from './support/visitor.ts';

/** Waits until it is so. */
async function eventually<Value>(read: () => Value | Promise<Value>, wanted: Value): Promise<void> {
  let last: Value | undefined;
  const isSo = async () => {
    last = await read();
    return last === wanted;
  };
  await until(isSo, WAIT_MS, LOOK_MS).catch(() => expect(last).toBe(wanted));
}

const WAIT_MS = 30_000;
const ROWS = 'tbody tr[data-index]';

/** Waits until the log has so many calls of the member. Newest first. */
async function loggedCalls(
  member: Member,
  wanted: number,
): Promise<readonly { readonly request_id: string }[]> {
  const read = async () => (await member.ask('GET', '/call-log/search?size=100')).body.data.calls;
  await eventually(async () => (await read()).length, wanted);
  return read();
}

/** A call through a conversion that leaves fields out, streamed. */
async function callConverted(key: string): Promise<void> {
  const response = await fetch(`${consoleUrl}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      ...{ model: 'claude-sonnet-5', max_tokens: 50, stream: true, seed: 7, logit_bias: { 50256: -1 } },
      messages: [{ role: 'user', content: 'Hello' }],
    }),
  });
  await response.text();
}

const drawerOf = (page: Page) => page.getByRole('complementary', { name: /^Call req_|^调用 req_/ });
const chip = (page: Page, name: string) => page.getByRole('button', { name: `Remove filter: ${name}` });

/** An exact decimal as a whole number of units of 10^-30. */
function exact(text: string): bigint {
  const [, sign = '', whole = '', decimals = ''] = /^([−-]?)¥?([\d,]+)(?:\.(\d+))?$/.exec(text.trim()) ?? [];
  if (whole === '') throw new Error(`not a decimal: ${text}`);
  const value = BigInt(whole.replaceAll(',', '') + decimals.padEnd(30, '0'));
  return sign === '' ? value : -value;
}

test('calls are filtered, and the address holds the filter', async ({ visitAs }) => {
  const member = await newMember();
  const key = await member.newKey('laptop');
  expect((await callModel(key)).status).toBe(200);
  expect((await callModel(key, 'claude-sonnet-5')).status).toBe(200);
  expect((await callModel(key, 'no-such-model')).status).toBe(502);
  await loggedCalls(member, 3);
  const { page, context } = await visitAs(member.email, '/calls');
  const rows = page.locator(ROWS);
  await rows.nth(2).waitFor();
  expect(await rows.allTextContents()).toEqual([
    expect.stringContaining('no such model'),
    expect.stringContaining('claude-sonnet-5'),
    expect.stringContaining('gpt-5'),
  ]);
  await page.keyboard.press('/');
  await page.keyboard.type('claude');
  await page.getByRole('button', { name: 'Model claude-sonnet-5' }).waitFor();
  await page.keyboard.press('Enter');
  await eventually(() => rows.count(), 1);
  expect(new URL(page.url()).searchParams.get('model')).toBe('claude-sonnet-5');
  await page.getByRole('button', { name: 'Filter', exact: true }).click();
  await page.getByRole('button', { name: 'Model', exact: true }).click();
  await page.getByRole('button', { name: 'gpt-5', exact: true }).click();
  await eventually(() => rows.count(), 2);
  await page.keyboard.press('Escape');
  await page.reload();
  await eventually(() => rows.count(), 2);
  await page.getByText('any of 2').waitFor();
  await chip(page, 'Model').click();
  await eventually(() => rows.count(), 3);
  await page.getByRole('button', { name: 'Filter', exact: true }).click();
  await page.getByRole('button', { name: 'Status', exact: true }).click();
  await page.getByRole('button', { name: 'refused or failed', exact: true }).click();
  await eventually(() => rows.count(), 1);
  await chip(page, 'Status').click();
  await eventually(() => rows.count(), 3);
  await page.getByRole('button', { name: 'Refused or failed', exact: true }).click();
  await eventually(() => rows.count(), 1);
  // The file has the filters of the page.
  const href = await page.getByRole('link', { name: 'CSV' }).getAttribute('href');
  const file = await (await context.request.get(`${consoleUrl}${href}`)).text();
  const lines = file.trim().split('\r\n');
  expect(lines.length).toBe(2);
  expect(lines[1]).toContain('50201');
  await chip(page, 'Status').click();
  // Columns are chosen, and stay so.
  await page.getByRole('button', { name: 'Choose columns' }).click();
  await page.getByRole('menuitemcheckbox', { name: 'Payer' }).click();
  await page.keyboard.press('Escape');
  await page.reload();
  await rows.nth(2).waitFor();
  expect(await page.getByRole('columnheader', { name: 'Payer' }).count()).toBe(1);
  // What makes no sense in an address is dropped.
  await page.goto('/calls?status=nonsense&key_id=x&from=yesterday&to=2026-13-41%2099:00:00&payer=7');
  await eventually(() => rows.count(), 3);
});

test('a call shows its time line, its losses and a receipt that adds up', async ({ visitAs }) => {
  const member = await newMember();
  await callConverted(await member.newKey('laptop'));
  const [logged] = await loggedCalls(member, 1);
  const { body } = await member.ask('GET', `/call-log/request/${logged?.request_id}`);
  const { receipt, amount, credits } = body.data;
  const { page } = await visitAs(member.email, '/calls');
  await page.getByRole('link', { name: 'claude-sonnet-5' }).click();
  const drawer = drawerOf(page);
  await drawer.getByRole('heading', { name: 'Receipt' }).waitFor();
  const text = async () => (await drawer.innerText()).replaceAll('\u00a0', ' ');
  expect(await text()).toContain('200 complete');
  expect(await text()).toContain('Chat → Messages, streamed');
  expect(await text()).toContain('first route served');
  for (const field of ['logit_bias', 'seed']) await drawer.getByText(field, { exact: true }).waitFor();
  const cells = (await drawer.locator('section', { hasText: 'List amount' }).innerText())
    .split(/[\n\t]/)
    .map((each) => each.replace(/^[=×]\s*/, '').trim());
  const shown = (value: string) => expect(cells, value).toContain(value);
  const lines = receipt.lines as readonly { readonly amount: string }[];
  for (const line of lines) shown(line.amount);
  shown(receipt.list_amount);
  shown(receipt.product);
  const sum = lines.reduce((total, line) => total + exact(line.amount), 0n);
  expect(sum).toBe(exact(receipt.list_amount));
  const minus = cells.find((each) => /^(?:−[\d.]+|0)$/.test(each)) ?? '';
  expect(exact(receipt.product) + exact(minus)).toBe(exact(amount));
  const written = cells.find((each) => /^¥[\d.]+$/.test(each) && exact(each) === exact(amount));
  expect(written).toBeDefined();
  // The ledger says the same.
  const ledger = await member.ask('GET', '/balance-log/page');
  const entry = ledger.body.data.find((each: { ref: string }) => each.ref === logged?.request_id);
  expect(exact(entry.change)).toBe(-exact(credits));
  expect(exact(credits)).toBe(exact(amount) * BigInt(receipt.credits_per_yuan));
  expect(await text()).toContain(`#${receipt.entries[0].id}`);
  expect(await text()).toContain(entry.change.replace('-', '−'));
  await page.keyboard.press('Escape');
  await eventually(() => drawer.count(), 0);
  // A problem is reported with the id of the call.
  await page.goBack();
  await drawer.getByRole('button', { name: 'Report a problem' }).click();
  await page.getByLabel('What went wrong').fill('The answer is odd.');
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await page.getByText(/^Sent\. The answer appears/).waitFor();
  const feedback = await askOperator('GET', '/feedback?size=100');
  const contents = feedback.body.data.map(({ content }: { content: string }) => content);
  expect(contents).toContain(`The answer is odd.\n\nCall: ${logged?.request_id}`);
});

test('new calls arrive by themselves, if they pass the filter', async ({ visitAs }) => {
  const member = await newMember();
  const key = await member.newKey('laptop');
  await callModel(key);
  await loggedCalls(member, 1);
  const { page } = await visitAs(member.email, '/calls?model=gpt-5');
  const rows = page.locator(ROWS);
  await rows.nth(0).waitFor();
  await callModel(key, 'gemini-3-pro');
  await callModel(key);
  await eventually(() => rows.count(), 2);
  expect(await page.getByRole('link', { name: 'gemini-3-pro' }).count()).toBe(0);
  // What somebody points at does not move.
  await rows.nth(1).hover();
  await callModel(key);
  const arrived = page.getByRole('button', { name: '1 new call' });
  await arrived.waitFor();
  expect(await rows.count()).toBe(2);
  await arrived.click();
  await eventually(() => rows.count(), 3);
  await page.getByRole('switch', { name: 'Live' }).click();
  await page.waitForURL(/live=off/);
  await callModel(key);
  await loggedCalls(member, 5);
  expect(await rows.count()).toBe(3);
  await page.reload();
  await eventually(() => rows.count(), 4);
});

test('j and k walk the filtered list across pages, and a link opens any call', async ({ visitAs }) => {
  const member = await newMember();
  const key = await member.newKey('laptop');
  await Promise.all(Array.from({ length: 56 }, () => callModel(key, 'no-such-model')));
  await callModel(key);
  const ids = (await loggedCalls(member, 57)).map(({ request_id: id }) => id);
  const { page, context } = await visitAs(member.email, '/calls?status=failed', { allow: /404/ });
  await page.locator(ROWS).nth(5).waitFor();
  const open = () => new URL(page.url()).searchParams.get('call');
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await eventually(open, ids[1]);
  await page.keyboard.press('k');
  await page.keyboard.press('j');
  await eventually(open, ids[2]);
  await page.keyboard.press('k');
  await eventually(open, ids[1]);
  expect(
    await drawerOf(page)
      .getByRole('button', { name: /^Previous/ })
      .isDisabled(),
  ).toBe(true);
  // Beyond the first page, in a new window, with its neighbours.
  const last = await context.newPage();
  await last.goto(`/calls?status=failed&call=${ids[54]}`);
  await drawerOf(last).getByText('50201').first().waitFor();
  const openLast = () => new URL(last.url()).searchParams.get('call');
  await drawerOf(last).getByRole('button', { name: /^Next/ }).click();
  await eventually(openLast, ids[55]);
  await last.keyboard.press('k');
  await eventually(openLast, ids[54]);
  await last.keyboard.press('Escape');
  await eventually(() => drawerOf(last).count(), 0);
  // By its id, from anywhere.
  await page.goto('/wallet');
  await page.getByRole('button', { name: /Search or jump to/ }).waitFor();
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill(ids[0] ?? '');
  await page.keyboard.press('Enter');
  await page.waitForURL(`**/calls?call=${ids[0]}`);
  await drawerOf(page).getByText('200 complete').waitFor();
  await page.getByLabel('Search calls').fill('');
  await page.getByLabel('Search calls').fill(ids[3] ?? '');
  await eventually(open, ids[3]);
  // The browser itself complains about the 404 that this provokes.
  await page.goto('/calls?call=req_nothing');
  await drawerOf(page).getByText('There is no such call').waitFor({ timeout: 20_000 });
});

test('a refused call says which limit, whose, when it opens, and what helps', async ({ visitAs }) => {
  const member = await newMember();
  const created = await member.ask('POST', '/api-key', { name: 'batch', policy_id: 3 });
  const key = String(created.body.data.api_key);
  for (let count = 0; count < 3; count += 1) await callModel(key);
  const [refused] = await loggedCalls(member, 3);
  const { page } = await visitAs(member.email, `/calls?call=${refused?.request_id}`);
  const drawer = drawerOf(page);
  await drawer.getByRole('heading', { name: /Why was I refused/ }).waitFor();
  const text = await drawer.innerText();
  expect(text).toContain('Not charged');
  expect(text).toContain('This key may use 2 requests in a minute.');
  expect(text).toContain('policy two-a-minute');
  expect(text).toMatch(/opens again in\s+0:\d\d|open again since/);
  expect(text).toContain('"code": 42902');
  const meter = drawer.getByRole('meter', { name: /Requests/ });
  expect(await meter.getAttribute('aria-valuetext')).toBe('2 of 2');
  // The limit is the key's own: no plan would help.
  expect(await drawer.getByRole('link', { name: 'See plans' }).count()).toBe(0);
  await drawer.getByRole('heading', { name: 'What 42902 means' }).waitFor();
  await drawer.getByRole('link', { name: 'Change its policy' }).click();
  await page.waitForURL(`**/keys?open=${created.body.data.id}`);
});

const EVIL = ['<img src=x onerror=alert(1)>', '"><script>alert(1)</script>', "javascript:alert('1')"];

test('names stay text, and operators see whose call it is and what it cost', async ({ visitAs }) => {
  const member = await newMember();
  const key = await member.newKey(EVIL[0]);
  await callModel(key, EVIL[1]);
  await callModel(key, EVIL[2]);
  await callModel(key);
  const [served] = await loggedCalls(member, 3);
  const { page } = await visitAs(OPERATOR, `/operator/calls?account_id=${member.id}`);
  const rows = page.locator(ROWS);
  await eventually(() => rows.count(), 3);
  await page.getByText(EVIL[1] ?? '', { exact: true }).waitFor();
  expect(await rows.first().innerText()).toContain(member.email);
  await page.getByRole('link', { name: 'gpt-5' }).click();
  const drawer = drawerOf(page);
  await drawer.getByRole('heading', { name: 'Receipt' }).waitFor();
  const { body } = await askOperator('GET', `/calls/${served?.request_id}`);
  const text = await drawer.innerText();
  expect(text).toContain(EVIL[0]);
  expect(text).toContain('openai-main');
  expect(text).toContain(member.email);
  expect(exact(/¥([\d.]+) cost/.exec(text)?.[1] ?? '')).toBe(exact(body.data.cost));
  await page.keyboard.press('j');
  await drawer
    .getByText(EVIL[2] ?? '', { exact: true })
    .first()
    .waitFor();
});

test('on a phone, in Chinese and dark, the list and a call can be read', async ({ visitAs }) => {
  const member = await newMember();
  await callModel(await member.newKey('laptop'));
  await loggedCalls(member, 1);
  const look = { viewport: { width: 390, height: 844 }, locale: 'zh-CN', colorScheme: 'dark' as const };
  const { page } = await visitAs(member.email, '/calls', look);
  await page.getByRole('heading', { level: 1, name: '调用' }).waitFor();
  await page.locator(ROWS).first().click();
  await drawerOf(page).getByRole('heading', { name: '账单' }).waitFor();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
});
