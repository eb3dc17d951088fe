import { systemClock } from '../kernel/time/clock.ts';

/** npm forwards a Ctrl-C although the terminal has sent it to this process too. Both count as one. */
const SAME_SIGNAL_MS = 1_000;

/** The first signal asks the process to stop. A later one ends it at once. */
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
