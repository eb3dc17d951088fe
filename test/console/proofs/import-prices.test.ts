import { expect } from 'vitest';
import { until } from '../../support/processes.ts';
import { askOperator, OPERATOR, test } from '../support/visitor.ts';

const PATIENCE = { timeout: 60_000 };
/** All tests share one catalogue: somebody else may be faster, and prices are computed for one at a time. */
const LOOK = { allow: /status of (?:400|409|429)/ };

test('a file of prices becomes changes, which are applied after their effect was seen', async ({
  visitAs,
  onTestFinished,
}) => {
  const model = `priced-by-file-${process.pid}`;
  const prices = { input: '10', output: '30' };
  await askOperator('POST', '/models', { model_id: model, name: 'Priced by a file', prices });
  const route = { model_id: model, vendor: 'openai', credential: 'openai-main', protocols: ['chat'] };
  await askOperator('POST', '/routes', { ...route, forward_model_id: 'gpt-4o' });
  onTestFinished(async () => {
    await askOperator('PUT', `/models/${model}`, { status: 'disabled', client_visible: false });
  });
  const { page } = await visitAs(OPERATOR, '/operator/catalogue/models', LOOK);
  await page.getByRole('button', { name: 'Import prices' }).click();
  const drawer = page.getByRole('complementary', { name: 'Import prices' });
  const file = (text: string) =>
    drawer.getByLabel('File of prices').setInputFiles({
      ...{ name: 'prices.yaml', mimeType: 'application/yaml', buffer: Buffer.from(text) },
    });
  const read = drawer.getByRole('button', { name: 'Read the file' });
  expect(await read.isDisabled()).toBe(true);
  await file('models: 3');
  await read.click();
  await drawer.getByText('models: must be a list').waitFor(PATIENCE);
  await file(
    `currency: USD\nmodels: [{ model_id: ${model}, input: "2", output: "6" }, { model_id: no-such, input: "1" }]`,
  );
  await drawer.getByLabel('Yuan for a dollar').fill('7');
  await drawer.getByLabel('Margin').fill('0.5');
  await read.click();
  await drawer.getByText(/^Prices of 1 model of the catalogue are in the file/).waitFor(PATIENCE);
  await drawer.getByText('1 model of the file is not in the catalogue').waitFor();
  // What a vendor asks is known from its list prices.
  const below = drawer.getByRole('table', { name: 'Below what the vendor asks' });
  await below.getByRole('row', { name: model }).first().waitFor();
  await drawer.getByLabel('Margin').fill('2');
  await read.click();
  await drawer.getByRole('button', { name: 'Add 1 change' }).click();
  const changes = page.getByRole('complementary', { name: 'Changes to apply' });
  await changes.getByText(`Input of ${model} costs ¥28.00/M; now it is ¥10.00/M.`).waitFor(PATIENCE);
  await changes.getByRole('table', { name: 'What if' }).waitFor(PATIENCE);
  const apply = page.getByRole('button', { name: /^Apply \d/ });
  await until(async () => {
    if ((await changes.count()) === 0) return true;
    const isReady = await apply.isEnabled({ timeout: 200 }).catch(() => false);
    if (isReady) await apply.click({ timeout: 1_000 }).catch(() => {});
    return false;
  }, PATIENCE.timeout);
  const stored = await askOperator('GET', `/models/${model}`);
  expect(stored.body.data.prices).toMatchObject({ input: '28', output: '84' });
  const absent = await askOperator('GET', '/models?search=no-such').catch(() => undefined);
  expect(JSON.stringify(absent?.body.data ?? [])).not.toContain('"no-such"');
});
