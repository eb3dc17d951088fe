#!/usr/bin/env node
import { keepCompiled } from './cli/serve/compiled.ts';
import { setHeap } from './cli/serve/heap-settings.ts';

// Who reads only the first lines (`tollgate call list | head`) has read enough.
let isLeft = false;
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  if (process.listenerCount('SIGTERM') === 0) process.exit();
  // It has something to put away first, like the demo its database. Asked once: twice would be a demand.
  if (!isLeft) process.kill(process.pid, 'SIGTERM');
  isLeft = true;
});

keepCompiled();
setHeap();
const { runCommand } = await import('./cli/run.ts');
process.exitCode = await runCommand(process.argv.slice(2));
