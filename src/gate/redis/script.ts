import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fillScript } from './words.ts';

/** The commands that a gate needs of a Redis client. One server and a cluster both have them. */
export interface RedisClient {
  evalsha(hash: string, keyCount: number, ...keysAndLine: string[]): Promise<unknown>;
  eval(text: string, keyCount: number, ...keysAndLine: string[]): Promise<unknown>;
}

/** A script of the server. It is called by its hash, so that its text is sent once. */
export interface Script {
  readonly text: string;
  readonly hash: string;
}

/** Shared by all scripts. A test checks its arithmetic alone. */
export const PRELUDE = fillScript(readText('account.lua'));
export const ENTER = createScript(PRELUDE + fillScript(readText('enter.lua')));
export const LEAVE = createScript(PRELUDE + fillScript(readText('leave.lua')));
export const COVERS = createScript(PRELUDE + fillScript(readText('covers.lua')));
export const LOOK = createScript(PRELUDE + fillScript(readText('look.lua')));

function readText(name: string): string {
  return readFileSync(new URL(name, import.meta.url), 'utf8');
}

export function createScript(text: string): Script {
  return { text, hash: createHash('sha1').update(text).digest('hex') };
}

/** A restarted, flushed or replaced server does not know the script: it is sent once. */
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

/** The loggable part of a failure. The client attaches the command to it, which may contain a password. */
export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Whether the command surely had no effect: it was never sent, or the server reports that it did not run. */
export function hadNoEffect(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error.name === 'RedisUnreachable') return true;
  return UNSENT.test(error.message) || (error.name === 'ReplyError' && REFUSED.test(error.message));
}

const UNSENT = /enableOfflineQueue options is false|Cluster isn't ready|None of startup nodes/;
const REFUSED =
  /^(LOADING|READONLY|CLUSTERDOWN|MASTERDOWN|OOM|MISCONF|NOREPLICAS|BUSY|NOAUTH|NOPERM|WRONGPASS)/;
