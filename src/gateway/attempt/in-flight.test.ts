import { afterEach, expect, test } from 'vitest';
import { systemClock } from '../../kernel/time/clock.ts';
import { READ_ON_CALLS_MAX } from '../settle/bounds.ts';
import { type CallInFlight, InFlight } from './in-flight.ts';

class PaperPlane implements CallInFlight {
  place = -1;
  readonly streaming: boolean;
  readonly onTick: (plane: PaperPlane) => void;
  ticks = 0;
  stopped = false;

  constructor(kind: 'stream' | 'plain', onTick: (plane: PaperPlane) => void = () => {}) {
    this.streaming = kind === 'stream';
    this.onTick = onTick;
  }

  tick(): void {
    this.ticks += 1;
    this.onTick(this);
  }

  stop(): void {
    this.stopped = true;
    inFlight.delete(this);
  }
}

let inFlight: InFlight;
afterEach(() => inFlight.close());

test('a flight that ends in its tick does not remove another', async () => {
  inFlight = new InFlight(systemClock, 20);
  const endInTick = (plane: PaperPlane): void => inFlight.delete(plane);
  const planes = Array.from(
    { length: 6 },
    (_, index) => new PaperPlane('plain', index % 2 === 0 ? endInTick : undefined),
  );
  for (const plane of planes) inFlight.add(plane);
  const [first, second, third, , , last] = planes;
  await expect.poll(() => last?.ticks).toBeGreaterThan(1);
  expect([first?.ticks, third?.ticks]).toEqual([1, 1]);
  expect(second?.ticks).toBeGreaterThan(1);
  expect(last?.ticks).toBe(second?.ticks);
});

test('the other flights stay when any flight ends', () => {
  inFlight = new InFlight(systemClock);
  const [one, two, three] = [new PaperPlane('stream'), new PaperPlane('plain'), new PaperPlane('stream')];
  for (const plane of [one, two, three]) inFlight.add(plane);
  expect(inFlight.streams).toBe(2);
  inFlight.delete(one);
  inFlight.delete(one);
  expect(inFlight.streams).toBe(1);
  inFlight.stopAll();
  expect([one.stopped, two.stopped, three.stopped]).toEqual([false, true, true]);
  inFlight.delete(three);
  expect(inFlight.streams).toBe(0);
});

test('so many vendors are read on at once, and jobs beside them', async () => {
  inFlight = new InFlight(systemClock);
  let given = 0;
  const readOn = (kind: 'call' | 'job', waitMs = 60_000) => inFlight.readOn(kind, waitMs, () => given++);
  const ends = Array.from({ length: READ_ON_CALLS_MAX }, () => readOn('call'));
  expect(readOn('call')).toBeUndefined();
  const job = readOn('job', 1);
  await expect.poll(() => given).toBe(1);
  job?.();
  ends.pop()?.();
  ends.push(readOn('call'));
  expect(ends).not.toContain(undefined);
  for (const end of ends) end?.();
});
