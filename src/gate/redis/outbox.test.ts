import { describe, expect, it } from 'vitest';
import { until } from '../../../test/support/processes.ts';
import { silentLogger } from '../../kernel/log.ts';
import { Outbox } from './outbox.ts';
import type { Repetition } from './script-arguments.ts';

const LOST = 'Connection is closed.';
const UNSENT = "Stream isn't writeable and enableOfflineQueue options is false";

describe('the outbox of the gate on Redis', () => {
  it('repeats a message until it is confirmed, and marks it only when it may have arrived before', async () => {
    const outbox = new Outbox(silentLogger);
    const failures = [UNSENT, UNSENT, LOST, UNSENT];
    const hearings: Repetition[] = [];
    await outbox.tell({
      accountId: 1,
      tell: async (hearing) => {
        hearings.push(hearing);
        const failure = failures.shift();
        if (failure !== undefined) throw new Error(failure);
      },
    });
    expect(outbox.size).toBe(1);
    await until(() => outbox.size === 0);
    expect(hearings).toEqual(['first', 'first', 'first', 'again', 'again']);
  });

  it('keeps the order of waiting messages', async () => {
    const outbox = new Outbox(silentLogger);
    let away = true;
    const heard: number[] = [];
    for (let number = 0; number < 200; number++) {
      await outbox.tell({
        accountId: 1,
        tell: async () => {
          if (away) throw new Error(UNSENT);
          heard.push(number);
        },
      });
    }
    away = false;
    await until(() => outbox.size === 0);
    expect(heard).toEqual(Array.from({ length: 200 }, (_, number) => number));
  });

  it('sends at once when it is flushed, and returns whether all was confirmed', async () => {
    const outbox = new Outbox(silentLogger);
    let away = true;
    const heard: number[] = [];
    for (let number = 0; number < 200; number++) {
      await outbox.tell({
        accountId: 1,
        tell: async () => {
          if (away) throw new Error(UNSENT);
          heard.push(number);
        },
      });
    }
    expect([await outbox.hurry(1), heard.length]).toEqual([false, 0]);
    away = false;
    expect([await outbox.hurry(1), heard.length, outbox.size]).toEqual([true, 200, 0]);
  });

  it('that cannot send for one account sends everything of another, in order', async () => {
    const outbox = new Outbox(silentLogger);
    let away = true;
    const heard: number[] = [];
    const never = async (): Promise<void> => {
      throw new Error(LOST);
    };
    await outbox.tell({ accountId: 1, tell: never });
    for (let number = 0; number < 200; number++) {
      const tell = async (): Promise<void> => {
        if (away) throw new Error(UNSENT);
        heard.push(number);
      };
      await outbox.tell({ accountId: 2, tell });
    }
    expect(await outbox.hurry(2)).toBe(false);
    away = false;
    expect(await outbox.hurry(2)).toBe(true);
    expect(heard).toEqual(Array.from({ length: 200 }, (_, number) => number));
    await outbox.tell({ accountId: 2, tell: async () => void heard.push(200) });
    expect(heard.at(-1)).toBe(200);
    expect([await outbox.hurry(1), outbox.size, outbox.holds(1), outbox.holds(2)]).toEqual([
      false,
      1,
      true,
      false,
    ]);
    await outbox.close();
  });

  it('sends by itself what others wait for, although one account is never confirmed', async () => {
    const outbox = new Outbox(silentLogger);
    let away = true;
    for (let number = 0; number < 200; number++) {
      const accountId = number < 100 ? 0 : number;
      const tell = async (): Promise<void> => {
        if (away || accountId === 0) throw new Error(UNSENT);
      };
      await outbox.tell({ accountId, tell });
    }
    expect(outbox.size).toBe(200);
    away = false;
    await until(() => outbox.size === 100);
    expect(outbox.holds(0)).toBe(true);
    await outbox.close();
  });

  it('drops the oldest beyond its bound, and tries once more at its close', async () => {
    const outbox = new Outbox(silentLogger, 3);
    const dropped: number[] = [];
    let tries = 0;
    for (let number = 0; number < 5; number++) {
      const tell = async (): Promise<void> => {
        tries += 1;
        throw new Error(LOST);
      };
      await outbox.tell({ accountId: number, tell, drop: () => void dropped.push(number) });
    }
    expect(dropped).toEqual([0, 1]);
    tries = 0;
    await outbox.close();
    expect(tries).toBe(3);
    expect(outbox.size).toBe(3);
  });
});
