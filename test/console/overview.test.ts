import type { Locator, Page } from 'playwright-core';
import { chargedMicro, micro, settledCalls } from './support/sums.ts';
import { callModel, type Member, newMember, test } from './support/visitor.ts';

const tiles = (page: Page): Locator => page.getByRole('region', { name: 'Sums of the period' });

/** Two models with two keys. */
async function callThrice(member: Member): Promise<void> {
  const [laptop, server] = [await member.newKey('laptop'), await member.newKey('server')];
  await callModel(laptop, 'gpt-5', 'hello [[sim tokens=400]]');
  await callModel(laptop, 'claude-sonnet-5', 'hello [[sim tokens=700]]');
  await callModel(server, 'gpt-5', 'hello [[sim tokens=300]]');
}

test('a new account sees what to do next, and its first call without a reload', async ({
  visitAs,
  expect,
}) => {
  const member = await newMember();
  const key = await member.newKey('laptop');
  const { page } = await visitAs(member.email, '/overview');
  await page.getByRole('heading', { name: 'No calls yet' }).waitFor();
  const start = page.getByRole('link', { name: 'Make the first call' });
  expect(await start.getAttribute('href')).toBe('/start');
  await page
    .getByText('Nothing needs you now.')
    .or(page.getByText('One model needs a verification'))
    .waitFor();
  await callModel(key, 'gpt-5');
  const row = page
    .getByRole('table', { name: 'Latest calls' })
    .getByRole('row')
    .filter({ hasText: 'laptop' });
  await row.waitFor();
  const total = await settledCalls(member, 1);
  // The sums follow by themselves too.
  await expect.poll(() => tiles(page).textContent()).toContain('Calls1');
  await expect.poll(() => tiles(page).textContent()).toContain(`¥${total.amount}`);
  const { body } = await member.ask('GET', '/call-log/page');
  expect(micro(await row.getByRole('cell').last().textContent())).toBe(micro(body.data[0].amount));
  await row.click();
  await page.waitForURL((url) => url.searchParams.get('call') === body.data[0].request_id);
});

test('its sums are those of the statistics and of the ledger, in any period', async ({ visitAs, expect }) => {
  const member = await newMember();
  await callThrice(member);
  const total = await settledCalls(member, 3);
  expect(await chargedMicro(member)).toBe(micro(total.amount));
  const { page } = await visitAs(member.email, '/overview?period=nonsense&by=7');
  await expect.poll(() => tiles(page).textContent()).toContain('Calls3');
  const spend = tiles(page).getByText(/^¥/).first().locator('..');
  expect(micro(await spend.textContent())).toBe(micro(total.amount));
  const { body: models } = await member.ask('GET', '/stats/models');
  for (const { model_id: model, amount } of models.data) {
    const share = page.getByRole('listitem').filter({ has: page.getByText(model, { exact: true }) });
    expect(micro(await share.locator('b').textContent())).toBe(micro(amount));
  }
  // The table behind the chart has the total of each column.
  const chart = page.getByRole('table', { name: /^Value by Model/ });
  expect(micro(await chart.getByRole('row').last().getByRole('cell').last().textContent())).toBe(
    micro(total.amount),
  );
  await page.getByRole('button', { name: '24 hours' }).click();
  await page.getByRole('button', { name: 'Key', exact: true }).click();
  await page.waitForURL('**/overview?period=24h&by=key');
  await page.reload();
  await page.getByRole('heading', { name: 'Value by key' }).waitFor();
  const shares = page.getByRole('listitem').filter({ hasText: 'server' });
  await shares.first().waitFor();
  await page.goBack();
  await page.getByRole('heading', { name: 'Value by model' }).waitFor();
  await page.waitForURL('**/overview?period=24h');
  // From a column to its calls.
  const slider = page.getByRole('slider', { name: /^Value by Model/ });
  await slider.press('End');
  await slider.press('Enter');
  await page.waitForURL(/\/calls\?from=/);
  await expect.poll(() => page.getByRole('row').filter({ hasText: 'laptop' }).count()).toBe(2);
});

test('what needs attention stands with its remedy, and limits and funds beside it', async ({
  visitAs,
  expect,
}) => {
  const member = await newMember({ credits: '0', balance: '3.5' });
  const inTwoDays = new Date(Date.now() + 2.5 * 86_400_000).toISOString().slice(0, 19).replace('T', ' ');
  await member.ask('POST', '/api-key', { name: 'batch-night', expires_at: inTwoDays });
  await member.ask('PUT', '/ext/extra-api-quota', { extra_api_quota: '5' });
  const { page } = await visitAs(member.email, '/overview');
  const item = (text: string) => page.getByRole('listitem').filter({ hasText: text });
  await item('batch-night expires in 2 days').waitFor();
  expect(await item('batch-night').getByRole('link', { name: 'Extend' }).getAttribute('href')).toMatch(
    /^\/keys\?open=\d+$/,
  );
  await item('One model needs a verification').getByRole('link', { name: 'Verify' }).waitFor();
  const gone = item('No Credits left');
  await gone.waitFor();
  expect(await gone.getByRole('link').getAttribute('href')).toMatch(/^\/wallet/);
  const { body } = await member.ask('GET', '/ext');
  const shown = await page.getByRole('heading', { name: 'Funds' }).locator('../..').textContent();
  expect(shown).toContain('Balance¥3.50');
  expect(micro(body.data.balance)).toBe(3_500_000n);
  await page.getByRole('heading', { name: 'Limits, live' }).waitFor();
});

test('it fits a phone and speaks Chinese, in a period of one’s own', async ({ visitAs, expect }) => {
  const member = await newMember();
  await callModel(await member.newKey('手机'), 'gpt-5');
  await settledCalls(member, 1);
  const look = { locale: 'zh-CN', viewport: { width: 390, height: 844 }, hasTouch: true };
  const { page } = await visitAs(member.email, '/overview', look);
  await page.getByRole('heading', { name: '概览' }).waitFor();
  await page.getByRole('heading', { name: '需要处理' }).waitFor();
  await page.getByRole('row').filter({ hasText: 'gpt-5' }).first().waitFor();
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
  await page.getByRole('button', { name: '自定义' }).click();
  await page.getByLabel('从').fill('2026-01-03');
  await page.getByLabel('到', { exact: true }).fill('2026-01-09');
  await page.getByRole('button', { name: '查看' }).click();
  await page.waitForURL('**/overview?period=custom&from=2026-01-03&to=2026-01-09');
  await page.getByText('这段时间没有调用。').waitFor();
});
