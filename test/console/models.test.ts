import { askOperator, callModel, newMember, test } from './support/visitor.ts';

/** A decimal as a whole number of its last decimal, for exact sums. */
const SCALE = 24;
function exact(text: string): bigint {
  const [whole = '0', decimals = ''] = text.split('.');
  return BigInt(whole + decimals.padEnd(SCALE, '0'));
}

test('the own price is list price × rates, and what a call is charged', async ({ visitAs, expect }) => {
  const member = await newMember({ credits: '50000' });
  await askOperator('PUT', `/accounts/${member.id}`, { user_rate: '87.5' });
  const evil = { id: `evil-${member.id}`, name: `<script>alert(${member.id})</script>` };
  await askOperator('POST', '/models', {
    ...{ model_id: evil.id, name: evil.name, prices: { input: '3.3', output: '7' } },
    ...{ restriction: { kind: 'plan', level: 3 }, batch_rate: '50' },
  });
  const route = {
    vendor: 'openai',
    credential: 'openai-main',
    forward_model_id: 'gpt-4o',
    protocols: ['chat'],
  };
  await askOperator('POST', '/routes', { model_id: evil.id, ...route, rate_multiplier: '1.1' });

  const { page } = await visitAs(member.email, '/models?q=gpt-5');
  await page.getByText('Your prices: list × 0.875 yours').waitFor();
  await page.getByRole('link', { name: /^GPT-5/ }).click();
  await page.waitForURL('**/models?q=gpt-5&model=gpt-5');
  const drawer = page.getByRole('complementary', { name: 'GPT-5' });
  const { body } = await member.ask('GET', '/pricing?model=gpt-5');
  const [price] = body.data.models;
  const table = drawer.getByRole('table', { name: 'Your price' });
  for (const [name, key] of [
    ['Input', 'input_price'],
    ['Output', 'output_price'],
  ] as const) {
    const row = table.getByRole('row').filter({ hasText: name });
    expect(await row.innerText()).toContain(`× ${price.factor}`);
    expect((await row.innerText()).trim().endsWith(`¥${price.own[key]}`)).toBe(true);
  }

  // A call is charged that price, to the last digit of its receipt.
  await callModel(await member.newKey(), 'gpt-5', 'Hello [[sim tokens=50]]');
  const consumption = async () => (await member.ask('GET', '/consumption-log/page')).body.data[0];
  await expect.poll(consumption).toBeDefined();
  const { receipt } = await consumption();
  const own: Record<string, string> = {
    input_tokens: price.own.input_price,
    output_tokens: price.own.output_price,
  };
  const charged = receipt.lines.reduce(
    (sum: bigint, line: { item: string; quantity: number }) =>
      sum + (BigInt(line.quantity) * exact(own[line.item] ?? '')) / 1_000_000n,
    0n,
  );
  expect(charged).toBe(exact(receipt.product));

  // A name is text, and a locked model says what unlocks it.
  await page.getByRole('button', { name: 'Close' }).click();
  await page.getByLabel('Search models').fill(evil.id);
  await page.getByRole('link', { name: evil.name }).click();
  await page.getByText('Not callable with your plan').waitFor();
  await page.getByText('40203').waitFor();
  await page.getByText('In a batch: × 0.5').waitFor();
  await page.getByRole('link', { name: 'See plans' }).waitFor();
  await page.getByRole('checkbox', { name: 'Only callable' }).check();
  await page.getByText('No model fits these filters').waitFor();
});

test('visitors search and filter models by the address', async ({ visit, expect }) => {
  const { page } = await visit('/models?takes=image&sort=output&vendor=openai&price=nonsense');
  const names = async () =>
    (
      await page.getByRole('table', { name: 'Models' }).locator('tbody [data-row-link] small').allInnerTexts()
    ).join();
  await expect.poll(names).toBe('gpt-5,gpt-image-1');
  await page.getByRole('button', { name: 'Remove filter: Takes' }).click();
  await page.getByRole('button', { name: 'Speaks any' }).click();
  await page.getByRole('menuitem', { name: 'Responses' }).click();
  await page.waitForURL(/speaks=responses/);
  await expect.poll(names).toBe('gpt-5');
  await page.getByRole('button', { name: 'Remove filter: Speaks' }).click();
  await page.getByRole('link', { name: /^For verified accounts/ }).click();
  await page.getByRole('link', { name: 'Sign in' }).last().waitFor();
  await page.getByText('enterprise verification', { exact: false }).first().waitFor();
  await page.keyboard.press('Escape');
  await expect.poll(() => new URL(page.url()).searchParams.get('model')).toBeNull();
});
