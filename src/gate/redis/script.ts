import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** What a gate asks of a Redis client; one server and a cluster both have it. */
export interface RedisClient {
  evalsha(hash: string, keyCount: number, ...keysAndLine: string[]): Promise<unknown>;
  eval(text: string, keyCount: number, ...keysAndLine: string[]): Promise<unknown>;
}

/** A script of the server. It is called by its hash, so that its text travels once. */
export interface Script {
  readonly text: string;
  readonly hash: string;
}

/** What all scripts stand on; a test tries its arithmetic alone. */
export const PRELUDE = readText('account.lua');
export const ENTER = createScript(PRELUDE + readText('enter.lua'));
export const LEAVE = createScript(PRELUDE + readText('leave.lua'));
export const COVERS = createScript(PRELUDE + readText('covers.lua'));
export const LOOK = createScript(PRELUDE + readText('look.lua'));

function readText(name: string): string {
  return readFileSync(new URL(name, import.meta.url), 'utf8');
}

export function createScript(text: string): Script {
  return { text, hash: createHash('sha1').update(text).digest('hex') };
}

/** A server that was restarted, flushed or replaced does not know the script: it is told, once. */
export async function runScript(
  client: RedisClient,
  script: Script,
  keys: readonly string[],
  line: string,
): Promise<string> {
  let answer: unknown;
  try {
    answer = await client.evalsha(script.hash, keys.length, ...keys, line);
  } catch (error) {
    if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
    answer = await client.eval(script.text, keys.length, ...keys, line);
  }
  return String(answer);
}

/** What may be logged of a failure: the client hangs the command on it, and with it a password. */
export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Whether the command surely had no effect: it was never sent, or the server said that it did not run it. */
export function hadNoEffect(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error.name === 'RedisUnreachable') return true;
  return UNSENT.test(error.message) || (error.name === 'ReplyError' && REFUSED.test(error.message));
}

const UNSENT = /enableOfflineQueue options is false|Cluster isn't ready|None of startup nodes/;
const REFUSED =
  /^(LOADING|READONLY|CLUSTERDOWN|MASTERDOWN|OOM|MISCONF|NOREPLICAS|BUSY|NOAUTH|NOPERM|WRONGPASS)/;
