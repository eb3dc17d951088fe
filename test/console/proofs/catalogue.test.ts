import type { Page } from 'playwright-core';
import { expect, type TestContext } from 'vitest';
import { until } from '../../support/processes.ts';
import { askOperator, callModel, newMember, OPERATOR, test } from '../support/visitor.ts';

/** All tests share one catalogue: somebody else may be faster, and prices are computed for one at a time. */
const LOOK = { allow: /status of (?:400|409|429)/ };
const XSS = '<img src=x onerror="document.title=1">';
const PATIENCE = { timeout: 60_000 };
let made = 0;

const unique = (word: string): string => {
  made += 1;
  return `${word}-${process.pid}-${made}`;
};

interface Route {
  readonly credential?: string;
  readonly forward_model_id?: string;
}

/** A model of one test, with its routes to the simulated vendor. */
async function newModel(
  atEnd: TestContext['onTestFinished'],
  routes: readonly Route[] = [{}],
  name = 'A model of a test',
): Promise<string> {
  const model = unique('catalogue-model');
  await askOperator('POST', '/models', { model_id: model, name, prices: { input: '10', output: '30' } });
  for (const route of routes) {
    const usual = { model_id: model, vendor: 'openai', credential: 'openai-main', protocols: ['chat'] };
    await askOperator('POST', '/routes', { ...usual, forward_model_id: 'gpt-4o', ...route });
  }
  atEnd(async () => {
    await askOperator('PUT', `/models/${model}`, { status: 'disabled', client_visible: false });
  });
  return model;
}

const changes = (page: Page) => page.getByRole('complementary', { name: 'Changes to apply' });

/** Applies what is shown; again if somebody else was faster. */
async function applyChanges(page: Page): Promise<void> {
  const apply = page.getByRole('button', { name: /^Apply \d/ });
  const isOver = async () => {
    if ((await changes(page).count()) === 0) return true;
    // It is gone as soon as the changes are applied.
    const isReady = await apply.isEnabled({ timeout: 200 }).catch(() => false);
    if (isReady) await apply.click({ timeout: 1_000 }).catch(() => {});
    return false;
  };
  await until(isOver, PATIENCE.timeout);
}

/** ¥1,234.5 and 1234.50 are the same amount. */
const plain = (written: string | null) =>
  (written ?? '')
    .replace(/[¥,+]/g, '')
    .replace('−', '-')
    .replace(/(\.\d*?)0+$/, '$1')
    .replace(/\.$/, '');

test('a price is raised: what it would have brought is seen before it is applied', async ({
  visitAs,
  onTestFinished,
}) => {
  const member = await newMember();
  const model = await newModel(onTestFinished);
  expect((await callModel(await member.newKey(), model)).status).toBe(200);
  await until(async () => (await member.ask('GET', '/call-log/page')).body.total === 1, PATIENCE.timeout);
  const { page } = await visitAs(OPERATOR, '/operator/catalogue/models', LOOK);
  await page.getByRole('searchbox').or(page.getByPlaceholder('Search')).first().fill(model);
  await page.getByRole('link', { name: model }).click();
  await page.getByRole('tab', { name: 'Prices' }).click();
  await page.getByLabel('Input', { exact: true }).fill('4000');
  const drawer = changes(page);
  await drawer.getByText(`Input of ${model} costs ¥4,000.00/M; now it is ¥10.00/M.`).waitFor();
  await drawer.getByLabel('Calls of').selectOption('24h');
  const table = drawer.getByRole('table', { name: 'What if' });
  await drawer.getByRole('button', { name: model }).waitFor(PATIENCE);
  const yaml = `models: [{ model_id: ${model}, prices: { input: "4000", output: "30" } }]`;
  const day = new Date(Date.now() - 86_000_000).toISOString().slice(0, 19).replace('T', ' ');
  const price = () => askOperator('POST', '/catalog/what-if', { yaml, from: day }).catch(() => undefined);
  await until(async () => (await price()) !== undefined, PATIENCE.timeout);
  const asked = await askOperator('POST', '/catalog/what-if', { yaml, from: day });
  const own = asked.body.data.models.find((each: { model_id: string }) => each.model_id === model);
  expect(own.calls).toBe(1);
  for (const [name, key] of Object.entries({ Revenue: 'revenue', Cost: 'cost', Margin: 'margin' })) {
    const cells = table.getByRole('row', { name }).getByRole('cell');
    const wanted = [own.was[key], own.would_be[key], own.difference[key]];
    expect((await cells.allTextContents()).map(plain)).toEqual(wanted);
  }
  await page.reload();
  expect(await page.getByLabel('Input', { exact: true }).inputValue()).toBe('4000');
  await applyChanges(page);
  const offered = await member.ask('GET', '/pricing');
  const seen = JSON.stringify(
    offered.body.data.models.find((each: { model_id: string }) => each.model_id === model),
  );
  expect(seen).toMatch(/"input[a-z_]*":"?4000\b/);
});

test('a price becomes 0 only after its model was named', async ({ visitAs, onTestFinished }) => {
  const model = await newModel(onTestFinished);
  const prices = async () => (await askOperator('GET', `/models/${model}`)).body.data.prices;
  const { page } = await visitAs(OPERATOR, `/operator/catalogue/models?model=${model}&tab=prices`, LOOK);
  await page.getByLabel('Output', { exact: true }).fill('0');
  const dialog = page.getByRole('dialog');
  const apply = page.getByRole('button', { name: /^Apply \d/ });
  // Somebody else may change the catalogue at any time: then it is compared again.
  const ask = async (): Promise<boolean> => {
    await apply.click({ timeout: 1_000 }).catch(() => {});
    return (await dialog.count()) > 0;
  };
  await until(ask, PATIENCE.timeout);
  await dialog.getByText(`model ${model}: prices.output 30 → 0`).waitFor();
  const yes = dialog.getByRole('button', { name: 'Apply' });
  expect(await yes.isDisabled()).toBe(true);
  await dialog.getByRole('button', { name: 'Keep' }).click();
  expect(await prices()).toMatchObject({ input: '10', output: '30' });
  await until(async () => {
    if ((await changes(page).count()) === 0) return true;
    if ((await dialog.count()) === 0 && !(await ask())) return false;
    await dialog.getByRole('textbox').fill(model);
    await yes.click({ timeout: 1_000 }).catch(() => {});
    return false;
  }, PATIENCE.timeout);
  expect(await prices()).toMatchObject({ input: '10', output: '0' });
});

test('a file with a problem is told with its line, and a right one is compared', async ({
  visitAs,
  onTestFinished,
}) => {
  const model = await newModel(onTestFinished);
  const { page } = await visitAs(OPERATOR, '/operator/catalogue/yaml', LOOK);
  const file = page.getByLabel('Catalogue file', { exact: true });
  const text = await file.inputValue();
  const lines = text.split('\n');
  const line = lines.findIndex((each) => each.includes(`model_id: ${model}`)) + 2;
  await file.fill(lines.with(line - 1, '    nonsense: 1').join('\n'));
  await page.getByRole('button', { name: `Line ${line}` }).waitFor(PATIENCE);
  await page.getByRole('button', { name: `Line ${line}` }).click();
  expect(await changes(page).count()).toBe(0);
  await file.fill(text.replace(`model_id: ${model}\n`, `model_id: ${model}\n    context_window: 4321\n`));
  await changes(page).getByText('context_window: 4321').waitFor(PATIENCE);
  await applyChanges(page);
  expect((await askOperator('GET', `/models/${model}`)).body.data.context_window).toBe(4321);
  await page
    .getByLabel('Import a file')
    .first()
    .setInputFiles({
      ...{ name: 'part.yaml', mimeType: 'application/yaml' },
      buffer: Buffer.from(
        `models:\n  - model_id: ${model}\n    context_window: 99\n    prices: { input: "x" }\n`,
      ),
    });
  await page.getByRole('button', { name: 'Line 4' }).waitFor(PATIENCE);
});

test('who is faster wins, and the other decides', async ({ visitAs, onTestFinished }) => {
  const model = await newModel(onTestFinished);
  const { page } = await visitAs(OPERATOR, `/operator/catalogue/models?model=${model}&tab=admission`, LOOK);
  await page.getByLabel('Name', { exact: true }).fill('Mine');
  await page.getByRole('button', { name: 'Apply 1 change' }).waitFor(PATIENCE);
  await askOperator('PUT', `/models/${model}`, { name: 'Theirs' });
  // The page may have noticed it by itself: then there is nothing to apply before the decision.
  const apply = page.getByRole('button', { name: 'Apply 1 change' });
  await apply.click({ timeout: 2_000 }).catch(() => {});
  await page.getByText(`${model} was changed by somebody else, too.`).waitFor(PATIENCE);
  expect((await askOperator('GET', `/models/${model}`)).body.data.name).toBe('Theirs');
  await page.getByRole('button', { name: 'Keep mine' }).click();
  await applyChanges(page);
  expect((await askOperator('GET', `/models/${model}`)).body.data.name).toBe('Mine');
});

test('routes are moved by keyboard and by pointer, and tested now', async ({ visitAs, onTestFinished }) => {
  const model = await newModel(onTestFinished, [{}, { forward_model_id: 'gpt-5-2026-08-01' }], XSS);
  const { page } = await visitAs(OPERATOR, `/operator/catalogue/models?model=${model}`, LOOK);
  await page.getByText(`${XSS}, listed for clients`).waitFor();
  const groups = page.locator('tbody[data-priority]');
  await until(async () => (await groups.count()) === 1, PATIENCE.timeout);
  const grips = page.getByRole('button', { name: 'Move openai-main; arrow keys' });
  await grips.last().focus();
  await page.keyboard.press('ArrowUp');
  await until(async () => (await groups.count()) === 2, PATIENCE.timeout);
  await page.getByText(/openai-main has priority 90 now/).waitFor({ state: 'attached' });
  expect(await page.evaluate(() => document.activeElement?.getAttribute('data-grip'))).toContain(
    'gpt-5-2026',
  );
  await applyChanges(page);
  const { body } = await askOperator('GET', `/routes?search=${model}`);
  const priority = Object.fromEntries(
    body.data.map((each: { forward_model_id: string; priority: number }) => [
      each.forward_model_id,
      each.priority,
    ]),
  );
  expect(priority).toEqual({ 'gpt-4o': 100, 'gpt-5-2026-08-01': 90 });
  await page.getByRole('button', { name: 'Test openai-main now' }).first().click();
  await page.getByText(/^answered in/).waitFor(PATIENCE);
  await grips.last().dragTo(groups.first());
  await until(async () => (await groups.count()) === 1, PATIENCE.timeout);
  await page.getByRole('button', { name: 'Discard' }).click();
  await until(async () => (await groups.count()) === 2, PATIENCE.timeout);
});

test('a policy says in words what it does, in both languages', async ({ visitAs }) => {
  const name = unique('policy');
  const { page } = await visitAs(OPERATOR, '/operator/catalogue/policies', LOOK);
  await page.getByRole('button', { name: 'New policy' }).click();
  const drawer = page.getByRole('complementary', { name: 'New policy' });
  await drawer.getByLabel('Name').fill(name);
  await drawer.getByLabel('At once').fill('20');
  await drawer
    .getByText('runs at most 20 calls at once; the 21st is refused with 42901 until one of them ends.')
    .waitFor();
  await drawer.getByRole('button', { name: 'Window', exact: true }).click();
  await drawer.getByLabel('Limit').fill('600');
  await drawer.getByText('In 1 minute, counted from the first use, it may begin 600 calls.').waitFor();
  await drawer.getByRole('button', { name: 'Add to changes' }).click();
  await applyChanges(page);
  const { body } = await askOperator('GET', `/policies?search=${name}`);
  const [policy] = body.data;
  expect(policy).toMatchObject({
    concurrency: 20,
    windows: [{ dimension: 'requests', seconds: 60, limit: '600' }],
  });
  await page.evaluate(() => localStorage.setItem('tollgate.language', 'zh'));
  await page.goto(`/operator/catalogue/policies?edit=${policy.id}`);
  await page.getByText(/最多同时进行 20 次调用；第 21 次以 42901 拒绝/).waitFor();
  await askOperator('DELETE', `/policies/${policy.id}`);
});

test('an announcement appears for a user, as text', async ({ visitAs }) => {
  const title = `${unique('News')} ${XSS}`;
  const member = await newMember();
  const { page } = await visitAs(OPERATOR, '/operator/catalogue/announcements?add=yes', LOOK);
  const drawer = page.getByRole('complementary', { name: 'New announcement' });
  await drawer.getByLabel('Title').fill(title);
  await drawer.getByLabel('Text').fill(`**Soon** ${XSS} [x](javascript:alert(1))`);
  await drawer.getByRole('region', { name: 'Preview' }).getByText('Soon').waitFor();
  await drawer.getByRole('button', { name: 'Add to changes' }).click();
  await applyChanges(page);
  const { page: theirs } = await visitAs(member.email, '/announcements');
  await theirs.getByRole('heading', { name: title }).waitFor();
  expect(await theirs.title()).not.toBe('1');
  const { body } = await askOperator(
    'GET',
    `/announcements?search=${encodeURIComponent(title.split(' ')[0] ?? '')}`,
  );
  await askOperator('DELETE', `/announcements/${body.data[0].id}`);
});

test('a credential is tested before it is saved, and its secret is never seen again', async ({ visitAs }) => {
  const name = unique('credential');
  const { page } = await visitAs(OPERATOR, '/operator/catalogue/credentials', LOOK);
  await page.getByRole('button', { name: 'New credential' }).click();
  const drawer = page.getByRole('complementary', { name: 'New credential' });
  await drawer.getByLabel('Vendor').selectOption('openai');
  await drawer.getByLabel('Name').fill(name);
  await drawer.getByLabel('Secret').fill('sk-wrong-secret');
  await drawer.getByRole('button', { name: 'Test and save' }).click();
  await drawer.getByText(/The vendor answered 401/).waitFor(PATIENCE);
  await drawer.getByLabel('Secret').fill('sk-sim-openai');
  await drawer.getByRole('button', { name: 'Test and save' }).click();
  const opened = page.getByRole('complementary', { name });
  await opened.getByRole('button', { name: 'Test now' }).click();
  await opened.getByText(/^It works/).waitFor(PATIENCE);
  const kept = await page.evaluate(() => JSON.stringify(sessionStorage) + document.documentElement.outerHTML);
  expect(kept).not.toContain('sk-sim-openai');
  const { body } = await askOperator('GET', `/credentials?search=${name}`);
  await askOperator('DELETE', `/credentials/${body.data[0].id}`);
});

test('the rate of batches stands with the prices, and is applied like one', async ({
  visitAs,
  onTestFinished,
}) => {
  const model = await newModel(onTestFinished);
  const { page } = await visitAs(OPERATOR, `/operator/catalogue/models?model=${model}&tab=prices`, LOOK);
  const rate = page.getByLabel('Rate of batches');
  await rate.fill('50');
  await changes(page).getByText(model).first().waitFor();
  await applyChanges(page);
  const stored = await askOperator('GET', `/models/${model}`);
  expect(stored.body.data.batch_rate).toBe('50');
  expect(await rate.inputValue()).toBe('50');
});
