import { startTollgate } from '../../app.ts';
import { planFaults } from '../../kernel/fault.ts';
import { type Command, type CommandInput, EXIT, stringOption } from '../command.ts';
import { untilSignal } from '../signal.ts';
import { failForPeople, requireConfig } from '../workspace.ts';
import { keepCompiledNow } from './compiled.ts';
import { buildConsole } from './console-build.ts';
import { openServerLog } from './server-log.ts';
import { tellFirstStart } from './start-notice.ts';
import { superviseWorkers } from './supervise.ts';

export const serve: Command = {
  name: 'serve',
  summary: 'Start the gateway and serve until SIGTERM or Ctrl-C.',
  usage: '',
  options: {},
  help: [],
  run: runServe,
};

async function runServe(input: CommandInput): Promise<number> {
  // First of all: a Ctrl-C during the start must not leave the embedded database running.
  const stopping = untilSignal(['SIGTERM', 'SIGINT']);
  const { output } = input;
  const config = requireConfig(input);
  if (config.workers > 1) {
    const configFile = stringOption(input, 'config');
    return await superviseWorkers({ config, configFile, stopping, output }).catch(failForPeople);
  }
  if (config.faults !== undefined) planFaults(config.faults);
  const log = openServerLog(config);
  const building = buildConsole(log);
  const tollgate = await startTollgate(config, log).catch(failForPeople);
  tellFirstStart(tollgate, config, output);
  log.info({ ops: tollgate.opsUrl, url: tollgate.url }, 'tollgate serves');
  for (const missing of tollgate.missing) log.warn({ missing }, 'calls cannot be served yet');
  keepCompiledNow();
  await stopping;
  log.info({}, 'tollgate is stopping: running calls may end');
  building.stop();
  await tollgate.stop();
  log.info({}, 'tollgate stopped');
  return EXIT.ok;
}
