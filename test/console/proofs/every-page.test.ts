import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { expect, inject } from 'vitest';
import { PAGES, type Who } from '../screenshots/pages.ts';
import { watchPage } from '../screenshots/settled.ts';
import { layoutShift, SHIFT_MAX, watchLayout } from '../support/layout-shift.ts';
import { tellChannels } from '../support/told.ts';
import { askOperator, callModel, newMember, OPERATOR, test, type Visitor } from '../support/visitor.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const PHONE = { width: 390, height: 844 };
const DESKTOP = { width: 1440, height: 900 };

interface Finding {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

/** What people with a keyboard, a screen reader or weak eyes cannot use. */
async function findFaults(page: Page): Promise<readonly string[]> {
  const findings = (await page.evaluate(
    `axe.run(document, { resultTypes: ['violations'], runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa'] })
      .then(({ violations }) => violations)`,
  )) as readonly Finding[];
  return findings
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary ?? ''}`),
    );
}

/** How far the page is wider than its window. */
function overflow(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
}

async function look(page: Page, path: string, untilSettled: () => Promise<void>): Promise<readonly string[]> {
  const faults: string[] = [];
  await page.goto(path);
  await untilSettled();
  const { score, moved } = await layoutShift(page);
  if (score > SHIFT_MAX) faults.push(`${path}: things moved by ${score.toFixed(4)}: ${moved.join(' | ')}`);
  await page.evaluate(AXE);
  for (const theme of ['light', 'dark']) {
    await page.evaluate((name) => {
      document.documentElement.dataset.theme = name;
    }, theme);
    faults.push(...(await findFaults(page)).map((fault) => `${path} ${theme}: ${fault}`));
  }
  for (const size of [PHONE, DESKTOP]) {
    await page.setViewportSize(size);
    const pixels = await overflow(page);
    if (pixels > 0) faults.push(`${path} at ${size.width}: ${pixels} px wider than the window`);
  }
  if ((await page.locator('h1').count()) !== 1) faults.push(`${path}: not one first heading`);
  return faults;
}

function pathsOf(who: Who, account: number): readonly string[] {
  const own = PAGES.filter((each) => each.who === who).map(({ path }) =>
    path.replace('{account}', String(account)),
  );
  return [...new Set(own)];
}

/** Answers come after the first picture of a page, as they do from afar. */
const NETWORK = { offline: false, latency: 60, downloadThroughput: -1, uploadThroughput: -1 };

async function lookAtAll({ page, context }: Visitor, paths: readonly string[]): Promise<readonly string[]> {
  const faults: string[] = [];
  const tools = await context.newCDPSession(page);
  await tools.send('Network.enable');
  await tools.send('Network.emulateNetworkConditions', NETWORK);
  await watchLayout(page);
  const untilSettled = watchPage(page);
  for (const path of paths) faults.push(...(await look(page, path, untilSettled)));
  return faults;
}

test('every page of a visitor can be used by everybody, in both themes and on a phone', async ({ visit }) => {
  const visitor = await visit('/signin');
  expect(await lookAtAll(visitor, pathsOf('visitor', 0))).toEqual([]);
});

test('every page of a user can be used by everybody, in both themes and on a phone', async ({ visitAs }) => {
  const member = await newMember();
  await callModel(await member.newKey());
  await tellChannels(member.ask, '/alert', inject('hooksUrl'));
  const visitor = await visitAs(member.email, '/overview');
  expect(await lookAtAll(visitor, pathsOf('user', 0))).toEqual([]);
});

test('every page of an operator can be used by everybody, in both themes and on a phone', async ({
  visitAs,
}) => {
  const member = await newMember();
  await tellChannels(askOperator, '/alerts', inject('hooksUrl'));
  const visitor = await visitAs(OPERATOR, '/operator');
  expect(await lookAtAll(visitor, pathsOf('operator', member.id))).toEqual([]);
});
