import { newMember, test } from './support/visitor.ts';

test('a visitor is led to the sign-in page', async ({ visit, expect }) => {
  const { page } = await visit('/calls');
  await page.waitForURL('**/signin?next=%2Fcalls');
  expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Sign in');
});

test('a member who signs in comes to where they wanted to go', async ({ visitAs }) => {
  const member = await newMember();
  const { page } = await visitAs(member.email, '/wallet');
  await page.waitForURL('**/wallet');
  await page.getByRole('navigation', { name: 'Places' }).first().waitFor();
});

test('a page has its name in the tab and above it, and one that does not exist leads back', async ({
  visitAs,
  expect,
}) => {
  const member = await newMember();
  const { page } = await visitAs(member.email, '/rankings');
  await expect.poll(() => page.title()).toBe('Rankings – Tollgate');
  await page.getByRole('navigation', { name: 'Breadcrumb' }).getByText('Rankings').waitFor();
  await page.goto('/keys?open=new');
  await expect.poll(() => page.title()).toBe('New key – Keys – Tollgate');
  await page.getByRole('textbox', { name: 'Name', exact: true }).and(page.locator(':focus')).waitFor();
  await page.goto('/nowhere');
  await expect.poll(() => page.title()).toBe('There is no such page – Tollgate');
  await page.getByRole('link', { name: 'Go to the start' }).click();
  await page.waitForURL('**/overview');
});
