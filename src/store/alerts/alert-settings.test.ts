import { afterEach, beforeEach, expect, test } from 'vitest';
import { newMember } from '../../../test/support/logins.ts';
import { type FreshDatabase, freshDatabase } from '../../../test/support/postgres.ts';
import { findAlertSettings, writeAlertSettings } from './alert-settings.ts';

let fresh: FreshDatabase;
beforeEach(async () => {
  fresh = await freshDatabase();
});
afterEach(() => fresh.drop());

test('settings are kept one by one, and an address counts as confirmed while it is the account’s', async () => {
  const id = await newMember(fresh.database, 'ada@example.com');
  const none = {
    email: 'ada@example.com',
    isVerified: false,
    creditsLowMicro: undefined,
    language: undefined,
  };
  expect(await findAlertSettings(fresh.database, id)).toEqual(none);
  expect(await writeAlertSettings(fresh.database, id, { language: 'zh' })).toBe(true);
  expect(await writeAlertSettings(fresh.database, id, { creditsLowMicro: 5n })).toBe(true);
  expect(await findAlertSettings(fresh.database, id)).toEqual({
    ...none,
    language: 'zh',
    creditsLowMicro: 5n,
  });
  await fresh.database.query(
    "insert into verified_addresses (account_id, email) values ($1, 'old@example.com')",
    [id],
  );
  expect(await findAlertSettings(fresh.database, id)).toMatchObject({ isVerified: false });
  await fresh.database.query("update verified_addresses set email = 'ada@example.com'");
  expect(await findAlertSettings(fresh.database, id)).toMatchObject({ isVerified: true });
  expect(await writeAlertSettings(fresh.database, 999, { language: 'en' })).toBe(false);
  expect(await findAlertSettings(fresh.database, 999)).toBeUndefined();
});
