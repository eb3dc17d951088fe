import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { CONSOLE_SOURCES, isCurrent } from '../../console/sources.ts';
import type { Logger } from '../../kernel/log.ts';

const PROGRAM = join(CONSOLE_SOURCES, 'build', 'build.ts');
const BUILD_MS_MAX = 120_000;
const ERROR_CHARS_MAX = 2_000;

/**
 * Builds the console in a process of its own if it is missing or stale, while the server starts. Pages ask
 * again until it is there. A failure is logged, and the server serves everything else.
 */
export function buildConsole(log: Logger): { stop(): void } {
  if (!existsSync(PROGRAM) || isCurrent()) return { stop: () => {} };
  const child = spawn(process.execPath, [PROGRAM], {
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: BUILD_MS_MAX,
  });
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors = (errors + text).slice(-ERROR_CHARS_MAX);
  });
  child.once('error', (error) => log.warn({ err: error }, 'the web console could not be built'));
  child.once('close', (code, signal) => {
    if (code === 0) log.info({}, 'the web console was built');
    else if (signal === null) log.warn({ code, errors }, 'the web console could not be built');
  });
  return { stop: () => void child.kill() };
}
