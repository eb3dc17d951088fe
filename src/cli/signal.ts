import { systemClock } from '../kernel/time/clock.ts';

/** npm passes a Ctrl-C on although the terminal has sent it to us as well: that is one wish, not two. */
const SAME_SIGNAL_MS = 1_000;

/** The first signal asks us to stop; one that comes later ends us at once. */
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
