import { setTimeout as sleep } from 'node:timers/promises';
import type { Page, Request } from 'playwright-core';

const QUIET_MS = 150;
const POLL_MS = 40;
const WAIT_MS_MAX = 30_000;

/** Whether something is still to come: a part that loads, or a page that shows nothing yet. */
const IS_LOADING = `document.querySelector('[class*="skeleton" i], [aria-busy="true"]') !== null
  || document.fonts.status !== 'loaded'
  || (document.getElementById('console')?.childElementCount ?? 0) === 0`;

/**
 * Watches the requests of a page. The result waits until none is under way and nothing on the page stands for
 * something that loads. A stream of events never ends, so it does not count.
 */
export function watchPage(page: Page): () => Promise<void> {
  const underWay = new Set<Request>();
  let quietSince = performance.now();
  page.on('request', (request) => {
    if (request.resourceType() !== 'eventsource') underWay.add(request);
  });
  const landed = (request: Request): void => {
    underWay.delete(request);
    quietSince = performance.now();
  };
  page.on('requestfinished', landed);
  page.on('requestfailed', landed);
  return async () => {
    const untilMs = performance.now() + WAIT_MS_MAX;
    while (performance.now() < untilMs) {
      const isQuiet = underWay.size === 0 && performance.now() - quietSince > QUIET_MS;
      if (isQuiet && (await page.evaluate(IS_LOADING)) === false) return;
      await sleep(POLL_MS);
    }
    const waiting = [...underWay].map((request) => request.url()).join(', ');
    throw new Error(`${page.url()} still loads: ${waiting || 'parts of the page'}`);
  };
}
