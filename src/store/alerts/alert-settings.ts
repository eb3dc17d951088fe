import type { AlertLanguage } from '../../alerts/contract.ts';
import { type Database, idNumber } from '../database.ts';

/** What an account chose for all its alerts and mails, and whether its address is confirmed. */
export interface AlertSettings {
  readonly email: string;
  readonly isVerified: boolean;
  /** Undefined: the default. */
  readonly creditsLowMicro: bigint | undefined;
  readonly language: AlertLanguage | undefined;
}

export async function findAlertSettings(
  database: Database,
  accountId: number,
): Promise<AlertSettings | undefined> {
  const [row] = await database.query<{
    email: string;
    is_verified: boolean;
    credits_low_micro: bigint | null;
    language: AlertLanguage | null;
  }>(
    `select accounts.email, verified.email is not null as is_verified, credits_low_micro, language
     from accounts left join alert_settings settings on settings.account_id = accounts.id
       left join verified_addresses verified
         on verified.account_id = accounts.id and verified.email = accounts.email
     where accounts.id = $1`,
    [accountId],
  );
  if (row === undefined) return undefined;
  const { email, is_verified: isVerified, credits_low_micro: creditsLow, language } = row;
  return { email, isVerified, creditsLowMicro: creditsLow ?? undefined, language: language ?? undefined };
}

export interface AlertSettingsPatch {
  readonly creditsLowMicro?: bigint | undefined;
  readonly language?: AlertLanguage | undefined;
}

/** False: there is no such account. */
export async function writeAlertSettings(
  database: Database,
  accountId: number,
  { creditsLowMicro, language }: AlertSettingsPatch,
): Promise<boolean> {
  const written = await database.query<{ account_id: bigint }>(
    `insert into alert_settings (account_id, credits_low_micro, language)
     select id, $2, $3 from accounts where id = $1
     on conflict (account_id) do update set
       credits_low_micro = coalesce(excluded.credits_low_micro, alert_settings.credits_low_micro),
       language = coalesce(excluded.language, alert_settings.language)
     returning account_id`,
    [accountId, creditsLowMicro ?? null, language ?? null],
  );
  return written.some(({ account_id: id }) => idNumber(id) === accountId);
}
