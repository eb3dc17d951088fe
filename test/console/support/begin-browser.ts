import { CHROMIUM } from '../../needs.ts';
import { browserOfProcess } from '../../support/browser.ts';

/** Before the file has a temporary folder of its own, which goes with the file: the browser outlives it. */
if (CHROMIUM.isMet) await browserOfProcess();
