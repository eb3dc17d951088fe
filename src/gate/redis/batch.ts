import { GATE_OPERATIONS_CHARS, GATE_OPERATIONS_PER_RUN } from './bounds.ts';
import { OPERATIONS, type Position, type RedisClient, ReplyError } from './script.ts';

/** The commands that a batch needs of a client. One server and a cluster both have them. */
export interface ScriptCommands {
  evalsha(hash: string, keyCount: number, ...keysAndLines: string[]): Promise<unknown>;
  eval(text: string, keyCount: number, ...keysAndLines: string[]): Promise<unknown>;
}

interface Operation {
  readonly hash: string;
  readonly line: string;
  readonly position: Position;
  readonly resolve: (answer: string) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * Sends the operations of one turn of the event loop together: one command, one write, one answer. Most of
 * what a command costs, here and on the server, is spent once for all of them (ADR 15).
 */
export class Batch implements RedisClient {
  readonly #commands: ScriptCommands;
  /** One server runs operations of all accounts together; the accounts of a cluster are in many slots. */
  readonly #kind: 'server' | 'cluster';
  #waiting: Operation[] = [];

  constructor(commands: ScriptCommands, kind: 'server' | 'cluster') {
    this.#commands = commands;
    this.#kind = kind;
  }

  get joins(): boolean {
    return this.#kind === 'server';
  }

  run(hash: string, line: string, position: Position = 'anywhere'): Promise<string> {
    return new Promise((resolve, reject) => {
      if (this.#waiting.length === 0) setImmediate(this.#send);
      this.#waiting.push({ hash, line, position, resolve, reject });
    });
  }

  readonly #send = (): void => {
    const operations = this.#waiting;
    this.#waiting = [];
    if (this.#kind === 'server') this.#sendRuns(operations);
    else for (const some of Map.groupBy(operations, ({ hash }) => hash).values()) this.#sendRuns(some);
  };

  /** The server does nothing else during a run, so a run is short. */
  #sendRuns(operations: readonly Operation[]): void {
    let start = 0;
    let chars = 0;
    for (const [index, { line, position }] of operations.entries()) {
      const isFull = index - start >= GATE_OPERATIONS_PER_RUN || chars + line.length > GATE_OPERATIONS_CHARS;
      if (isFull && index > start && position === 'anywhere') {
        void this.#sendRun(operations.slice(start, index));
        start = index;
        chars = 0;
      }
      chars += line.length;
    }
    void this.#sendRun(start === 0 ? operations : operations.slice(start));
  }

  async #sendRun(operations: readonly Operation[]): Promise<void> {
    try {
      const answers = await this.#ask(operations);
      for (const [index, { resolve, reject }] of operations.entries()) {
        const answer = String(answers[index]);
        if (answer.startsWith('!')) reject(new ReplyError(answer.slice(1)));
        else resolve(answer);
      }
    } catch (error) {
      for (const { reject } of operations) reject(error);
    }
  }

  /** A restarted, flushed or replaced server does not know the script: it is sent once. */
  async #ask(operations: readonly Operation[]): Promise<readonly unknown[]> {
    const count = operations.length;
    const words: string[] = [];
    for (const { hash } of operations) words.push(hash);
    for (const { line } of operations) words.push(line);
    let answer: unknown;
    try {
      answer = await this.#commands.evalsha(OPERATIONS.hash, count, ...words);
    } catch (error) {
      if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
      answer = await this.#commands.eval(OPERATIONS.text, count, ...words);
    }
    if (!Array.isArray(answer) || answer.length !== count)
      throw new ReplyError('ERR not an answer of the script');
    return answer;
  }
}
