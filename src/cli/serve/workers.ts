import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { WORKER_FIGURES_MS, WORKER_RESTART_MS, WORKER_RESTART_MS_MAX, WORKER_WELL_MS } from '../../bounds.ts';
import { readCounters, sumMetrics } from '../../http/metrics-sum.ts';
import type { Logger } from '../../kernel/log.ts';
import { systemClock } from '../../kernel/time/clock.ts';
import { StartRefused } from '../../setup.ts';
import type { FromWorker, ToWorker } from './worker-messages.ts';

export interface WorkersOptions {
  readonly count: number;
  readonly port: number;
  readonly opsPort: number;
  readonly databaseUrl: string;
  readonly configFile: string | undefined;
  /** Time that a worker has to end when asked. Then it is killed. */
  readonly stopMs: number;
  readonly log: Logger;
  /** The program of a worker. Tests use another one. */
  readonly program?: string;
}

export interface Serving {
  readonly url: string;
  readonly opsUrl: string;
  readonly missing: readonly string[];
}

const PROGRAM = fileURLToPath(new URL('./worker-main.ts', import.meta.url));

/** A worker number and its current process. */
interface WorkerProcess {
  readonly number: number;
  process: ChildProcess | undefined;
  /** Resolves when the current process has ended. */
  ended: Promise<void>;
  servingSinceMs: number | undefined;
  restartMs: number;
  restart: NodeJS.Timeout | undefined;
  /** The last metrics of the worker. Its counters are kept after it ends. */
  figures: string;
}

/** Worker processes on one port: starts, restarts and stops them, and collects their metrics. */
export class Workers {
  readonly #options: WorkersOptions;
  readonly #slots: WorkerProcess[] = [];
  readonly #questions = new Map<number, (slot: WorkerProcess, text: string) => void>();
  readonly #began = Promise.withResolvers<Serving>();
  #lastQuestion = 0;
  /** The counters of workers that have ended. */
  #past = '';
  #stopping = false;
  #worstCode = 0;

  constructor(options: WorkersOptions) {
    this.#options = options;
  }

  /** Resolves when all serve. Throws StartRefused when one of them reports that it cannot start. */
  start(): Promise<Serving> {
    for (let number = 1; number <= this.#options.count; number++) {
      const slot: WorkerProcess = {
        number,
        process: undefined,
        ended: Promise.resolve(),
        servingSinceMs: undefined,
        restartMs: WORKER_RESTART_MS,
        restart: undefined,
        figures: '',
      };
      this.#slots.push(slot);
      this.#fill(slot);
    }
    return this.#began.promise;
  }

  /** Each worker drains like a single server. Resolves when the last has ended. */
  async stop(): Promise<void> {
    this.#stopping = true;
    for (const { restart, process: worker } of this.#slots) {
      clearTimeout(restart);
      worker?.kill('SIGTERM');
    }
    const late = setTimeout(() => this.#kill(), this.#options.stopMs);
    await Promise.all(this.#slots.map(({ ended }) => ended));
    clearTimeout(late);
  }

  /** Calls that it has not settled are in its journal. */
  #kill(): void {
    for (const { number, process: worker } of this.#slots) {
      if (worker === undefined) continue;
      this.#options.log.error({ worker: number }, 'worker does not stop in time and is killed');
      worker.kill('SIGKILL');
    }
  }

  /** The worst exit code of the workers that ended after they were asked to. */
  get worstCode(): number {
    return this.#worstCode;
  }

  #fill(slot: WorkerProcess): void {
    const { port, opsPort, databaseUrl, configFile } = this.#options;
    slot.servingSinceMs = undefined;
    const worker = this.#fork(slot);
    if (worker === undefined) {
      this.#lost(slot, null, null);
      return;
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    slot.process = worker;
    slot.ended = promise;
    worker.on('message', (word: FromWorker) => this.#hear(slot, word));
    const gone = (code: number | null, signal: NodeJS.Signals | null): void => {
      if (slot.process !== worker) return;
      this.#lost(slot, code, signal);
      resolve();
    };
    worker.once('close', gone);
    // The end of a worker is an event of its own, so a failed send is ignored. But one that never started,
    // for lack of files or processes, may have no such event.
    worker.on('error', () => {
      if (worker.pid === undefined) gone(null, null);
    });
    tell(worker, { kind: 'start', number: slot.number, port, opsPort, databaseUrl, configFile });
  }

  /** Some failures are events of the process, others are thrown, e.g. when the environment is too large. */
  #fork(slot: WorkerProcess): ChildProcess | undefined {
    const { program = PROGRAM, log } = this.#options;
    try {
      return fork(program, [], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    } catch (error) {
      log.error(
        { worker: slot.number, err: error },
        'worker process could not be created; it is tried again',
      );
      return undefined;
    }
  }

  #hear(slot: WorkerProcess, word: FromWorker): void {
    switch (word.kind) {
      case 'serves':
        slot.servingSinceMs = systemClock.monotonic();
        if (this.#slots.every(({ servingSinceMs }) => servingSinceMs !== undefined))
          this.#began.resolve(word);
        return;
      case 'refused':
        // After the first start it is tried again: the database may be unreachable for a moment.
        this.#options.log.error({ worker: slot.number, reason: word.message }, 'worker cannot start');
        this.#began.reject(new StartRefused(word.message));
        return;
      case 'figures':
        this.#questions.get(word.id)?.(slot, word.text);
        return;
      case 'want-all-figures':
        slot.figures = word.own;
        void this.#collect(slot).then((text) => {
          if (slot.process !== undefined) tell(slot.process, { kind: 'all-figures', id: word.id, text });
        });
    }
  }

  #lost(slot: WorkerProcess, code: number | null, signal: NodeJS.Signals | null): void {
    slot.process = undefined;
    this.#past = sumMetrics([this.#past, readCounters(slot.figures)]);
    slot.figures = '';
    if (this.#stopping) {
      this.#worstCode = Math.max(this.#worstCode, code ?? 1);
      return;
    }
    const { servingSinceMs } = slot;
    const well = servingSinceMs !== undefined && systemClock.monotonic() - servingSinceMs >= WORKER_WELL_MS;
    const waitMs = well ? WORKER_RESTART_MS : slot.restartMs;
    slot.restartMs = Math.min(waitMs * 2, WORKER_RESTART_MS_MAX);
    this.#options.log.error(
      { worker: slot.number, code, signal, waitMs },
      'worker died; another one is started',
    );
    slot.restart = setTimeout(() => this.#fill(slot), waitMs);
  }

  /** The metrics of all workers. Those of the worker that asks are already known. */
  async #collect(asker: WorkerProcess): Promise<string> {
    const id = ++this.#lastQuestion;
    const silent = new Set(this.#slots.filter((slot) => slot !== asker && slot.process !== undefined));
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#questions.set(id, (slot, text) => {
      slot.figures = text;
      silent.delete(slot);
      if (silent.size === 0) resolve();
    });
    const late = setTimeout(resolve, WORKER_FIGURES_MS);
    if (silent.size === 0) resolve();
    for (const { process: worker } of silent)
      if (worker !== undefined) tell(worker, { kind: 'tell-figures', id });
    await promise;
    clearTimeout(late);
    this.#questions.delete(id);
    return sumMetrics([this.#past, ...this.#slots.map(({ figures }) => figures)]);
  }
}

function tell(worker: ChildProcess, word: ToWorker): void {
  if (worker.connected) worker.send(word);
}
