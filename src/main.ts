#!/usr/bin/env node
import { keepCompiled } from './cli/compiled.ts';

// Who reads only the first lines (`tollgate call list | head`) has read enough.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

keepCompiled();
const { runCommand } = await import('./cli/run.ts');
process.exitCode = await runCommand(process.argv.slice(2));
