import type { Page } from 'playwright-core';
import { chargedMicro, micro, settledCalls } from './support/sums.ts';
import { callModel, newMember, test } from './support/visitor.ts';

async function callEach(member: Awaited<ReturnType<typeof newMember>>): Promise<void> {
  const [laptop, server] = [await member.newKey('laptop'), await member.newKey('server')];
  await callModel(laptop, 'gpt-5', 'hello [[sim tokens=400]]');
  await callModel(server, 'gpt-5', 'hello [[sim tokens=310]]');
  await callModel(server, 'claude-sonnet-5', 'hello [[sim tokens=700]]');
  await callModel(server, 'no-such-model');
  await settledCalls(member, 4);
}

/** The cells of a row of the sums, by the heads of their columns. */
async function rowOf(page: Page, name: string): Promise<ReadonlyMap<string, string>> {
  const table = page.getByRole('table', { name: 'Sums by group' });
  const heads = await table.getByRole('columnheader').allTextContents();
  const row = table.getByRole('row').filter({ hasText: name }).last();
  const cells = await row.getByRole('cell').allTextContents();
  return new Map(heads.map((head, at) => [head.replace(/ [↓↑]$/, ''), cells[at] ?? '']));
}

test('every sum is that of the statistics and of the ledger, by any group', async ({ visitAs, expect }) => {
  const member = await newMember();
  await callEach(member);
  const total = (await member.ask('GET', '/stats/overview')).body.data.total;
  expect(await chargedMicro(member)).toBe(micro(total.amount));
  const { page } = await visitAs(member.email, '/usage');
  for (const [by, path, field] of [
    ['Model', 'models', 'model_id'],
    ['Key', 'keys', 'key_name'],
  ] as const) {
    await page.getByRole('group', { name: 'Group by' }).getByRole('button', { name: by }).click();
    await page.getByRole('columnheader', { name: by }).first().waitFor();
    const { body } = await member.ask('GET', `/stats/${path}`);
    for (const group of body.data) {
      await expect.poll(async () => (await rowOf(page, group[field])).get('Calls')).toBe(String(group.calls));
      const row = await rowOf(page, group[field]);
      expect(micro(row.get('Value'))).toBe(micro(group.amount));
      expect(row.get('Failed')).toBe(String(group.failed));
    }
    const all = await rowOf(page, 'All');
    expect(all.get('Calls')).toBe('4');
    expect(micro(all.get('Value'))).toBe(micro(total.amount));
  }
  expect(micro(await page.getByRole('heading', { level: 2 }).first().textContent())).toBe(
    micro(total.amount),
  );
  const { body: payers } = await member.ask('GET', '/stats/payers');
  const paid = payers.data.find(({ payer }: { payer: string }) => payer === 'credits');
  await page.getByText(`${paid.credits} Credits were paid.`).waitFor();
});

test('the way from a bar leads to its calls, and what is chosen stays in the address', async ({
  visitAs,
  expect,
}) => {
  const member = await newMember();
  await callEach(member);
  const { page } = await visitAs(member.email, '/usage?period=7d&measure=x&at=never');
  await page.getByRole('group', { name: 'Group by' }).getByRole('button', { name: 'Key' }).click();
  await page.getByRole('group', { name: 'Measure' }).getByRole('button', { name: 'Calls' }).click();
  await page.waitForURL('**/usage?period=7d&by=key&measure=calls');
  const slider = page.getByRole('slider', { name: 'Calls by Key, per day' });
  await slider.press('End');
  await slider.press('Enter');
  await page.waitForURL(/&at=/);
  const address = page.url();
  await page.reload();
  const panel = page.getByRole('region', { name: 'The chosen column' });
  await panel.getByRole('link', { name: 'Open these 4 calls' }).waitFor();
  expect(page.url()).toBe(address);
  await panel.getByRole('link', { name: 'server' }).click();
  await page.waitForURL(/\/calls\?from=.*key_id=/);
  await expect.poll(() => page.getByRole('row').filter({ hasText: 'server' }).count()).toBe(3);
  await page.goBack();
  await panel.getByRole('link', { name: 'Open these 4 calls' }).click();
  await page.waitForURL(/\/calls\?from=/);
  await expect
    .poll(() =>
      page
        .getByRole('row')
        .filter({ hasText: /laptop|server/ })
        .count(),
    )
    .toBe(4);
  await page.goBack();
  await page.goBack();
  await page.waitForURL('**/usage?period=7d&by=key&measure=calls');
});

test('a filter narrows every sum and the file, and a call that ends is counted at once', async ({
  visitAs,
  expect,
}) => {
  const member = await newMember();
  await callEach(member);
  const { page } = await visitAs(member.email, '/usage');
  await page.getByRole('button', { name: 'Filter', exact: true }).click();
  await page.getByRole('button', { name: 'Model', exact: true }).last().click();
  await page.getByRole('dialog').getByRole('button', { name: 'gpt-5' }).click();
  await page.waitForURL('**/usage?model=gpt-5');
  await expect.poll(async () => (await rowOf(page, 'All')).get('Calls')).toBe('2');
  const file = await page.getByRole('link', { name: 'Export' }).getAttribute('href');
  const lines = (await page.evaluate(async (path) => (await fetch(path)).text(), String(file))).split('\r\n');
  expect(lines).toHaveLength(3);
  expect(lines[1]).toMatch(/^\d{4}-\d\d-\d\d 00:00:00,gpt-5,,2,/);
  const { body } = await member.ask('GET', '/api-key/page');
  expect(body.data).toHaveLength(2);
  await callModel(await member.newKey('third'), 'gpt-5');
  await expect.poll(async () => (await rowOf(page, 'All')).get('Calls'), { timeout: 15_000 }).toBe('3');
  await page.getByRole('button', { name: 'Remove filter: Model' }).click();
  await expect.poll(async () => (await rowOf(page, 'All')).get('Calls')).toBe('5');
});

test('it fits a phone, and speaks Chinese', async ({ visitAs, expect }) => {
  const member = await newMember();
  await callModel(await member.newKey(), 'gpt-5');
  const { amount } = await settledCalls(member, 1);
  const look = { locale: 'zh-CN', viewport: { width: 390, height: 844 }, hasTouch: true };
  const { page } = await visitAs(member.email, '/usage?period=24h', look);
  await page.getByRole('heading', { name: '用量' }).waitFor();
  const sums = page.getByRole('table', { name: '各分组合计' });
  await sums.getByRole('link', { name: 'gpt-5' }).waitFor();
  expect(await sums.textContent()).toContain(`¥${amount}`);
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
  await page.getByRole('link', { name: '查看这 1 次调用' }).click();
  await page.waitForURL(/\/calls\?from=/);
});
