import { pino } from 'pino';
import { startTollgate } from '../app.ts';
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
  const config = configOf(input);
  if (config.faults !== undefined) planFaults(config.faults);
  const log = pino({ level: config.logLevel });
  const tollgate = await startTollgate(config, log).catch(failForPeople);
  log.info({ url: tollgate.url }, 'tollgate serves');
  for (const missing of tollgate.missing) log.warn({ missing }, 'calls cannot be served yet');
  await untilSignal();
  log.info({}, 'tollgate drains');
  await tollgate.stop();
  log.info({}, 'tollgate stopped');
  return EXIT.ok;
}

/** The first signal asks us to stop; a second one ends us at once. */
export function untilSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.once(signal, () => {
        process.once(signal, () => process.exit(130));
        resolve();
      });
    }
  });
}
