import { keepCompiled } from './compiled.ts';
import { setHeap } from './heap-settings.ts';

keepCompiled();
setHeap();
const { runWorker } = await import('./worker.ts');

process.exitCode = await runWorker();
if (process.connected) process.disconnect();
