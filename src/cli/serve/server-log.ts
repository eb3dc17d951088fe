import { isatty } from 'node:tty';
import { type DestinationStream, pino } from 'pino';
import { LOG_PENDING_BYTES_MAX } from '../../bounds.ts';
import type { Config } from '../../config.ts';
import { createTimeFormat } from '../../kernel/time/calendar.ts';
import { type LineStyle, lineForPeople } from './log-lines.ts';

const STDOUT = 1;
const STDERR = 2;

/**
 * The log of a server process. Calls do not depend on it: while stdout takes nothing (a full disk, a closed
 * terminal) lines wait in memory, and those that do not fit are lost.
 */
export function openServerLog(config: Config): pino.Logger {
  const destination = pino.destination({ dest: STDOUT, sync: false, maxLength: LOG_PENDING_BYTES_MAX });
  // sonic-boom 4.2: at exit `flushSync` retries ENOSPC and EIO forever, with blocking sleeps.
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
  // Output for people goes the same way. A command that cannot print its result fails, a server does not.
  process.stdout.removeAllListeners('error').on('error', () => undefined);
  return pino({ level: config.logLevel }, readable(destination, STDOUT, config));
}

/** The log of a command, on stderr beside its result. */
export function openCommandLog(config: Config, level: string): pino.Logger {
  return pino({ level }, readable(pino.destination(STDERR), STDERR, config));
}

/** A readable log on a terminal, JSON everywhere else. */
function readable(destination: DestinationStream, descriptor: number, config: Config): DestinationStream {
  if (!isatty(descriptor)) return destination;
  const style = chooseLineStyle(config);
  return { write: (json) => destination.write(lineForPeople(json, style)) };
}

function chooseLineStyle({ environment, timeZone, logLevel }: Config): LineStyle {
  const isPlain = (environment.NO_COLOR ?? '') !== '' || environment.TERM === 'dumb';
  const show = createTimeFormat(timeZone);
  return {
    time: (timeMs) => show(timeMs).slice('YYYY-MM-DD '.length),
    colours: isPlain ? 'off' : 'on',
    stacks: logLevel === 'debug' || logLevel === 'trace' ? 'whole' : 'none',
  };
}
