import { expect } from 'vitest';
import { askOperator, callModel, newMember, OPERATOR, test } from './support/visitor.ts';

const MODEL = 'verified-only';
const NAME = '<img src=x onerror=alert(1)> GmbH';

test('a verification that is approved unlocks the model for the user at once', async ({ visitAs }) => {
  const member = await newMember();
  const key = await member.newKey();
  expect((await callModel(key, MODEL)).status).toBe(403);

  const [user, operator] = await Promise.all([
    visitAs(member.email, `/models?model=${MODEL}`),
    visitAs(OPERATOR, '/operator/verification'),
  ]);
  await user.page.getByText('Not callable before verification').waitFor();

  await user.page.getByRole('link', { name: 'Verify the account' }).click();
  await user.page.getByRole('button', { name: 'Enterprise', exact: true }).click();
  await user.page.getByLabel('Name of the enterprise').fill(NAME);
  await user.page.getByLabel('Business licence').fill('91310000MA1K00000X');
  await user.page.getByRole('button', { name: 'Submit' }).click();
  await user.page.getByText('Enterprise, waiting for an operator').waitFor();

  const desk = operator.page;
  await desk.reload();
  await desk.getByRole('link', { name: NAME }).click();
  const drawer = desk.getByRole('complementary', { name: NAME });
  await drawer.getByText(member.email).waitFor();
  await drawer.getByRole('button', { name: 'Refuse' }).click();
  await drawer.getByText('Say why, so that the user can mend it.').waitFor();
  await drawer.getByRole('button', { name: 'Approve' }).click();
  await drawer.getByText('Approved', { exact: true }).waitFor();
  expect(await desk.getByRole('row', { name: new RegExp(member.email) }).count()).toBe(0);

  expect((await callModel(key, MODEL)).status).toBe(200);
  await user.page.goto(`/models?model=${MODEL}`);
  await user.page.getByRole('complementary').getByText(MODEL).first().waitFor();
  expect(await user.page.getByText('Not callable before verification').count()).toBe(0);
  const { verification } = (await member.ask('GET', '/profile')).body.data;
  expect(verification).toBe('enterprise');
});

test('a refusal carries its reason to the user', async ({ visitAs }) => {
  const member = await newMember();
  const name = `Person ${member.id}`;
  await member.ask('POST', '/verification', { kind: 'personal', name, document_number: 'P-1234567' });
  const { page } = await visitAs(OPERATOR, '/operator/verification?status=all');
  await page.getByRole('link', { name }).click();
  const drawer = page.getByRole('complementary', { name });
  await drawer.getByLabel('Reason').fill('The <b>name</b> is not on the card.');
  await drawer.getByRole('button', { name: 'Refuse' }).click();
  // What was typed is the same text: it is gone when the answer has come.
  await drawer.getByLabel('Reason').waitFor({ state: 'detached' });
  await drawer.getByText('The <b>name</b> is not on the card.').waitFor();
  const { verification } = (await member.ask('GET', '/verification')).body.data;
  expect(verification).toMatchObject({ status: 'refused', reason: 'The <b>name</b> is not on the card.' });
  const audit = await askOperator('GET', '/audit?entity=verifications&size=20');
  expect(JSON.stringify(audit.body.data)).toContain('is not on the card');
});
