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
  /** What a worker gets to end when it is asked to; then it is killed. */
  readonly stopMs: number;
  readonly log: Logger;
  /** The program of a worker; tests have their own. */
  readonly program?: string;
}

export interface Serving {
  readonly url: string;
  readonly opsUrl: string;
  readonly missing: readonly string[];
}

const PROGRAM = fileURLToPath(new URL('./worker-main.ts', import.meta.url));

/** A number, and the process that has it now. */
interface WorkerProcess {
  readonly number: number;
  process: ChildProcess | undefined;
  /** Done when the process that has the seat now has ended. */
  ended: Promise<void>;
  servingSinceMs: number | undefined;
  restartMs: number;
  restart: NodeJS.Timeout | undefined;
  /** The last figures it told, of which the counters outlive it. */
  figures: string;
}

/** Worker processes on one port: started, kept alive, asked for their figures, and ended. */
export class Workers {
  readonly #options: WorkersOptions;
  readonly #seats: WorkerProcess[] = [];
  readonly #questions = new Map<number, (seat: WorkerProcess, text: string) => void>();
  readonly #began = Promise.withResolvers<Serving>();
  #lastQuestion = 0;
  /** What workers had counted that are dead now. */
  #past = '';
  #stopping = false;
  #worstCode = 0;

  constructor(options: WorkersOptions) {
    this.#options = options;
  }

  /** Done when all of them serve. Throws StartRefused when one of them says that it never will. */
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

  /** Each drains as a server that serves alone would; done when the last has ended. */
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

  /** What it has not settled is in its journal. */
  #kill(): void {
    for (const { number, process: worker } of this.#seats) {
      if (worker === undefined) continue;
      this.#options.log.error({ worker: number }, 'a worker does not end; it is killed');
      worker.kill('SIGKILL');
    }
  }

  /** Of those that ended after they were asked to. */
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
    // A worker that is gone is noticed by its end; that it could not be told something is no news. But one
    // that never began, because there were too many files or processes, may have no end either.
    worker.on('error', () => {
      if (worker.pid === undefined) gone(null, null);
    });
    tell(worker, { kind: 'start', number: seat.number, port, opsPort, databaseUrl, configFile });
  }

  /** Some failures are events of the process that never was, others are thrown: an environment too large. */
  #fork(seat: WorkerProcess): ChildProcess | undefined {
    const { program = PROGRAM, log } = this.#options;
    try {
      return fork(program, [], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    } catch (error) {
      log.error({ worker: seat.number, err: error }, 'a worker could not be started');
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
        // After the beginning it is tried again: the database may be away just now.
        this.#options.log.error({ worker: seat.number, reason: word.message }, 'a worker cannot start');
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
    this.#options.log.error({ worker: seat.number, code, signal, waitMs }, 'a worker died; another follows');
    seat.restart = setTimeout(() => this.#fill(seat), waitMs);
  }

  /** The figures of all, of which those of the asker are known already. */
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
