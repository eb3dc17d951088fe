import { describeStarts } from '../starts.ts';
import type { Totals } from './trial.ts';

/** Kills that prove rule M-19: some twenty before each commit; a longer run has the machine for itself. */
const longRun = process.env.TEST_KILLS;
const SCENES = 2;
const SHORT = 20;
/** In each scene. */
export const KILLS = Math.ceil(Number(longRun ?? SHORT) / SCENES);
/** The promise is three seconds; beside other tests it is only asked that the server comes back at all. */
export const READY_MS = longRun === undefined ? 60_000 : 3_000;
export const patienceMs = 300_000 + KILLS * 30_000;

/** For `npm run prove`. */
export function tell(name: string, totals: Totals): void {
  const { kills, calls, finished, cut, lost, doubled, starts, startsWithDatabase } = totals;
  const ready = `ready within ${describeStarts(starts)}, with its database ${describeStarts(startsWithDatabase)}`;
  const result = `${finished} finished, ${cut} cut, ${lost} lost, ${doubled} doubled; doctor clean; ${ready}`;
  console.log(`proof | ${name} | ${kills} kills, ${calls} calls | ${result}`);
}
