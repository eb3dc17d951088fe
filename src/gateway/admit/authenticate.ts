import type { IncomingHttpHeaders } from 'node:http';
import { hashApiKey, isWellFormed } from '../../accounts/api-key.ts';
import type { Caller, Directory } from '../../accounts/contract.ts';
import { type Refusal, refuse } from '../../kernel/errors.ts';
import { KEY_CHARS_MAX, refuseMissingKey } from './missing-key.ts';

const BEARER = /^bearer +(\S+)$/i;

/** The key text of the last call on a connection. It is dropped with the connection. */
interface LastKey {
  readonly authorization: string;
  readonly hash: string;
}

const lastKeys = new WeakMap<object, LastKey>();

/**
 * Rule I-15: only `Authorization: Bearer` is read. The key is looked up by its hash, and its text does not
 * leave this file. Every call checks that the key is still valid. Only the hash is cached, while a connection
 * repeats the same text.
 */
export function authenticate(
  headers: IncomingHttpHeaders,
  directory: Directory,
  nowMs: number,
  connection?: object,
): Caller | Refusal | Promise<Caller | Refusal> {
  const last = connection && lastKeys.get(connection);
  const isRepeated = last !== undefined && last.authorization === headers.authorization;
  const hash = isRepeated ? last.hash : readKeyHash(headers, connection);
  if (typeof hash !== 'string') return hash;
  const found = directory.findCaller(hash);
  return found instanceof Promise ? found.then((caller) => judge(caller, nowMs)) : judge(found, nowMs);
}

function readKeyHash(headers: IncomingHttpHeaders, connection: object | undefined): string | Refusal {
  const { authorization = '' } = headers;
  const key = BEARER.exec(authorization)?.[1];
  if (key === undefined || key.length > KEY_CHARS_MAX) return refuseMissingKey(headers);
  // A checksum in the key text rejects garbage and access tokens without a look-up.
  if (!isWellFormed(key)) return refuse('keyInvalid');
  const hash = hashApiKey(key);
  if (connection !== undefined) lastKeys.set(connection, { authorization, hash });
  return hash;
}

function judge(caller: Caller | undefined, nowMs: number): Caller | Refusal {
  if (caller === undefined) return refuse('keyInvalid');
  const { account, key } = caller;
  const expired = key.expiresAtMs !== undefined && key.expiresAtMs <= nowMs;
  if (expired || key.status !== 'enabled' || account.status !== 'enabled') return refuse('keyInvalid');
  return caller;
}
