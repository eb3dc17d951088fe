import { expect } from 'vitest';
import { askOperator, callModel, newMember, test } from './support/visitor.ts';

/** Long enough for the page to see it full on a busy machine, short enough to see it end. */
const WINDOW_SECONDS = 10;
const EVIL = '<b onmouseover=alert(1)>Gold</b>';

test('a plan is shown with what it covers, its meter fills with calls and opens again', async ({
  visitAs,
}) => {
  const member = await newMember({ credits: '50000' });
  const windows = [{ dimension: 'requests', seconds: WINDOW_SECONDS, limit: '2' }];
  const policy = await askOperator('POST', '/policies', {
    name: `few ${member.id}`,
    concurrency: 7,
    windows,
  });
  const code = `GOLD${member.id}`;
  await askOperator('POST', '/plans', {
    ...{ code, name: EVIL, level: 2, price: '1234.5', policy: policy.body.data.id },
    covers: { models: '*', windows: [{ seconds: 18_000, amount: '60.25' }] },
  });
  const { page } = await visitAs(member.email, '/plan');
  await page.getByText('calls are paid with Credits').first().waitFor();
  const offer = page.getByRole('table', { name: 'Plans on offer' });
  await offer.getByText(EVIL).waitFor();
  await offer.getByText('¥1,234.50').waitFor();

  await askOperator('POST', `/accounts/${member.id}/subscriptions`, { plan: code });
  await page.reload();
  await page.getByRole('region', { name: 'Current plan' }).getByText(EVIL).waitFor();
  await page.getByText('it does not renew by itself').waitFor();
  await page.getByText('7 calls at once').waitFor();
  const requests = page.getByRole('meter', { name: `Requests ${WINDOW_SECONDS} seconds` });
  await expect.poll(() => requests.getAttribute('aria-valuetext')).toBe('0 of 2');

  const key = await member.newKey();
  const isRefused = async () => (await callModel(key, 'gpt-5', '[[sim tokens=50]]')).status === 429;
  await expect.poll(isRefused, { timeout: 60_000, interval: 50 }).toBe(true);
  await expect.poll(() => requests.getAttribute('aria-valuetext')).toBe('2 of 2');
  // The count-down ends, and the window is free without a reload.
  await expect.poll(() => requests.getAttribute('aria-valuetext'), { timeout: 30_000 }).toBe('0 of 2');

  // What the plan paid for, to the last digit.
  const { body: payers } = await member.ask('GET', '/stats/payers');
  const covered = payers.data.find(({ payer }: { payer: string }) => payer === 'subscription');
  await page.reload();
  const [whole = '', decimals = ''] = String(covered.amount).split('.');
  const written = `¥${whole}.${decimals.padEnd(2, '0')}`;
  await page.getByRole('region', { name: 'Current plan' }).getByText(written).waitFor();
  const coverage = page.getByRole('meter', { name: 'Coverage 5 hours' });
  await expect.poll(() => coverage.getAttribute('aria-valuetext')).toBe(`${written} of ¥60.25`);
});
