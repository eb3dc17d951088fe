import { spawn } from 'node:child_process';
import { once } from 'node:events';
import axe from 'axe-core';
import type { Locator, Page } from 'playwright-core';
import { expect, inject } from 'vitest';
import { CURL, needs } from '../../needs.ts';
import { askOperator, consoleUrl, type Member, newMember, test } from '../support/visitor.ts';

const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAEUlEQVR4nGPQiNbFihiGlgQAMIcsAb5A6E0AAAAASUVORK5CYII=';
const KEY = /tg-[0-9a-z]{20,}/;

const XSS = [
  '<img src=x onerror="document.title=1">',
  '<script>document.title="1"</script>',
  '[a](javascript:alert(1))',
  '<svg/onload=alert(1)>',
  '"><iframe src="javascript:alert(1)">',
];

function lane(page: Page, model: string): Locator {
  return page.getByRole('region', { name: model, exact: true });
}

async function ask(page: Page, text: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Message' }).fill(text);
  await page.getByRole('button', { name: /^Send/ }).click();
}

/** The answer of a lane is there and its receipt too. Returns the last article. */
async function answered(page: Page, model: string, state = 'complete'): Promise<Locator> {
  const own = lane(page, model);
  await own.getByText(state, { exact: true }).waitFor();
  return own.getByRole('article').last();
}

/** The request id of the last answer of a lane, once its cost is shown. */
async function paidRequest(page: Page, model: string): Promise<string> {
  const cost = lane(page, model).locator('dd[data-request] a');
  await cost.waitFor();
  return String(await lane(page, model).locator('dd[data-request]').getAttribute('data-request'));
}

async function callOf(member: Member, requestId: string) {
  const { body } = await member.ask('GET', `/call-log/request/${requestId}`);
  return body.data;
}

/** Six decimals at least, as amounts of calls are written. */
function sixDecimals(amount: string): string {
  const [whole = '0', decimals = ''] = amount.split('.');
  return `¥${whole}.${decimals.padEnd(6, '0')}`;
}

async function expectAccessible(page: Page): Promise<void> {
  await page.evaluate(axe.source);
  const found = await page.evaluate(async () => {
    const { violations } = await (globalThis as unknown as { readonly axe: typeof axe }).axe.run();
    return violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  });
  expect(found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)).toEqual([]);
}

test('each protocol and a conversion stream text, thinking and a tool call, and go on with its answer', async ({
  visitAs,
}) => {
  const member = await newMember();
  const { page } = await visitAs(member.email, '/playground?model=gpt-5');
  await page.getByRole('button', { name: 'High', exact: true }).click();
  await page.getByRole('switch', { name: 'get_invoice' }).check();
  const cases = [
    ['Responses', 'gpt-5', 'responses'],
    ['Messages', 'claude-sonnet-5', 'messages'],
    ['generateContent', 'gemini-3-pro', 'gemini'],
    // The conversion: a Chat client whose model speaks generateContent.
    ['Chat', 'gemini-3-pro', 'chat'],
  ] as const;
  for (const [name, model, protocol] of cases) {
    await page.getByRole('button', { name: 'Clear' }).click();
    await page.getByRole('button', { name, exact: true }).click();
    await page.getByRole('button', { name: /^Model:/ }).click();
    await page.getByRole('textbox', { name: 'Search models' }).fill(model);
    await page.keyboard.press('Enter');
    await ask(
      page,
      'Invoice? [[sim tokens=9 thinking=6 tool=get_invoice args={"customer":4711,"month":"2026-11"}]]',
    );
    await lane(page, model).getByText('Cost of call 2').waitFor();
    const last = await answered(page, model);
    const first = lane(page, model).getByRole('article').nth(1);
    await first.getByText(/^Thought for/).waitFor();
    await first.getByText('"2026-11"').first().waitFor();
    await first.getByText('answered').waitFor();
    await last.getByText(/^(?:[a-z]+ ){8}[a-z]+$/).waitFor();
    const call = await callOf(member, await paidRequest(page, model));
    expect(call).toMatchObject({ protocol, stream: true, model_id: model, verdict: 'complete' });
  }
  // The conversion says so before it is called, and names what it left out.
  await page.goto('/playground?model=claude-sonnet-5');
  await page.getByRole('button', { name: 'Clear' }).click();
  const own = lane(page, 'claude-sonnet-5');
  await own.getByText('claude-sonnet-5 speaks Messages. Calls in Chat are converted.').waitFor();
  await page.getByRole('textbox', { name: 'Seed' }).fill('7');
  await page.getByText('it is left out and named in the receipt').waitFor();
  await ask(page, 'Hello [[sim tokens=5]]');
  const answer = await answered(page, 'claude-sonnet-5');
  await answer.getByText('Left out by the conversion: seed').waitFor();
  const call = await callOf(member, await paidRequest(page, 'claude-sonnet-5'));
  expect(call).toMatchObject({ protocol: 'chat', upstream_protocol: 'messages', dropped_fields: ['seed'] });
});

test('two models side by side; the price before is the quote, the cost after is the receipt', async ({
  visitAs,
}) => {
  const member = await newMember();
  const { page } = await visitAs(member.email, '/playground?model=gpt-5');
  await page.getByRole('button', { name: 'Compare with another' }).click();
  await page.waitForURL(/model2=/);
  // Which one is first on offer depends on the catalogue, which other tests change meanwhile.
  await page.goto('/playground?model=gpt-5&model2=claude-sonnet-5');
  await page.getByRole('textbox', { name: 'Message' }).fill('Why is the sky blue? [[sim tokens=20]]');
  const line = page.getByText(/^Next turn from ¥[\d.]+ \+ ¥[\d.]+ for \d+ input tokens; at most/);
  await line.waitFor();
  const [, one, two, tokens, most] =
    /from (\S+) \+ (\S+) for (\d+) input tokens; at most (\S+)/.exec(String(await line.textContent())) ?? [];
  const quoted = async (model: string, output: number) => {
    const query = `model=${model}&input_tokens=${tokens}&output_tokens=${output}`;
    return `¥${(await member.ask('GET', `/pricing/quote?${query}`)).body.data[0].amount}`;
  };
  expect([one, most]).toEqual([await quoted('gpt-5', 0), await quoted('gpt-5', 4096)]);
  expect(two).toMatch(/^¥0\.\d+$/);
  await page.getByRole('button', { name: /^Send/ }).click();
  for (const model of ['gpt-5', 'claude-sonnet-5']) {
    await answered(page, model);
    const call = await callOf(member, await paidRequest(page, model));
    const shown = await lane(page, model).locator('dd[data-request]').textContent();
    expect(shown).toBe(sixDecimals(call.amount));
    expect(call.receipt.amount).toBe(call.amount);
    if (model === 'gpt-5') expect(Number(tokens)).toBe(call.input_tokens);
    await lane(page, model).getByText(`${call.input_tokens} in, ${call.output_tokens} out`).waitFor();
  }
  await expectAccessible(page);
  await lane(page, 'gpt-5').locator('dd[data-request] a').click();
  await page.waitForURL(/\/calls\?.*call=req_/);
});

test('a running answer shows its cost, Escape stops it, a reload keeps what was said, and that stays text', async ({
  visitAs,
}) => {
  const member = await newMember();
  const { page } = await visitAs(member.email, '/playground?model=gpt-5');
  await ask(page, 'Tell me all. [[sim tokens=4000 pace=30]]');
  const own = lane(page, 'gpt-5');
  await own.getByText('streaming').waitFor();
  await expect.poll(() => own.getByText(/^¥0\.\d{6,}$/).count()).toBe(1);
  await own.getByText('Cost so far, about').waitFor();
  await page.keyboard.press('Escape');
  await answered(page, 'gpt-5', 'stopped');
  const call = await callOf(member, await paidRequest(page, 'gpt-5'));
  expect(call.verdict).toBe('cut-by-client');
  expect(await own.locator('dd[data-request]').textContent()).toBe(sixDecimals(call.amount));
  await page.getByRole('textbox', { name: 'Message' }).fill('a draft');
  await page.getByRole('textbox', { name: 'System' }).fill('Be brief.');
  await page.reload();
  await own.getByText('Tell me all.').waitFor();
  expect(await page.getByRole('textbox', { name: 'Message' }).inputValue()).toBe('a draft');
  expect(await page.getByRole('textbox', { name: 'System' }).inputValue()).toBe('Be brief.');
  const stored = await page.evaluate(() =>
    JSON.stringify([{ ...sessionStorage }, { ...localStorage }, document.body.innerText]),
  );
  expect(stored).toContain('Tell me all.');
  expect(stored).not.toMatch(KEY);
  // What a model writes stays text.
  const tag = `xss-${process.pid}`;
  const message = { role: 'assistant', content: XSS.join('\n\n'), refusal: null };
  const answer = {
    ...{ id: 'chatcmpl-1', object: 'chat.completion', created: 1, model: 'gpt-5' },
    choices: [{ index: 0, message, finish_reason: 'stop', logprobs: null }],
    usage: { prompt_tokens: 5, completion_tokens: 9, total_tokens: 14 },
  };
  await fetch(`${inject('simulatorUrl')}/_sim/script`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      match: { tag },
      answer: { status: 200, body: JSON.stringify(answer), headers: { 'content-type': 'application/json' } },
    }),
  });
  await page.getByRole('button', { name: 'Clear' }).click();
  await page.getByRole('switch', { name: 'Stream' }).uncheck();
  await ask(page, `Say it ${XSS[0]} [[sim tag=${tag}]]`);
  const shown = await answered(page, 'gpt-5');
  for (const text of [XSS[0], XSS[1], XSS[3], XSS[4]]) await shown.getByText(String(text)).first().waitFor();
  expect(await shown.locator('img, script, svg[onload], iframe, a[href^="javascript"]').count()).toBe(0);
  expect(await page.title()).not.toBe('1');
});

test('pictures: attached, in an answer, and made by themselves for an exact price', async ({ visitAs }) => {
  const member = await newMember();
  const model = `painter-${process.pid}`;
  await askOperator('POST', '/models', {
    model_id: model,
    name: 'Painter',
    prices: { input: '2', output: '20' },
  });
  await askOperator('POST', '/routes', {
    ...{
      model_id: model,
      vendor: 'google',
      credential: 'google-main',
      forward_model_id: 'gemini-2.5-flash-image',
    },
  });
  const { page } = await visitAs(member.email, `/playground?protocol=gemini&model=${model}`);
  await page
    .locator('input[type=file]')
    .setInputFiles({ name: 'dot.png', mimeType: 'image/png', buffer: Buffer.from(PNG, 'base64') });
  await page.getByText('dot.png').waitFor();
  await ask(page, 'Paint it [[sim tokens=5]]');
  const answer = await answered(page, model);
  await lane(page, model).getByRole('img', { name: 'dot.png' }).waitFor();
  await answer.getByRole('img').waitFor();
  await page.getByRole('tab', { name: 'Raw exchange' }).click();
  const raw = page.getByRole('tabpanel');
  await raw.getByText('authorization: Bearer $TOLLGATE_KEY').waitFor();
  expect(await raw.textContent()).toMatch(/inlineData[\s\S]*HTTP 200[\s\S]*x-request-id: req_/);
  expect(await raw.textContent()).not.toMatch(KEY);
  // Pictures by themselves: their price is exact, and one is the input of the next.
  await page.goto('/playground?protocol=images');
  await page.getByRole('slider', { name: /Pictures/ }).fill('2');
  await page.getByRole('textbox', { name: 'Prompt' }).fill('A toll gate at dawn');
  await page.getByText('2 × ¥0.30 = ¥0.600000, 600 Credits, exact').waitFor();
  await page.getByRole('button', { name: /^Make 2 pictures/ }).click();
  await page.getByRole('img', { name: 'Picture 2' }).waitFor();
  await page.getByText('¥0.600000', { exact: true }).first().waitFor();
  // The price that is shown is that of the quote until the call is in the books.
  const newest = async () => (await member.ask('GET', '/call-log/page?protocol=images')).body.data[0];
  await expect.poll(newest).toMatchObject({ amount: '0.6', images: 2 });
  await page.getByRole('button', { name: 'Use picture 2 as input' }).click();
  await page.getByRole('textbox', { name: 'Prompt' }).fill('The same in snow');
  await page.getByRole('button', { name: /^Make 2 pictures/ }).click();
  await page.getByRole('heading', { name: 'Earlier' }).waitFor();
  await expect
    .poll(async () => (await member.ask('GET', '/call-log/page?protocol=images')).body.data.length)
    .toBe(2);
  await expectAccessible(page);
});

test('a refused call explains itself: limit, used, when it opens again, remedy', async ({ visitAs }) => {
  const member = await newMember();
  await askOperator('PUT', `/accounts/${member.id}`, { policy_id: 3 });
  const { page } = await visitAs(member.email, '/playground?model=gpt-5', { allow: /status of 429/ });
  for (const _ of [1, 2]) {
    await ask(page, 'Hello [[sim tokens=3]]');
    await paidRequest(page, 'gpt-5');
    await page.getByRole('button', { name: 'Clear' }).click();
  }
  await ask(page, 'Hello [[sim tokens=3]]');
  const note = lane(page, 'gpt-5').getByRole('alert');
  await note.getByText('2 of 2 requests used, within 1 min, of the account, policy two-a-minute.').waitFor();
  await note.getByText(/^Opens again in 0:\d\d\.$/).waitFor();
  await note.getByText('Retry after the seconds in').waitFor();
  await note.getByRole('button', { name: 'Ask again' }).waitFor();
  await note.getByRole('link', { name: 'See your limits' }).waitFor();
});

async function run(command: string, args: readonly string[], key: string): Promise<string> {
  const child = spawn(command, args, {
    env: { ...process.env, TOLLGATE_KEY: key },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  child.stdout.on('data', (data) => (output += data));
  child.stderr.on('data', (data) => (output += data));
  await once(child, 'close');
  return output;
}

/** The text of the first block of code below the choice of the client. */
async function codeOf(page: Page, client: string): Promise<string> {
  const choice = page.getByRole('combobox', { name: 'Client' });
  await choice.selectOption({ label: client });
  return String(await page.getByRole('tabpanel').locator('pre').first().textContent());
}

test('as code runs as it is shown, with a key', needs(CURL), async ({ visitAs }) => {
  const member = await newMember();
  const key = await member.newKey();
  const { page } = await visitAs(member.email, '/playground?model=gpt-5&tab=code');
  await page.getByRole('textbox', { name: 'Message' }).fill("It's a test [[sim tokens=6]]");
  const curl = (await codeOf(page, 'curl')).replace('tg-…', key);
  expect(curl).toContain(consoleUrl);
  expect(await run('bash', ['-c', curl], key)).toContain('chat.completion.chunk');
  const clients = ['openai · JavaScript', 'anthropic · JavaScript', 'google-genai · JavaScript', 'AI SDK'];
  for (const client of clients) {
    const code = await codeOf(page, client);
    expect(code).not.toMatch(KEY);
    const output = await run(process.execPath, ['--input-type=module', '--eval', code], key);
    expect(`${client}: ${output.trim()}`).toMatch(/: (?:[a-z]+ ){5}[a-z]+$/);
  }
});

test('on a phone one model is shown at a time, and parameters open over it', async ({ visitAs }) => {
  const member = await newMember();
  const look = { viewport: { width: 390, height: 844 }, locale: 'zh-CN' };
  const { page } = await visitAs(member.email, '/playground?model=gpt-5&model2=gemini-3-pro', look);
  await lane(page, 'gpt-5').waitFor();
  expect(await lane(page, 'gemini-3-pro').isVisible()).toBe(false);
  await page.getByRole('button', { name: 'gemini-3-pro', exact: true }).click();
  await lane(page, 'gemini-3-pro').waitFor();
  await page.getByRole('button', { name: '参数' }).click();
  await page.getByRole('textbox', { name: '系统提示词' }).fill('简短');
  await page.keyboard.press('Escape');
  await page.getByRole('textbox', { name: '消息' }).fill('你好');
  await page.getByText(/^下一轮起价/).waitFor();
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  expect(width).toBeLessThanOrEqual(390);
});
