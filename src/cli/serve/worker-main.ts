import { collectBuffersEarly } from './collect-buffers.ts';
import { keepCompiled } from './compiled.ts';

keepCompiled();
collectBuffersEarly();
const { runWorker } = await import('./worker.ts');

process.exitCode = await runWorker();
if (process.connected) process.disconnect();
