import { enableCompileCache } from 'node:module';

// A worker that follows a dead one is wanted soon: what the first ones compiled is kept for it.
enableCompileCache(process.argv[2]);
const { runWorker } = await import('./worker.ts');

process.exitCode = await runWorker();
if (process.connected) process.disconnect();
