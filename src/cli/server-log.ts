import { pino } from 'pino';
import { LOG_PENDING_BYTES_MAX } from '../bounds.ts';

/**
 * The log of a process that serves. Its calls do not end because nobody can be told of them: while stdout
 * takes nothing (a full disk, a terminal that is gone) lines wait, and those that do not fit are lost.
 */
export function openServerLog(level: string): pino.Logger {
  const destination = pino.destination({ dest: 1, sync: false, maxLength: LOG_PENDING_BYTES_MAX });
  // sonic-boom 4.2: at an exit `flushSync` tries again what fails with ENOSPC or EIO, asleep and without end.
  const flushSync = destination.flushSync.bind(destination);
  let failing = false;
  destination.on('error', () => {
    if (failing) return;
    failing = true;
    destination.flushSync = () => undefined;
    destination.once('drain', () => {
      failing = false;
      destination.flushSync = flushSync;
    });
  });
  // What is said to people goes the same way; a command that cannot say its result fails, a server does not.
  process.stdout.removeAllListeners('error').on('error', () => undefined);
  return pino({ level }, destination);
}
