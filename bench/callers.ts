/** Who calls: a fixed number of clients that send again at once, or calls that come at fixed times. */
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { ClockSettings } from './clock.ts';
import { Connection, type ConnectionSettings } from './connection.ts';
import type { Scenario } from './scenario.ts';

export interface Callers {
  start(): Promise<void>;
  /** Sends nothing more and waits for what is under way. */
  finish(): Promise<void>;
  destroy(): void;
  streamsOpen(): number;
}

/** Each connection sends its next call when the last answer is complete. */
export class ClosedLoop implements Callers {
  readonly #connections: readonly Connection[];
  readonly #rampMs: number;

  constructor(scenario: Scenario, settings: ConnectionSettings) {
    this.#connections = Array.from({ length: scenario.connections }, () => new Connection(settings));
    this.#rampMs = scenario.rampMs;
  }

  async start(): Promise<void> {
    const begunMs = performance.now();
    for (const [index, connection] of this.#connections.entries()) {
      const waitMs = begunMs + (index * this.#rampMs) / this.#connections.length - performance.now();
      if (waitMs > 1) await delay(waitMs);
      connection.start();
    }
  }

  async finish(): Promise<void> {
    await Promise.all(this.#connections.map((each) => each.finish()));
  }

  destroy(): void {
    for (const each of this.#connections) each.destroy();
  }

  streamsOpen(): number {
    return this.#connections.filter((each) => each.isAnswering).length;
  }
}

/** Beyond this a target is so far behind that more waiting calls tell nothing. */
const WAITING_MAX = 20_000;
const LEAD_MS = 20;

/**
 * Calls are due at times that are fixed before the first of them, whatever the target does, and their time
 * counts from when they were due. Connections are opened as they are needed, up to a bound.
 */
export class OpenLoop implements Callers {
  readonly #settings: ConnectionSettings;
  readonly #connectionsMax: number;
  readonly #everyMs: number;
  readonly #onLate: (lateMs: number) => void;
  readonly #connections = new Set<Connection>();
  readonly #idle: Connection[] = [];
  readonly #waiting: number[] = [];
  #clock: Worker | undefined;
  #firstDueMs = 0;
  #due = 0;

  constructor(scenario: Scenario, settings: ConnectionSettings, onLate: (lateMs: number) => void) {
    this.#settings = { ...settings, onIdle: (connection) => this.#takeNext(connection) };
    this.#connectionsMax = scenario.connections;
    this.#everyMs = 1000 / (scenario.ratePerSecond ?? 1);
    this.#onLate = onLate;
  }

  async start(): Promise<void> {
    this.#firstDueMs = performance.now() + LEAD_MS;
    const firstDueMs = performance.timeOrigin + this.#firstDueMs;
    const workerData: ClockSettings = { firstDueMs, everyMs: this.#everyMs };
    this.#clock = new Worker(join(import.meta.dirname, 'clock.ts'), { workerData });
    this.#clock.on('message', (due: number) => this.#takeDue(due));
  }

  #takeDue(count: number): void {
    const nowMs = performance.now();
    for (let index = 0; index < count; index += 1, this.#due += 1) {
      const dueMs = this.#firstDueMs + this.#due * this.#everyMs;
      this.#onLate(nowMs - dueMs);
      if (this.#waiting.length < WAITING_MAX) this.#waiting.push(dueMs);
    }
    while (this.#waiting.length > 0) {
      const connection = this.#idle.pop() ?? this.#open();
      if (connection === undefined) return;
      connection.call(this.#waiting.shift() ?? nowMs);
    }
  }

  #open(): Connection | undefined {
    if (this.#connections.size >= this.#connectionsMax) return undefined;
    const connection = new Connection(this.#settings);
    this.#connections.add(connection);
    return connection;
  }

  #takeNext(connection: Connection): void {
    const dueMs = this.#waiting.shift();
    if (dueMs === undefined) this.#idle.push(connection);
    else connection.call(dueMs);
  }

  async finish(): Promise<void> {
    await this.#clock?.terminate();
    this.#waiting.length = 0;
    await Promise.all([...this.#connections].map((each) => each.finish()));
  }

  destroy(): void {
    for (const each of this.#connections) each.destroy();
  }

  streamsOpen(): number {
    return [...this.#connections].filter((each) => each.isAnswering).length;
  }
}
