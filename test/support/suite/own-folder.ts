import { chmodSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach } from 'vitest';
import { endFile, endTest } from './ends.ts';
import { clearFolder } from './leftovers.ts';

/**
 * Each test file has a temporary folder of its own, and so has every program that it starts. Whatever is
 * still there when the file has ended goes with it, so a test that fails or hangs leaves nothing behind. The
 * hook is registered before those of the file, so it is the last to run.
 */
const RUN_FOLDER = Symbol.for('tollgate.run-folder');
const shared = process as { [RUN_FOLDER]?: string };
// Kept for the process: the hooks of a file whose tests are all skipped do not run.
shared[RUN_FOLDER] ??= tmpdir();
const parent = shared[RUN_FOLDER];
const folder = mkdtempSync(join(parent, 'f-'));
// The embedded database never runs as root: its own user must be able to pass through.
chmodSync(folder, 0o711);
process.env.TMPDIR = folder;
afterEach(endTest);
afterAll(async () => {
  await endFile();
  clearFolder(folder);
  // The next file of this process makes its folder beside this one.
  process.env.TMPDIR = parent;
});
