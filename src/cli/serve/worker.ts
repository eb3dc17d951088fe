import { once } from 'node:events';
import { startTollgate, type Tollgate } from '../../app.ts';
import { WORKER_FIGURES_MS } from '../../bounds.ts';
import { type Config, loadConfig } from '../../config.ts';
import { assert } from '../../kernel/assert.ts';
import { planFaults } from '../../kernel/fault.ts';
import type { Logger } from '../../kernel/log.ts';
import { CommandFailed, EXIT } from '../command.ts';
import { untilSignal } from '../signal.ts';
import { failForPeople } from '../workspace.ts';
import { keepCompiledNow } from './compiled.ts';
import { openServerLog } from './server-log.ts';
import type { FromWorker, ToWorker } from './worker-messages.ts';

/**
 * The life of one worker: the supervisor sends it its number and port, it serves, and it ends when asked. A
 * worker whose supervisor is gone aborts its calls and settles them. The next supervisor starts a worker with
 * the same number, which waits for the journal.
 */
export async function runWorker(): Promise<number> {
  const asked = untilSignal(['SIGTERM', 'SIGINT']);
  const orphaned = once(process, 'disconnect').then(() => 'orphaned' as const);
  const figures = new Figures();
  process.on('message', (word: ToWorker) => figures.hear(word));
  const start = await firstWord();
  const config = requireWorkerConfig(start);
  if (config.faults !== undefined) planFaults(config.faults);
  const log = openServerLog(config).child({ worker: start.number });
  const collectMetrics = (own: string): Promise<string> => figures.ofAll(own);
  const tollgate = await startTollgate(config, log, { number: start.number, collectMetrics }).catch(refuse);
  if (tollgate === undefined) return EXIT.failed;
  figures.own = () => tollgate.metrics();
  const { url, opsUrl, missing } = tollgate;
  tell({ kind: 'serves', url, opsUrl, missing });
  log.info({}, 'worker serves');
  keepCompiledNow();
  return await untilStopped(tollgate, { asked, orphaned, log });
}

interface Ends {
  readonly asked: Promise<void>;
  readonly orphaned: Promise<'orphaned'>;
  readonly log: Logger;
}

async function untilStopped(tollgate: Tollgate, { asked, orphaned, log }: Ends): Promise<number> {
  const why = await Promise.race([asked, orphaned]);
  let code: number = EXIT.ok;
  let stopped = false;
  const abandon = async (): Promise<void> => {
    if (stopped) return;
    log.error({}, 'the supervisor process is gone: this worker stops and aborts its calls');
    code = EXIT.failed;
    await tollgate.stop({ drainMs: 0 });
  };
  if (why === 'orphaned') await abandon();
  else {
    void orphaned.then(abandon);
    await tollgate.stop();
  }
  stopped = true;
  log.info({}, 'worker stopped');
  return code;
}

/** The supervisor prints the message; a worker has no output for people. */
function refuse(error: unknown): undefined {
  try {
    failForPeople(error);
  } catch (known) {
    if (!(known instanceof CommandFailed)) throw known;
    tell({ kind: 'refused', message: known.message });
    return undefined;
  }
}

type Start = Extract<ToWorker, { kind: 'start' }>;

async function firstWord(): Promise<Start> {
  const [word] = (await once(process, 'message')) as [ToWorker];
  assert(word.kind === 'start', 'the first message to a worker is start');
  return word;
}

function requireWorkerConfig({ port, opsPort, databaseUrl, configFile }: Start): Config {
  const result = loadConfig(configFile);
  // The supervisor has just read the same text.
  if (result.kind === 'config-errors') throw new Error(result.errors.join('; '));
  return { ...result.config, port, opsPort, databaseUrl };
}

function tell(word: FromWorker): void {
  // The end of the supervisor is an event of its own. Without a callback, a failed send would throw here.
  if (process.connected) process.send?.(word, undefined, undefined, () => undefined);
}

/** The metrics of this worker for the others, and those of all workers for a scraper of this one. */
class Figures {
  own: () => string = () => '';
  readonly #asked = new Map<number, (text: string) => void>();
  #last = 0;

  hear(word: ToWorker): void {
    if (word.kind === 'tell-figures') tell({ kind: 'figures', id: word.id, text: this.own() });
    if (word.kind === 'all-figures') this.#asked.get(word.id)?.(word.text);
  }

  /** If the supervisor does not answer in time, the worker shows its own metrics only. */
  async ofAll(own: string): Promise<string> {
    const id = ++this.#last;
    const { promise, resolve } = Promise.withResolvers<string>();
    const late = setTimeout(() => resolve(own), WORKER_FIGURES_MS * 2);
    this.#asked.set(id, resolve);
    tell({ kind: 'want-all-figures', id, own });
    const text = await promise;
    clearTimeout(late);
    this.#asked.delete(id);
    return text;
  }
}
