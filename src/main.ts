#!/usr/bin/env node
import { runCommand } from './cli/run.ts';

// Who reads only the first lines (`tollgate call list | head`) has read enough.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

process.exitCode = await runCommand(process.argv.slice(2));
