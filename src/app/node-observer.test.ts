import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { ManualClock } from '../kernel/time/clock.ts';
import { createNodeObserver, NodeObserver } from './node-observer.ts';

function observe() {
  const clock = new ManualClock(0);
  const world = { breaker: 'closed', suspect: false, lag: 0, free: 0.5 as number | undefined };
  const observer = new NodeObserver({
    health: {
      routeReports: () => [{ routeId: 1, breaker: world.breaker }],
      credentialReports: () => [{ credentialId: 2, suspect: world.suspect }],
    },
    journal: {
      get lag() {
        return world.lag;
      },
    },
    ...{ clock, readFree: async () => world.free },
  });
  return { clock, world, observer };
}

test('a route that fails is down from its first failure until it has worked for a while', async () => {
  const { clock, world, observer } = observe();
  expect((await observer.read()).routes).toEqual([]);
  world.breaker = 'open';
  expect((await observer.read()).routes).toEqual([{ id: 1, downMs: 0 }]);
  clock.advance(60_000);
  world.breaker = 'half-open';
  expect((await observer.read()).routes).toEqual([{ id: 1, downMs: 60_000 }]);
  world.breaker = 'closed';
  clock.advance(60_000);
  expect((await observer.read()).routes, 'it may fail again').toEqual([{ id: 1, downMs: 120_000 }]);
  clock.advance(61_000);
  expect((await observer.read()).routes).toEqual([]);
});

test('a refused credential is remembered with its time, and the disk and its absence are told', async () => {
  const { clock, world, observer } = observe();
  world.suspect = true;
  await observer.read();
  world.suspect = false;
  world.free = undefined;
  clock.advance(90_000);
  expect(await observer.read()).toMatchObject({ credentials: [{ id: 2, agoMs: 90_000 }], disk: null });
});

test('calls that wait are many for a time, or stand still for a time', async () => {
  const { clock, world, observer } = observe();
  const look = async (lag: number) => {
    world.lag = lag;
    clock.advance(10_000);
    return (await observer.read()).lag;
  };
  expect(await look(5)).toEqual({ calls: 5, highMs: 0, stillMs: 0 });
  expect(await look(5)).toEqual({ calls: 5, highMs: 0, stillMs: 10_000 });
  expect(await look(4), 'some were settled').toEqual({ calls: 4, highMs: 0, stillMs: 0 });
  expect(await look(2_000)).toMatchObject({ highMs: 0 });
  expect(await look(3_000)).toMatchObject({ calls: 3_000, highMs: 10_000, stillMs: 10_000 });
  expect(await look(0)).toEqual({ calls: 0, highMs: 0, stillMs: 0 });
});

test('the disk of a real directory has a free share, one that is not there has none', async () => {
  const health = { routeReports: () => [], credentialReports: () => [] };
  const read = async (dataDirectory: string) => {
    const observer = createNodeObserver({ health }, { journal: { lag: 0 } }, { dataDirectory });
    return (await observer.read()).disk;
  };
  expect((await read(tmpdir()))?.free).toBeGreaterThan(0);
  expect(await read('/nowhere/at/all')).toBeNull();
});
