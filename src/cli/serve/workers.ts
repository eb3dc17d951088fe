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
  readonly #seats: WorkerProcess[] = [];
  readonly #questions = new Map<number, (seat: WorkerProcess, text: string) => void>();
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
      const seat: WorkerProcess = {
        number,
        process: undefined,
        ended: Promise.resolve(),
        servingSinceMs: undefined,
        restartMs: WORKER_RESTART_MS,
        restart: undefined,
        figures: '',
      };
      this.#seats.push(seat);
      this.#fill(seat);
    }
    return this.#began.promise;
  }

  /** Each worker drains like a single server. Resolves when the last has ended. */
  async stop(): Promise<void> {
    this.#stopping = true;
    for (const { restart, process: worker } of this.#seats) {
      clearTimeout(restart);
      worker?.kill('SIGTERM');
    }
    const late = setTimeout(() => this.#kill(), this.#options.stopMs);
    await Promise.all(this.#seats.map(({ ended }) => ended));
    clearTimeout(late);
  }

  /** Calls that it has not settled are in its journal. */
  #kill(): void {
    for (const { number, process: worker } of this.#seats) {
      if (worker === undefined) continue;
      this.#options.log.error({ worker: number }, 'worker does not stop in time and is killed');
      worker.kill('SIGKILL');
    }
  }

  /** The worst exit code of the workers that ended after they were asked to. */
  get worstCode(): number {
    return this.#worstCode;
  }

  #fill(seat: WorkerProcess): void {
    const { port, opsPort, databaseUrl, configFile } = this.#options;
    seat.servingSinceMs = undefined;
    const worker = this.#fork(seat);
    if (worker === undefined) {
      this.#lost(seat, null, null);
      return;
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    seat.process = worker;
    seat.ended = promise;
    worker.on('message', (word: FromWorker) => this.#hear(seat, word));
    const gone = (code: number | null, signal: NodeJS.Signals | null): void => {
      if (seat.process !== worker) return;
      this.#lost(seat, code, signal);
      resolve();
    };
    worker.once('close', gone);
    // The end of a worker is an event of its own, so a failed send is ignored. But one that never started,
    // for lack of files or processes, may have no such event.
    worker.on('error', () => {
      if (worker.pid === undefined) gone(null, null);
    });
    tell(worker, { kind: 'start', number: seat.number, port, opsPort, databaseUrl, configFile });
  }

  /** Some failures are events of the process, others are thrown, e.g. when the environment is too large. */
  #fork(seat: WorkerProcess): ChildProcess | undefined {
    const { program = PROGRAM, log } = this.#options;
    try {
      return fork(program, [], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    } catch (error) {
      log.error(
        { worker: seat.number, err: error },
        'worker process could not be created; it is tried again',
      );
      return undefined;
    }
  }

  #hear(seat: WorkerProcess, word: FromWorker): void {
    switch (word.kind) {
      case 'serves':
        seat.servingSinceMs = systemClock.monotonic();
        if (this.#seats.every(({ servingSinceMs }) => servingSinceMs !== undefined))
          this.#began.resolve(word);
        return;
      case 'refused':
        // After the first start it is tried again: the database may be unreachable for a moment.
        this.#options.log.error({ worker: seat.number, reason: word.message }, 'worker cannot start');
        this.#began.reject(new StartRefused(word.message));
        return;
      case 'figures':
        this.#questions.get(word.id)?.(seat, word.text);
        return;
      case 'want-all-figures':
        seat.figures = word.own;
        void this.#collect(seat).then((text) => {
          if (seat.process !== undefined) tell(seat.process, { kind: 'all-figures', id: word.id, text });
        });
    }
  }

  #lost(seat: WorkerProcess, code: number | null, signal: NodeJS.Signals | null): void {
    seat.process = undefined;
    this.#past = sumMetrics([this.#past, readCounters(seat.figures)]);
    seat.figures = '';
    if (this.#stopping) {
      this.#worstCode = Math.max(this.#worstCode, code ?? 1);
      return;
    }
    const { servingSinceMs } = seat;
    const well = servingSinceMs !== undefined && systemClock.monotonic() - servingSinceMs >= WORKER_WELL_MS;
    const waitMs = well ? WORKER_RESTART_MS : seat.restartMs;
    seat.restartMs = Math.min(waitMs * 2, WORKER_RESTART_MS_MAX);
    this.#options.log.error(
      { worker: seat.number, code, signal, waitMs },
      'worker died; another one is started',
    );
    seat.restart = setTimeout(() => this.#fill(seat), waitMs);
  }

  /** The metrics of all workers. Those of the worker that asks are already known. */
  async #collect(asker: WorkerProcess): Promise<string> {
    const id = ++this.#lastQuestion;
    const silent = new Set(this.#seats.filter((seat) => seat !== asker && seat.process !== undefined));
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#questions.set(id, (seat, text) => {
      seat.figures = text;
      silent.delete(seat);
      if (silent.size === 0) resolve();
    });
    const late = setTimeout(resolve, WORKER_FIGURES_MS);
    if (silent.size === 0) resolve();
    for (const { process: worker } of silent)
      if (worker !== undefined) tell(worker, { kind: 'tell-figures', id });
    await promise;
    clearTimeout(late);
    this.#questions.delete(id);
    return sumMetrics([this.#past, ...this.#seats.map(({ figures }) => figures)]);
  }
}

function tell(worker: ChildProcess, word: ToWorker): void {
  if (worker.connected) worker.send(word);
}
