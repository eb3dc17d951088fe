import { describe, expect, it } from 'vitest';
import { goRound } from './round.ts';

const createAccounts = (count: number): Map<number, string> =>
  new Map(Array.from({ length: count }, (_, id) => [id, `account ${id}`]));
const isEven = (account: string): boolean => Number(account.slice('account '.length)) % 2 === 0;

describe('a round of all accounts', () => {
  it('continues after one without an answer, and reports it', async () => {
    const asked: string[] = [];
    const tell = async (account: string): Promise<boolean> => {
      asked.push(account);
      return account !== 'account 0';
    };
    const accounts = createAccounts(5);
    expect(await goRound(accounts, 2, tell)).toBe(false);
    expect(asked).toEqual([...createAccounts(5).values()]);
    accounts.delete(0);
    expect(await goRound(accounts, 2, tell)).toBe(true);
    expect(await goRound(new Map(), 2, tell)).toBe(true);
  });

  it('ends after a number of failures, and the next one begins with those it did not reach', async () => {
    const accounts = createAccounts(40);
    const heard = new Set<string>();
    let asked = 0;
    const tell = async (account: string): Promise<boolean> => {
      asked += 1;
      if (isEven(account)) return false;
      heard.add(account);
      return true;
    };
    await goRound(accounts, 4, tell);
    expect(heard.size).toBeLessThan(10);
    for (let rounds = 1; rounds < 10; rounds++) await goRound(accounts, 4, tell);
    expect(heard.size).toBe(20);
    // From now on those that are heard come first.
    asked = 0;
    heard.clear();
    await goRound(accounts, 4, tell);
    expect(heard.size).toBe(20);
    expect(asked).toBeLessThan(20 + 2 * 4);
  });

  it('runs a bounded number of them at the same time', async () => {
    let running = 0;
    let most = 0;
    await goRound(createAccounts(50), 3, async () => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
      return true;
    });
    expect(most).toBe(3);
  });

  it('does not restore accounts that left meanwhile', async () => {
    const accounts = createAccounts(2);
    await goRound(accounts, 2, async (account) => {
      if (account === 'account 0') accounts.delete(0);
      else accounts.set(1, 'another one');
      return false;
    });
    expect([...accounts]).toEqual([[1, 'another one']]);
  });
});
