import { expect, test } from 'vitest';
import { updateAccount } from '../../../src/store/accounts/accounts.ts';
import { deleteKeys, setKeyStatus } from '../../../src/store/accounts/api-keys.ts';
import { cancelSubscription } from '../../../src/store/accounts/subscriptions.ts';
import { announceAndWait } from '../../../src/store/changes.ts';
import { until } from '../../support/processes.ts';
import type { Arena } from '../arena.ts';
import { LARGE } from '../sizes.ts';
import { ask, openWallet, parallel, type Wallet, type WalletOptions } from '../wallet.ts';

/** A change of the account, and the code that tells what stood before or after it. */
interface Switch {
  readonly wallet?: WalletOptions;
  readonly model?: string;
  readonly change: (arena: Arena, wallet: Wallet) => Promise<unknown>;
  /** Each call is answered 200 before and this code afterwards, or the other way round. */
  readonly code: number;
  readonly turns: 'off' | 'on';
}

const RICH = { credits: 1_000_000 };

const SWITCHES: Readonly<Record<string, Switch>> = {
  'a key that is deleted': {
    change: ({ database }, { accountId, keyId }) => deleteKeys(database, accountId, [keyId]),
    code: 40101,
    turns: 'off',
  },
  'a key that is disabled': {
    change: ({ database }, { accountId, keyId }) => setKeyStatus(database, accountId, [keyId], 'disabled'),
    code: 40101,
    turns: 'off',
  },
  'an account that is disabled': {
    change: ({ database }, { accountId }) => updateAccount(database, accountId, { status: 'disabled' }),
    code: 40101,
    turns: 'off',
  },
  'API billing switched off': {
    change: ({ database }, { accountId }) => updateAccount(database, accountId, { apiBilling: false }),
    code: 40202,
    turns: 'off',
  },
  'a subscription that is cancelled': {
    wallet: { ...RICH, plan: 'RACE500', apiBilling: false },
    change: async ({ database }, { accountId }) => {
      const [row] = await database.query<{ id: bigint }>(
        'select id from subscriptions where account_id = $1',
        [accountId],
      );
      return cancelSubscription(database, accountId, Number(row?.id));
    },
    code: 40202,
    turns: 'off',
  },
  'verification that is passed': {
    model: 'verified-only',
    change: ({ database }, { accountId }) => updateAccount(database, accountId, { userType: 2 }),
    code: 40203,
    turns: 'on',
  },
};

const CALLS = LARGE ? 1_000 : 300;
/** So many at least begin when the change is in force. */
const LATE_CALLS = CALLS / 3;
const CALLERS = 24;

interface Told {
  readonly startedAt: number;
  readonly outcome: number;
}

/** Calls go on while the change is made; all that begin after its acknowledgement live under the new rule. */
export function switches(arena: () => Arena): void {
  test.each(Object.entries(SWITCHES))(
    'no call is decided by the old state after the change is acknowledged: %s',
    async (name, one) => {
      const wallet = await openWallet(arena(), one.wallet ?? RICH);
      const told: Told[] = [];
      let acknowledgedAt = Number.POSITIVE_INFINITY;
      let begun = 0;
      let late = 0;
      const callers = parallel(CALLERS, async (index) => {
        while (begun < CALLS || late < LATE_CALLS) {
          begun += 1;
          const startedAt = performance.now();
          if (startedAt > acknowledgedAt) late += 1;
          const question = { key: wallet.key, max: 1, directive: `tokens=1 delay=${index % 3}` };
          const asked = one.model === undefined ? question : { ...question, model: one.model };
          const { status, code } = await ask(arena().at(index + begun), asked);
          told.push({ startedAt, outcome: code ?? status });
        }
      });
      await until(() => told.length >= CALLS / 3);
      await one.change(arena(), wallet);
      // A busy machine may be late with the answer.
      expect(await announceAndWait(arena().database, 60_000)).toBe('in-force');
      acknowledgedAt = performance.now();
      await callers;
      const [before, after] = one.turns === 'off' ? [200, one.code] : [one.code, 200];
      const later = told.filter(({ startedAt }) => startedAt > acknowledgedAt);
      expect(later.length).toBeGreaterThanOrEqual(LATE_CALLS);
      expect(later.filter(({ outcome }) => outcome !== after)).toEqual([]);
      const outcomes = new Set(told.map(({ outcome }) => outcome));
      expect(outcomes).toEqual(new Set([before, after]));
      const result = `${later.length} began after the acknowledgement, 0 by the old state`;
      console.log(`proof | switches under load, ${arena().name} | ${name}, ${told.length} calls | ${result}`);
    },
    60_000,
  );
}
