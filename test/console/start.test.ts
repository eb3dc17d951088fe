import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { CURL, needs } from '../needs.ts';
import { type Block, runSnippet } from '../support/snippets/run-snippet.ts';
import { callModel, newMember, test } from './support/visitor.ts';

const LIBRARIES = join(import.meta.dirname, '../../node_modules');

/** Those that need nothing but what the tests have. `npm run agents` runs the others. */
const FAST = ['curl', 'openai', 'anthropic', 'google-genai', 'AI SDK'];
const SLOW = ['Claude Code', 'Codex', 'Gemini CLI', 'opencode'];

/** The blocks of the chosen client, as they are on the page. */
async function readBlocks(page: Page): Promise<readonly Block[]> {
  const blocks = page.locator('pre').locator('xpath=..');
  const read = await blocks.evaluateAll((all) =>
    all.map((each) => ({
      place: each.querySelector('[role="group"] span')?.textContent ?? '',
      code: each.querySelector('pre')?.textContent ?? '',
    })),
  );
  return read.map(({ place, code }) => ({ place: place === 'Terminal' ? 'terminal' : place, code }));
}

test(
  'a key in two clicks, every snippet runs as it is shown, and the call brings its receipt',
  needs(CURL),
  async ({ expect, visitAs, signal }) => {
    const member = await newMember();
    const { page } = await visitAs(member.email, '/start', {
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    await page.getByText('Waiting for your first call…').waitFor();
    await page.getByRole('button', { name: 'Make a key' }).click();
    await page.getByText('Key “first” is ready').waitFor();
    const key = String(await page.getByText(/^tg-\w{20,}$/).textContent());
    await page.getByRole('button', { name: 'Copy', exact: true }).first().click();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(key);
    await page.getByText('listening for key first').waitFor();
    const clients = page.getByRole('group', { name: 'Clients' }).getByRole('button');
    await expect.poll(() => clients.locator('b').allTextContents()).toEqual([...FAST, ...SLOW]);
    const place = { programs: [], libraries: LIBRARIES, signal };
    const runs: Promise<void>[] = [];
    for (const name of FAST) {
      await clients.filter({ has: page.getByText(name, { exact: true }) }).click();
      const blocks = await readBlocks(page);
      expect(blocks.filter(({ code }) => code.includes(`export TOLLGATE_KEY=${key}`))).toHaveLength(1);
      runs.push(
        runSnippet(blocks, place).then(({ exitCode, printed, complained }) => {
          expect({ name, exitCode, complained: complained.replace(/^ .*\n|.*% Total.*/g, '') }).toMatchObject(
            {
              name,
              exitCode: 0,
            },
          );
          expect(printed.trim().length, name).toBeGreaterThan(1);
          if (name === 'curl') expect(JSON.parse(printed)).toHaveProperty('choices');
        }),
      );
    }
    await Promise.all(runs);
    await page.getByText('Your call has arrived').waitFor();
    await expect
      .poll(async () => {
        const { body } = await member.ask('GET', '/call-log/page?size=100');
        return body.data.map(({ status }: { status: number }) => status);
      })
      .toEqual(FAST.map(() => 200));
    const shown = page.locator('li', { hasText: 'Your call has arrived' });
    await expect
      .poll(async () => {
        const id = /req_\w+/.exec((await shown.getByRole('link').first().getAttribute('href')) ?? '')?.[0];
        const { body } = await member.ask('GET', '/call-log/page?size=1');
        const [newest] = body.data;
        const { data } = (await member.ask('GET', `/call-log/detail/${newest.id}`)).body;
        const text = await shown.textContent();
        return id === newest.request_id && text?.includes(`¥${Number(data.receipt.amount).toFixed(6)}`);
      })
      .toBe(true);
    // The choice is in the address, the key is nowhere after a reload.
    await clients.filter({ hasText: 'Codex' }).click();
    await page.waitForURL('**/start?client=codex');
    await page.reload();
    await page.getByText('~/.codex/config.toml').waitFor();
    expect(await page.content()).not.toContain(key);
    await page.getByText('first begins with').waitFor();
  },
);

test('somebody who calls already sees the newest call, and the next one without a reload', async ({
  expect,
  visitAs,
}) => {
  const member = await newMember();
  const key = await member.newKey('laptop');
  await callModel(key, 'claude-sonnet-5');
  const { page } = await visitAs(member.email, '/start', {
    locale: 'zh-CN',
    viewport: { width: 390, height: 844 },
  });
  await page.getByText('最近一次调用').waitFor();
  const link = page.locator('li', { hasText: '最近一次调用' }).getByRole('link').first();
  const before = await link.getAttribute('href');
  await callModel(key, 'claude-sonnet-5');
  await expect.poll(() => link.getAttribute('href')).not.toBe(before);
});
