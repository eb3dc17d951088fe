import { afterAll, beforeAll, expect, test } from 'vitest';
import { accountWith, CREDITS_PER_YUAN, callOf, NOVEMBER } from '../../../test/support/calls.ts';
import { type FreshDatabase, freshDatabase } from '../../../test/support/postgres.ts';
import { createCalendar } from '../../kernel/time/calendar.ts';
import { createLedgerStore } from '../ledger/ledger.ts';
import { findRecentUse } from './credential-recent.ts';

let fresh: FreshDatabase;
beforeAll(async () => {
  fresh = await freshDatabase();
});
afterAll(() => fresh.drop());

test('the last attempts of own credentials are told, and since when they fail', async () => {
  const accountId = await accountWith(fresh.database, { creditsMicro: 10n ** 12n });
  const stranger = await accountWith(fresh.database, { creditsMicro: 10n ** 12n });
  const calendar = createCalendar('UTC');
  const ledger = createLedgerStore({ database: fresh.database, creditsPerYuan: CREDITS_PER_YUAN, calendar });
  const attempt = { routeId: 1, vendor: 'openai', durationMs: 5 };
  const own = (credential: string, outcome: string) => ({
    ...attempt,
    credential,
    own: true as const,
    outcome,
  });
  const platform = { ...attempt, credential: 'platform-key', outcome: 'ok' };
  const at = (second: number, attempts: readonly ReturnType<typeof own>[], id = accountId) =>
    callOf({
      ...{ accountId: id, createdAtMs: NOVEMBER + second * 1_000 },
      attempts: [...attempts, platform],
    });
  await ledger.settle([
    at(1, [own('mine', '500')]),
    at(2, [own('mine', 'ok')]),
    at(3, [own('mine', '401'), own('spare', 'ok')]),
    at(4, [own('mine', 'timeout')]),
    at(9, [own('mine', 'ok')], stranger),
  ]);
  expect(await findRecentUse(fresh.database, accountId)).toEqual(
    new Map([
      ['mine', { lastUsedAtMs: NOVEMBER + 4_000, lastOutcome: 'timeout', failingSinceMs: NOVEMBER + 3_000 }],
      ['spare', { lastUsedAtMs: NOVEMBER + 3_000, lastOutcome: 'ok', failingSinceMs: undefined }],
    ]),
  );
});
