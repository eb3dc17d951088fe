import { hashApiKey, isWellFormed } from '../accounts/api-key.ts';
import type { Caller, Directory } from '../accounts/contract.ts';
import { type Refusal, refuse } from '../kernel/errors.ts';

const BEARER = /^bearer +(\S{1,512})$/i;

/**
 * Spec 5: only `Authorization: Bearer` is read. The key is looked up by its hash; its text goes no further
 * than this function.
 */
export function authenticate(
  authorization: string | undefined,
  directory: Directory,
  nowMs: number,
): Caller | Refusal | Promise<Caller | Refusal> {
  const key = BEARER.exec(authorization ?? '')?.[1];
  if (key === undefined) return refuse('apiKeyRequired');
  // A checksum in the key text rejects garbage, and access tokens, before any look-up.
  if (!isWellFormed(key)) return refuse('keyInvalid');
  const found = directory.findCaller(hashApiKey(key));
  return found instanceof Promise ? found.then((caller) => judge(caller, nowMs)) : judge(found, nowMs);
}

function judge(caller: Caller | undefined, nowMs: number): Caller | Refusal {
  if (caller === undefined) return refuse('keyInvalid');
  const { account, key } = caller;
  const expired = key.expiresAtMs !== undefined && key.expiresAtMs <= nowMs;
  if (expired || key.status !== 'enabled' || account.status !== 'enabled') return refuse('keyInvalid');
  return caller;
}
