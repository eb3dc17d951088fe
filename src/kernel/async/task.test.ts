import { describe, expect, it } from 'vitest';
import { silentLogger } from '../log.ts';
import { Tasks } from './task.ts';

describe('background tasks', () => {
  it('are awaited at a stop', async () => {
    const tasks = new Tasks(silentLogger);
    const done: string[] = [];
    tasks.run('slow', async () => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      done.push('slow');
    });
    expect(tasks.size).toBe(1);
    expect(await tasks.settled(5_000)).toBe(true);
    expect(done).toEqual(['slow']);
    expect(tasks.size).toBe(0);
  });

  it('that hang do not delay a stop beyond its time', async () => {
    const tasks = new Tasks(silentLogger);
    tasks.run('hanging', () => new Promise(() => {}));
    expect(await tasks.settled(10)).toBe(false);
    expect(tasks.size).toBe(1);
  });

  it('that fail are logged once under their name and reject nothing', async () => {
    const logged: unknown[] = [];
    const tasks = new Tasks({ ...silentLogger, error: (fields) => logged.push(fields) });
    const failure = new Error('broken');
    tasks.run('failing', () => Promise.reject(failure));
    expect(await tasks.settled(1_000)).toBe(true);
    expect(logged).toEqual([{ task: 'failing', err: failure }]);
  });
});
