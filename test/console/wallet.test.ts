import { inject } from 'vitest';
import { silentLogger } from '../../src/kernel/log.ts';
import { openDatabase } from '../../src/store/database.ts';
import { jobOf } from '../support/calls.ts';
import { createJobLedger } from '../support/job-books.ts';
import { askOperator, callModel, newMember, test } from './support/visitor.ts';

/** Less than one Credit is free. */
const CHARGED = 'Hello [[sim tokens=50]]';

/** As the page writes an amount of yuan or of Credits: only separators and zeros are added. */
const yuan = (amount: string) => {
  const [whole = '', decimals = ''] = amount.split('.');
  return `¥${whole.replace(/\B(?=(\d{3})+$)/g, ',')}.${decimals.padEnd(2, '0')}`;
};
const creditsOf = (amount: string) =>
  amount.replace(/^\d+/, (whole) => whole.replace(/\B(?=(\d{3})+$)/g, ','));

test('the wallet exchanges what its preview said, and keeps the ledger to the last digit', async ({
  visitAs,
  expect,
}) => {
  const member = await newMember({ balance: '1234.567891', credits: '50' });
  const evil = '<img src=x onerror=alert(1)> & "order"';
  await askOperator('POST', `/accounts/${member.id}/top-up`, { pool: 'balance', amount: '1', reason: evil });
  const key = await member.newKey();
  const { page } = await visitAs(member.email, '/wallet', { allow: /400 \(Bad Request\)/ });
  const funds = page.getByRole('region', { name: 'Funds' });
  await funds.getByText('¥1,235.567891').waitFor();
  // The reason of an operator is text.
  await page.getByText(evil).waitFor();

  const amount = page.getByLabel('Yuan to exchange');
  await amount.fill('9999999');
  await page.getByText('This is more than the balance.').waitFor();
  await amount.fill('1.2.3');
  await page.getByText('at most six decimals').waitFor();
  await amount.fill('12.345678');
  const { body: preview } = await member.ask('GET', '/points/exchange/preview?amount=12.345678');
  await page.getByText(`${creditsOf(preview.data.received)} Credits`).waitFor();
  await page.getByText(`${yuan('1235.567891')} → ${yuan(preview.data.balance)}`).waitFor();
  await page.getByRole('button', { name: 'Exchange ¥12.345678' }).click();
  await funds.getByText(yuan(preview.data.balance)).waitFor();
  await funds.getByText(creditsOf(preview.data.credits)).waitFor();
  const { body: ext } = await member.ask('GET', '/ext');
  expect([ext.data.balance, ext.data.credits]).toEqual([preview.data.balance, preview.data.credits]);

  // A charged call arrives by itself, with its model and a link to it.
  await callModel(key, 'gpt-5', CHARGED);
  const table = page.getByRole('table', { name: 'Ledger' });
  const consumption = table.getByRole('row').filter({ hasText: 'Consumption' });
  await consumption.filter({ hasText: 'gpt-5' }).waitFor();
  const { body: log } = await member.ask('GET', '/balance-log/page');
  const shown = await table.locator('tbody tr:has(td)').allInnerTexts();
  expect(shown).toHaveLength(log.data.length);
  for (const [at, { change, after, pool }] of log.data.entries()) {
    const write = pool === 'balance' ? yuan : creditsOf;
    const sign = change.startsWith('-') ? '−' : '+';
    expect(shown[at]).toContain(`${sign}${write(change.replace('-', ''))}`);
    expect(shown[at]).toContain(write(after));
  }
  await page.getByRole('button', { name: 'Balance', exact: true }).click();
  await page.waitForURL('**/wallet?pool=balance');
  await expect.poll(() => consumption.count()).toBe(0);
  const csv = await page.getByRole('link', { name: 'CSV' }).getAttribute('href');
  expect(csv).toBe('/api/v1/user/user/balance-log/export?pool=balance');
  await page.getByRole('button', { name: 'All', exact: true }).first().click();
  await consumption.getByRole('link', { name: /^req_/ }).click();
  await page.waitForURL(/\/calls\?call=req_/);
});

test('switches and the cap are in force at once, and the cap is a meter', async ({ visitAs, expect }) => {
  const member = await newMember({ balance: '5', credits: '50000' });
  await callModel(await member.newKey(), 'gpt-5', CHARGED);
  const { page } = await visitAs(member.email, '/wallet');
  const ext = async () => (await member.ask('GET', '/ext')).body.data;
  await page.getByRole('switch', { name: 'Auto-exchange' }).check();
  await expect.poll(async () => (await ext()).auto_exchange).toBe(true);
  await page.getByRole('switch', { name: 'API billing' }).uncheck();
  await expect.poll(async () => (await ext()).api_billing).toBe(false);
  await page.getByText('no cap').waitFor();
  await page.getByLabel('Monthly cap').fill('2.5');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('of a cap of ¥2.50').waitFor();
  expect((await ext()).extra_api_quota).toBe('2.5');
  const spent = (await ext()).month_spent;
  const meter = page.getByRole('meter', { name: 'Monthly cap' });
  await expect.poll(() => meter.getAttribute('aria-valuetext')).toBe(`${yuan(spent)} / ¥2.50`);
  await page.reload();
  await page.getByText('of a cap of ¥2.50').waitFor();
});

test('what is held for a job is in the ledger, and links to its call when the job has ended', async ({
  visitAs,
  expect,
}) => {
  const member = await newMember();
  const accountId = member.id;
  const database = await openDatabase({ connection: inject('databaseUrl'), log: silentLogger });
  try {
    const [ended, running] = [jobOf({ accountId }), jobOf({ accountId })];
    const ledger = createJobLedger(database);
    await ledger.settle([ended, running]);
    await ledger.endJob(ended.callId, { state: 'void' });
    const { page } = await visitAs(member.email, '/wallet');
    const rows = page.getByRole('table', { name: 'Ledger' }).getByRole('row').filter({ hasText: 'Hold' });
    await expect.poll(() => rows.count()).toBe(3);
    expect(await rows.filter({ hasText: 'held until the job ends' }).count()).toBe(2);
    const returned = rows.filter({ hasText: 'returned, because the job ended' });
    expect(await returned.innerText()).toContain('+25');
    expect(await rows.filter({ hasText: running.callId }).getByRole('link').count()).toBe(0);
    await returned.getByRole('link', { name: ended.callId }).click();
    await page.getByText('Why it failed').waitFor();
    await page.getByText('it failed there. Nothing is charged').waitFor();
    await page.getByText('Held for the job').waitFor();
    await page.getByText('Returned, because the job ended').waitFor();
    expect(await page.getByText('HTTP/1.1').count()).toBe(0);
  } finally {
    await database.close();
  }
});
