import { DiagLogLevel, diag } from '@opentelemetry/api';
import { setGlobalErrorHandler } from '@opentelemetry/core';
import type { Logger } from '../kernel/log.ts';
import type { Clock } from '../kernel/time/clock.ts';
import { TELEMETRY_NOTICE_MS } from './bounds.ts';

const DETAIL_CHARS_MAX = 300;

/**
 * Notes in the log that telemetry is lost, once in a while however often that happens. It writes to the log
 * of the process only: what cannot be exported must not be exported.
 */
export class Trouble {
  readonly #log: Logger;
  readonly #clock: Clock;
  #notedAtMs = Number.NEGATIVE_INFINITY;
  #unnoted = 0;

  constructor(log: Logger, clock: Clock) {
    this.#log = log;
    this.#clock = clock;
  }

  /** What the packages report of a failed export or a full queue comes here, for the whole process. */
  listen(): void {
    const note = (message: string): void => this.note(message);
    const ignore = (): void => {};
    const logger = { error: note, warn: note, info: ignore, debug: ignore, verbose: ignore };
    diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
    setGlobalErrorHandler((error) => this.note(error));
  }

  note(error: unknown): void {
    const nowMs = this.#clock.monotonic();
    if (nowMs - this.#notedAtMs < TELEMETRY_NOTICE_MS) {
      this.#unnoted += 1;
      return;
    }
    this.#log.warn({ detail: describe(error), others: this.#unnoted }, 'telemetry is not exported');
    this.#notedAtMs = nowMs;
    this.#unnoted = 0;
  }
}

/** Message and code only: other fields may have the text of the receiver. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error).slice(0, DETAIL_CHARS_MAX);
  const { code } = error as Error & { readonly code?: unknown };
  const parts = [code === undefined ? '' : String(code), error.message];
  const text = parts.filter((part) => part !== '').join(' ');
  return (text === '' ? error.name : text).slice(0, DETAIL_CHARS_MAX);
}
