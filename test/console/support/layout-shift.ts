/** How far things on a page have moved by themselves since it was opened. */
import type { Page } from 'playwright-core';

/** A fiftieth of the page; people notice a tenth. */
export const SHIFT_MAX = 0.02;

const WATCH = `
  window.shifted = 0;
  window.moved = [];
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput, sources } of list.getEntries()) {
      if (hadRecentInput) continue;
      window.shifted += value;
      window.moved.push(...sources.map(({ node, previousRect, currentRect }) =>
        (node?.outerHTML ?? node?.textContent ?? '').slice(0, 120) + ' ' + previousRect.y + ' → ' + currentRect.y));
    }
  }).observe({ type: 'layout-shift', buffered: true });`;

export interface LayoutShift {
  /** As the browser adds it up: the part of the page that moved, times how far. */
  readonly score: number;
  /** What moved, and how far. */
  readonly moved: readonly string[];
}

/** From the next page on. */
export async function watchLayout(page: Page): Promise<void> {
  await page.addInitScript(WATCH);
}

export async function layoutShift(page: Page): Promise<LayoutShift> {
  return (await page.evaluate('({ score: window.shifted, moved: window.moved })')) as LayoutShift;
}
