import { LIVE_RESUME_MS, LIVE_TOKEN_CALLS_MAX, LIVE_TOKEN_CHARS_MAX } from '../bounds.ts';

/**
 * Which calls a reader has, as numbers of their rows: all up to `floor`, and `known` above it. Numbers may be
 * committed out of order, so the highest one alone would lose calls. The id of an event is this text, so any
 * node can go on where another one stopped.
 */
export interface LivePlace {
  readonly floor: number;
  /** Ascending. */
  readonly known: readonly number[];
}

const BASE = 36;

export function writePlace({ floor, known }: LivePlace, nowMs: number): string {
  const above = known.slice(-LIVE_TOKEN_CALLS_MAX);
  // What does not fit is done with: a call that is committed later than so many others is not sent again.
  const lowest = known.length > above.length ? (known[known.length - above.length - 1] ?? floor) : floor;
  const steps = above.map((id) => (id - lowest).toString(BASE)).join('-');
  return `${Math.floor(nowMs / 1_000).toString(BASE)}.${lowest.toString(BASE)}${steps === '' ? '' : `.${steps}`}`;
}

const FORM = /^([0-9a-z]{1,9})\.([0-9a-z]{1,11})(?:\.([0-9a-z]{1,11}(?:-[0-9a-z]{1,11})*))?$/;

/** Undefined: not such a text, or from before the time that a stream is resumed after. */
export function readPlace(text: string, nowMs: number): LivePlace | undefined {
  const [, seconds, lowest, steps] = (text.length <= LIVE_TOKEN_CHARS_MAX && FORM.exec(text)) || [];
  if (seconds === undefined || lowest === undefined) return undefined;
  const ageMs = nowMs - Number.parseInt(seconds, BASE) * 1_000;
  const floor = Number.parseInt(lowest, BASE);
  const known = (steps?.split('-') ?? []).map((step) => floor + Number.parseInt(step, BASE));
  const areNumbers = [floor, ...known].every(Number.isSafeInteger);
  return ageMs > LIVE_RESUME_MS || !areNumbers ? undefined : { floor, known };
}
