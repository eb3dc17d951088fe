import { keepCompiled } from './compiled.ts';

keepCompiled();
const { runWorker } = await import('./worker.ts');

process.exitCode = await runWorker();
if (process.connected) process.disconnect();
