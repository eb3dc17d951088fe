import { pino } from 'pino';
import { startTollgate } from '../app.ts';
import { systemClock } from '../kernel/clock.ts';
import { planFaults } from '../kernel/fault.ts';
import { type Command, type CommandInput, EXIT } from './command.ts';
import { configOf, failForPeople } from './workspace.ts';

export const serve: Command = {
  name: 'serve',
  summary: 'Start the gateway and serve until SIGTERM or Ctrl-C.',
  usage: '',
  options: {},
  help: [],
  run: runServe,
};

async function runServe(input: CommandInput): Promise<number> {
  // Asked for first: a Ctrl-C while we start must not leave the embedded database behind.
  const stopping = untilSignal(['SIGTERM', 'SIGINT']);
  const config = configOf(input);
  if (config.faults !== undefined) planFaults(config.faults);
  const log = pino({ level: config.logLevel });
  const tollgate = await startTollgate(config, log).catch(failForPeople);
  log.info({ url: tollgate.url }, 'tollgate serves');
  for (const missing of tollgate.missing) log.warn({ missing }, 'calls cannot be served yet');
  await stopping;
  log.info({}, 'tollgate drains');
  await tollgate.stop();
  log.info({}, 'tollgate stopped');
  return EXIT.ok;
}

/** npm passes a Ctrl-C on although the terminal has sent it to us as well: that is one wish, not two. */
const SAME_SIGNAL_MS = 1_000;

/** The first signal asks us to stop; one that comes later ends us at once. */
export function untilSignal(signals: readonly NodeJS.Signals[]): Promise<void> {
  return new Promise((resolve) => {
    let firstAt: number | undefined;
    const onSignal = (): void => {
      const now = systemClock.monotonic();
      firstAt ??= now;
      if (now - firstAt > SAME_SIGNAL_MS) process.exit(130);
      resolve();
    };
    for (const signal of signals) process.on(signal, onSignal);
  });
}
