import { parentPort, workerData } from 'node:worker_threads';
import { startTollgate } from '../../src/app.ts';
import type { Config } from '../../src/config.ts';
import { silentLogger } from '../../src/kernel/log.ts';

/**
 * A gateway in a thread of its own that measures the turns of its loop: `watch` begins a measurement, `tell`
 * ends it, `stop` ends the gateway. The runner of the tests changes the code that it loads and makes it slow;
 * here it is as it is.
 */
const threadMs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};

let longestMs = 0;
let atMs = threadMs();
let next: NodeJS.Immediate | undefined;

/** In processor time: a busy machine adds nothing. */
function look(): void {
  const nowMs = threadMs();
  longestMs = Math.max(longestMs, nowMs - atMs);
  atMs = nowMs;
  next = setImmediate(look);
}

const tollgate = await startTollgate(workerData as Config, silentLogger);
parentPort?.on('message', async (word: 'watch' | 'tell' | 'stop') => {
  clearImmediate(next);
  if (word === 'watch') {
    longestMs = 0;
    atMs = threadMs();
    look();
  } else if (word === 'tell') {
    parentPort?.postMessage(longestMs);
  } else {
    await tollgate.stop();
    parentPort?.close();
  }
});
parentPort?.postMessage(tollgate.url);
