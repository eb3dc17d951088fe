import { utimes } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '../../kernel/time/clock.ts';

/** How often an owner touches its file, and after how long without that it is dead. */
const BEAT_MS = 5_000;
export const SILENCE_MS = 15_000;
const LOOK_MS = 100;

/** Touches the file again and again until the returned function is called. */
export function startBeat(path: string, everyMs = BEAT_MS): () => void {
  const beating = setInterval(() => {
    const now = systemClock.now() / 1000;
    // A file system that is away for a moment is no reason to end; the next beat may get through.
    utimes(path, now, now, () => {});
  }, everyMs).unref();
  return () => clearInterval(beating);
}

/**
 * Whether the file is touched while we look. Two machines' clocks may differ, so the time itself says
 * nothing, only that it changes. `touchedMs` answers nothing when the file is not the same any more.
 */
export async function isBeating(
  touchedMs: () => number | undefined,
  silenceMs = SILENCE_MS,
): Promise<boolean> {
  const first = touchedMs();
  const deadlineMs = systemClock.monotonic() + silenceMs;
  while (first !== undefined && systemClock.monotonic() < deadlineMs) {
    await sleep(LOOK_MS);
    const last = touchedMs();
    if (last !== first) return last !== undefined;
  }
  return false;
}
