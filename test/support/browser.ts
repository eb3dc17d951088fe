import { type Browser, chromium } from 'playwright-core';
import { chromium as program } from '../prerequisites.ts';

/** Pages of the browser's own that every window loads unseen; they cost as much as a page of the console. */
const UNSEEN = ['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup', 'PreloadTopChromeWebUI'];
/** What Playwright switches off itself. Of two lists the browser reads the second. */
const OFF_ANYWAY = [
  'AimEnabled',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsFirstBalancedModeAutoEnable',
  'HttpsUpgrades',
  'LensOverlay',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PaintHolding',
  'PreconnectToSearch',
  'ThirdPartyStoragePartitioning',
];
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-dev-shm-usage',
  '--mute-audio',
  `--disable-features=${[...OFF_ANYWAY, ...UNSEEN].join()}`,
];
/** A busy machine takes its time to start one. */
const START_MS = 120_000;
const BROWSER = Symbol.for('tollgate.test-browser');

/** A real browser without a window. The caller closes it. */
export function launchBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: String(program), args: FLAGS, timeout: START_MS });
}

/**
 * The browser of this process, for all files that it runs: a browser that all processes share would be
 * driven through the runner, which costs more than a second browser. It ends with the process.
 */
export function browserOfProcess(): Promise<Browser> {
  const shared = process as { [BROWSER]?: Promise<Browser> };
  shared[BROWSER] ??= launchBrowser();
  return shared[BROWSER];
}
