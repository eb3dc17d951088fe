import { runWorker } from './worker.ts';

process.exitCode = await runWorker();
if (process.connected) process.disconnect();
