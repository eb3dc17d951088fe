import type { Times } from '../../kernel/time/calendar.ts';
import type { Clock } from '../../kernel/time/clock.ts';
import type { KeyPatch, ListedKey } from '../../store/accounts/api-keys.ts';
import { type Failure, fail } from '../failure.ts';
import { ID, NAME, nullable, POLICY_ID, parseMoment, STATUS, TIME } from '../fields.ts';
import { type Static, Type } from '../schema.ts';

const FIELDS = {
  id: ID,
  name: NAME,
  prefix: Type.String({ description: 'The first characters of the key, to identify it.' }),
  policy_id: nullable(ID),
  expires_at: nullable(TIME),
  status: STATUS,
  created_at: TIME,
  last_used_at: nullable(TIME),
};
export const KEY = Type.Object(FIELDS);
export const KEY_EXAMPLE = {
  id: 12,
  name: 'laptop',
  prefix: 'tg-0a1b2c',
  policy_id: null,
  expires_at: '2027-01-01 00:00:00',
  status: 'enabled',
  created_at: '2026-11-15 09:05:00',
  last_used_at: null,
};

/** The fields of a key that can be changed. Null removes a policy or an expiry. */
export const KEY_CHANGE = {
  name: Type.Optional(NAME),
  status: Type.Optional(STATUS),
  policy_id: Type.Optional(nullable(POLICY_ID)),
  expires_at: Type.Optional(nullable(TIME)),
};
const CHANGE = Type.Object(KEY_CHANGE);

export function toKeyPatch(change: Static<typeof CHANGE>, times: Times, clock: Clock): KeyPatch | Failure {
  const { name, status, policy_id: policyId, expires_at: expiresAt } = change;
  const expiresAtMs = parseExpiry(expiresAt ?? null, times, clock);
  if (typeof expiresAtMs === 'object') return expiresAtMs;
  return {
    ...(name !== undefined && { name }),
    ...(status !== undefined && { status }),
    ...(policyId !== undefined && { policyId }),
    ...(expiresAt !== undefined && { expiresAtMs: expiresAtMs ?? null }),
  };
}

/** Undefined: the key never expires. */
export function parseExpiry(text: string | null, times: Times, clock: Clock): number | undefined | Failure {
  if (text === null) return undefined;
  const nowMs = clock.now();
  const expiresAtMs = parseMoment('expires_at', text, times);
  if (typeof expiresAtMs !== 'number' || expiresAtMs > nowMs) return expiresAtMs;
  return fail(
    'badParameter',
    `expires_at is in the past: the time is ${times.showTime(nowMs)} (${times.timeZone})`,
  );
}

export function shownKey(
  key: ListedKey,
  { showTime }: Pick<Times, 'showTime'>,
): Record<keyof typeof FIELDS, unknown> {
  const { id, name, prefix, policyId, expiresAtMs, status, createdAtMs, lastUsedAtMs } = key;
  const time = (timeMs: number | undefined) => (timeMs === undefined ? null : showTime(timeMs));
  return {
    id,
    name,
    prefix,
    policy_id: policyId ?? null,
    expires_at: time(expiresAtMs),
    status,
    created_at: showTime(createdAtMs),
    last_used_at: time(lastUsedAtMs),
  };
}
